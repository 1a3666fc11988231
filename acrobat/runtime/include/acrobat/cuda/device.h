// A GPU as the device that runs the batches (see program.h). A computation consists of one copy of
// the offsets of all batches (and of new numbers and, once, the tensors of the instances), followed
// by the kernels back to back on one stream, or by one launch of the persistent kernel that runs
// them all. If fibers wait, the last kernel stores what they wait for in the host's memory. The
// host waits for the GPU only at decisions and at the end. Tensors of instances that are run again
// come from a copy on the GPU, which their second run makes.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../generated.h"
#include "../graph/context.h"
#include "../profile.h"
#include "../python/convert.h"
#include "arena.h"
#include "collect.h"
#include "gather.h"
#include "lane.h"
#include "launcher.h"
#include "modules.h"
#include "persistent_kernel.h"
#include "results.h"
#include "staging.h"
#include "step_table.h"
#include "weights.h"

namespace acrobat::cuda {

class Device {
 public:
  using Config = cuda::Config;
  using Memory = DeviceArena;
  using Buffers = Lane;
  static constexpr int64_t kNumbers = Arena::kScalarBase;
  static constexpr Costs kCosts = {.batch_ns = 4000, .work_per_ns = 10000};

  explicit Device(const Config& config)
      : config_(config),
        gpu_(std::make_shared<Gpu>(config.gpu)),
        modules_(gpu_, config),
        weights_(gpu_, config),
        arenas_(std::make_shared<DeviceArenaPool>(gpu_)) {
    if (config.persistent_kernel != nullptr)
      persistent_kernel_ = std::make_unique<PersistentKernel>(gpu_, *config.persistent_kernel);
  }

  std::unique_ptr<Lane> buffers() const { return std::make_unique<Lane>(gpu_); }
  std::shared_ptr<DeviceArena> take() const { return arenas_->take(); }

  void begin(Context& cx, const Inputs& inputs, DeviceArena&, Lane& lane) const {
    cx.values = nullptr;
    cx.numbers = lane.numbers.get();
    lane.numbers_there = 0;
    lane.inputs_there = false;
    lane.keeps_inputs = inputs.kept->is_due();
  }

  void compute(Context& cx, const Inputs& inputs, DeviceArena& arena, Lane& lane,
               const std::vector<Fiber*>& waiting, Profile& profile, Timer& timer) const {
    Gpu::Use use(*gpu_);
    guarded(lane, [&] {
      Collection awaited(waiting, cx.schedule, lane);
      StepTable steps;
      if (persistent_kernel_) steps.plan(cx.schedule, !config_.gather_fusion, awaited.runs());
      const Needs needs = needs_of(cx.schedule, awaited, steps);
      const Staging staging(cx.schedule.floats, needs);
      arenas_->provide(arena, staging.end, cx.scalars);
      int64_t tiles = upload(cx, inputs, arena, lane, staging, needs, awaited, steps);
      record(lane.begin, lane);
      if (persistent_kernel_) {
        if (steps.count() > 0) {
          persistent_kernel_->launch(arena.at(staging.table), steps.count(), tiles, lane.stream);
          profile.n_kernel_calls++;
        }
      } else {
        profile.n_kernel_calls += launch(cx.schedule, arena, lane, staging);
        awaited.store(arena, arena.at(staging.runs) + gathers(cx.schedule) * sizeof(Run), lane);
      }
      record(lane.end, lane);
      // The next computation may change the page-locked memory only after this one's copies.
      if (waiting.empty()) return;
      synchronise(inputs, lane, "computing what decisions wait for", profile, timer);
      awaited.deliver(lane);
    });
  }

  void finish(Context&, const Inputs& inputs, DeviceArena&, Lane& lane, Profile& profile,
              Timer& timer) const {
    Gpu::Use use(*gpu_);
    guarded(lane, [&] { synchronise(inputs, lane, "computing the mini-batch", profile, timer); });
  }

  DeviceTensors tensors(std::shared_ptr<DeviceArena> arena, const Schedule& schedule) const {
    return DeviceTensors(arenas_, std::move(arena), schedule.floats,
                         static_cast<PyObject*>(config_.memory));
  }

 private:
  // Runs `body`. If it fails, waits for the work in progress: others get the lane and the arena.
  template <class F>
  void guarded(Lane& lane, F&& body) const {
    try {
      body();
    } catch (...) {
      gpu_->driver.cuStreamSynchronize(lane.stream);
      lane.input_copy.reset();
      throw;
    }
  }

  // How many copies of operands the batches need.
  size_t gathers(const Schedule& s) const {
    size_t n = 0;
    if (config_.gather_fusion) return 0;
    for (const Batch& b : s.batches) n += gather_runs(b);
    return n;
  }

  Needs needs_of(const Schedule& s, const Collection& awaited, const StepTable& steps) const {
    Needs needs;
    needs.runs = static_cast<int64_t>(gathers(s) + awaited.runs());
    if (s.batches.empty() && needs.runs == 0) return needs;
    needs.table = steps.table_floats();
    needs.offsets = static_cast<int64_t>(s.offsets.size());
    needs.scratch = persistent_kernel_ ? steps.scratch_floats() : Launcher::scratch_floats(s);
    if (config_.gather_fusion) return needs;
    needs.gathered = steps.gathered_floats();
    for (const Batch& b : s.batches) needs.gathered = std::max(needs.gathered, gather_floats(b));
    return needs;
  }

  // Sends what the GPU does not have yet: weights, tensors of the instances, numbers, and the work.
  // Returns the most tiles that the persistent kernel has at once.
  int64_t upload(const Context& cx, const Inputs& inputs, DeviceArena& arena, Lane& lane,
                 const Staging& staging, const Needs& needs, const Collection& awaited,
                 const StepTable& steps) const {
    const Driver& driver = gpu_->driver;
    size_t weight_bytes = static_cast<size_t>(config_.arena_weight_floats) * sizeof(float);
    if (!arena.weights_placed && weight_bytes > 0) {
      driver.check(driver.cuMemcpyDtoDAsync(arena.at(0), weights_.arena_weights(), weight_bytes,
                                            lane.stream),
                   "copying weights into an arena");
    }
    arena.weights_placed = true;
    size_t input_bytes = place_kept(inputs, arena, lane);
    size_t number_bytes = static_cast<size_t>(cx.scalars - lane.numbers_there) * sizeof(float);
    size_t work_bytes = staging.bytes(needs);
    char* from = lane.up.provide(input_bytes + number_bytes + work_bytes);
    // The work comes first, aligned, because the table of steps is accessed in words of 8 bytes.
    char *work = from, *numbers = from + work_bytes, *tensors = numbers + number_bytes;
    auto copy = [&](Address to, const char* source, size_t bytes, const char* what) {
      if (bytes == 0) return;
      driver.check(driver.cuMemcpyHtoDAsync(to, source, bytes, lane.stream), what);
    };
    if (input_bytes > 0) std::memcpy(tensors, inputs.tensors.data(), input_bytes);
    copy(arena.at(config_.arena_weight_floats), tensors, input_bytes,
         "copying tensors of the instances");
    lane.inputs_there = true;
    if (input_bytes > 0 && lane.keeps_inputs) keep(arena, input_bytes, lane);
    std::memcpy(numbers, lane.numbers.get() + lane.numbers_there, number_bytes);
    copy(arena.at(Arena::kScalarBase + lane.numbers_there), numbers, number_bytes,
         "copying numbers");
    lane.numbers_there = cx.scalars;
    int64_t tiles =
        work_bytes > 0 ? write(work, cx.schedule, arena, lane, staging, needs, awaited, steps) : 0;
    copy(arena.at(staging.table), work, work_bytes, "copying the offsets of operands");
    return tiles;
  }

  // Copies the tensors of the instances into the arena if the GPU has a copy of them. Returns how
  // many bytes still have to be sent.
  size_t place_kept(const Inputs& inputs, const DeviceArena& arena, Lane& lane) const {
    size_t bytes = inputs.tensors.size() * sizeof(float);
    if (bytes == 0 || lane.inputs_there) return 0;
    lane.input_copy = std::static_pointer_cast<InputCopy>(inputs.kept->get());
    if (lane.input_copy == nullptr) return bytes;
    copy_inputs(arena.at(config_.arena_weight_floats), lane.input_copy->at(), bytes, lane);
    lane.inputs_there = true;
    return 0;
  }

  // Copies the tensors of the instances out of the arena, if there is memory for that.
  void keep(const DeviceArena& arena, size_t bytes, Lane& lane) const {
    lane.input_copy = InputCopy::make(gpu_, bytes);
    if (lane.input_copy == nullptr) return;
    copy_inputs(lane.input_copy->at(), arena.at(config_.arena_weight_floats), bytes, lane);
  }
  void copy_inputs(Address to, Address from, size_t bytes, const Lane& lane) const {
    gpu_->driver.check(gpu_->driver.cuMemcpyDtoDAsync(to, from, bytes, lane.stream),
                       "copying tensors of the instances");
  }

  // Writes steps, offsets and runs as they lie in the arena. Returns the most tiles that the
  // persistent kernel has at once.
  int64_t write(char* to, const Schedule& s, const DeviceArena& arena, const Lane& lane,
                const Staging& staging, const Needs& needs, const Collection& awaited,
                const StepTable& steps) const {
    auto* offsets = reinterpret_cast<int32_t*>(to) + needs.table;
    if (needs.offsets > 0) {
      std::memcpy(offsets, &s.offsets[0], static_cast<size_t>(needs.offsets) * sizeof(int32_t));
    }
    auto* run = reinterpret_cast<Run*>(offsets + needs.offsets);
    if (!config_.gather_fusion) {
      for (const Batch& b : s.batches) {
        plan_gather(b, offsets, run);
        run += gather_runs(b);
      }
    }
    awaited.write_runs(run);
    if (steps.count() == 0) return 0;
    return steps.write(reinterpret_cast<uint64_t*>(to), modules_, weights_, arena, staging,
                       lane.down.on_gpu());
  }

  // Launches the kernels of all batches; returns how many.
  int64_t launch(const Schedule& s, const DeviceArena& arena, const Lane& lane,
                 const Staging& staging) const {
    Launcher launcher{*gpu_, modules_, weights_, arena, staging, lane.stream};
    Address runs = arena.at(staging.runs), gathered = arena.at(staging.gathered);
    int64_t launches = 0;
    for (const Batch& b : s.batches) {
      if (config_.gather_fusion) {
        launches += launcher.batch(b, arena.at(0));
        continue;
      }
      if (size_t n = gather_runs(b); n > 0) {
        gpu_->copy_runs.launch(gpu_->driver, gathered, arena.at(0), runs, n, lane.stream);
        launcher.follows = false;
        runs += n * sizeof(Run);
      }
      launches += launcher.batch(b, gathered);
    }
    return launches;
  }

  void record(Event event, const Lane& lane) const {
    gpu_->driver.check(gpu_->driver.cuEventRecord(event, lane.stream), "recording an event");
  }

  // Waits for the GPU. The time since the last lap that was not spent in kernels counts as copying:
  // staging, launching and transfers, as far as kernels did not hide them.
  void synchronise(const Inputs& inputs, Lane& lane, const char* what, Profile& profile,
                   Timer& timer) const {
    const Driver& driver = gpu_->driver;
    Result r = driver.cuStreamSynchronize(lane.stream);
    if (r != kSuccess)
      driver.fail(r, what, persistent_kernel_ ? PersistentKernel::kEndsItself : "");
    // A copy that the call made is complete, so other streams may read it; one that it read may be
    // given up.
    if (auto copy = std::exchange(lane.input_copy, nullptr); copy != nullptr && lane.keeps_inputs) {
      inputs.kept->set(std::move(copy));
      arenas_->add(inputs.kept);
    }
    float kernels = 0;
    driver.check(driver.cuEventElapsedTime(&kernels, lane.begin, lane.end), "reading the time");
    double passed = timer.lap(), ran = std::min<double>(kernels, passed);
    profile.kernel_ms += ran;
    profile.copy_ms += passed - ran;
  }

  Config config_;
  std::shared_ptr<Gpu> gpu_;
  Modules modules_;
  Weights weights_;
  std::shared_ptr<DeviceArenaPool> arenas_;
  std::unique_ptr<PersistentKernel> persistent_kernel_;  // if kernels are not launched one by one
};

}  // namespace acrobat::cuda
