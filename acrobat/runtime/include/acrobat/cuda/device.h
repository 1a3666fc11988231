// A GPU as what runs the batches (see program.h). A computation is: one copy of the offsets of all
// batches (and of new numbers and, once, the tensors of the instances), the kernels back to back on
// one stream, and, if fibers wait, one copy of what they wait for. The host waits for the GPU at
// decisions and at the end only.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../context.h"
#include "../convert.h"
#include "../generated.h"
#include "../profile.h"
#include "arena.h"
#include "collect.h"
#include "gather.h"
#include "lane.h"
#include "launcher.h"
#include "modules.h"
#include "results.h"
#include "weights.h"

namespace acrobat::cuda {

class Device {
 public:
  using Config = cuda::Config;
  using Memory = DeviceArena;
  using Buffers = Lane;

  explicit Device(const Config& config)
      : config_(config),
        gpu_(std::make_shared<Gpu>(config.gpu)),
        modules_(gpu_, config),
        weights_(gpu_, config),
        arenas_(std::make_shared<DeviceArenaPool>(gpu_)) {}

  std::unique_ptr<Lane> buffers() const { return std::make_unique<Lane>(gpu_); }
  std::shared_ptr<DeviceArena> take() const { return arenas_->take(); }

  void begin(Context& cx, const Inputs&, DeviceArena&, Lane& lane) const {
    cx.values = nullptr;
    cx.numbers = lane.numbers.get();
    lane.numbers_there = 0;
    lane.inputs_there = false;
  }

  void compute(Context& cx, const Inputs& inputs, DeviceArena& arena, Lane& lane,
               const std::vector<Fiber*>& waiting, Profile& profile, Timer& timer) const {
    Gpu::Use use(*gpu_);
    guarded(lane, [&] {
      Collection awaited(waiting, cx.schedule);
      Layout layout = lay_out(cx.schedule, awaited);
      arenas_->provide(arena, layout.end, cx.scalars);
      upload(cx, inputs, arena, lane, layout, awaited);
      launch(cx.schedule, arena, lane, layout, profile);
      // The next computation may change the page-locked memory only after this one's copies.
      if (waiting.empty()) return;
      awaited.enqueue(arena, arena.at(layout.runs) + gathers(cx.schedule) * sizeof(Run),
                      arena.at(layout.collected), lane);
      synchronise(lane, "computing what decisions wait for", profile, timer);
      awaited.deliver(lane);
    });
  }

  void finish(Context&, const Inputs&, DeviceArena&, Lane& lane, Profile& profile,
              Timer& timer) const {
    Gpu::Use use(*gpu_);
    synchronise(lane, "computing the mini-batch", profile, timer);
  }

  DeviceTensors tensors(std::shared_ptr<DeviceArena> arena, const Schedule& schedule) const {
    return DeviceTensors(arenas_, std::move(arena), schedule.floats,
                         static_cast<PyObject*>(config_.memory));
  }

 private:
  // Nothing may be under way when `body` fails: others get the lane and the arena.
  template <class F>
  void guarded(const Lane& lane, F&& body) const {
    try {
      body();
    } catch (...) {
      gpu_->driver.cuStreamSynchronize(lane.stream);
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

  // What lives during one computation lies behind the records, where those of the next one will be:
  // the stream keeps the order. Offsets and runs are neighbours, so that one copy brings both.
  Layout lay_out(const Schedule& s, const Collection& awaited) const {
    auto aligned = [](int64_t floats) { return (floats + 15) / 16 * 16; };
    constexpr int64_t kRun = sizeof(Run) / sizeof(float);
    size_t runs = gathers(s) + awaited.runs();
    Layout l;
    l.offsets = s.floats;
    l.runs = l.offsets + static_cast<int64_t>(s.offsets.size());
    l.collected = aligned(l.runs + static_cast<int64_t>(runs) * kRun);
    l.scratch = aligned(l.collected + awaited.floats());
    l.gathered = l.scratch + Launcher::scratch_floats(s);
    l.end = l.gathered;
    if (!config_.gather_fusion) {
      for (const Batch& b : s.batches) l.end = std::max(l.end, l.gathered + gather_floats(b));
    }
    Arena::require(l.end);
    return l;
  }

  void upload(const Context& cx, const Inputs& inputs, DeviceArena& arena, Lane& lane,
              const Layout& layout, const Collection& awaited) const {
    const Driver& driver = gpu_->driver;
    const Schedule& s = cx.schedule;
    size_t weight_bytes = static_cast<size_t>(config_.weight_floats) * sizeof(float);
    if (!arena.weights_placed && weight_bytes > 0) {
      driver.check(
          driver.cuMemcpyDtoDAsync(arena.at(0), weights_.rows(), weight_bytes, lane.stream),
          "copying weights into an arena");
    }
    arena.weights_placed = true;
    size_t input_bytes = lane.inputs_there ? 0 : inputs.tensors.size() * sizeof(float);
    size_t number_bytes = static_cast<size_t>(cx.scalars - lane.numbers_there) * sizeof(float);
    size_t runs = gathers(s) + awaited.runs();
    size_t offset_bytes = s.batches.empty() && runs == 0
                              ? 0
                              : s.offsets.size() * sizeof(int32_t) + runs * sizeof(Run);
    char* from = lane.up.provide(input_bytes + number_bytes + offset_bytes);
    auto copy = [&](Address to, size_t bytes, const char* what) {
      if (bytes == 0) return;
      driver.check(driver.cuMemcpyHtoDAsync(to, from, bytes, lane.stream), what);
      from += bytes;
    };
    if (input_bytes > 0) std::memcpy(from, inputs.tensors.data(), input_bytes);
    copy(arena.at(config_.weight_floats), input_bytes, "copying tensors of the instances");
    lane.inputs_there = true;
    std::memcpy(from, lane.numbers.get() + lane.numbers_there, number_bytes);
    copy(arena.at(Arena::kScalarBase + lane.numbers_there), number_bytes, "copying numbers");
    lane.numbers_there = cx.scalars;
    if (offset_bytes == 0) return;
    auto* offsets = reinterpret_cast<int32_t*>(from);
    std::memcpy(offsets, &s.offsets[0], s.offsets.size() * sizeof(int32_t));
    auto* run = reinterpret_cast<Run*>(offsets + s.offsets.size());
    if (!config_.gather_fusion) {
      for (const Batch& b : s.batches) {
        plan_gather(b, offsets, run);
        run += gather_runs(b);
      }
    }
    awaited.write_runs(run);
    copy(arena.at(layout.offsets), offset_bytes, "copying the offsets of operands");
  }

  void launch(const Schedule& s, const DeviceArena& arena, const Lane& lane, const Layout& layout,
              Profile& profile) const {
    const Driver& driver = gpu_->driver;
    driver.check(driver.cuEventRecord(lane.begin, lane.stream), "recording an event");
    Launcher launcher{*gpu_, modules_, weights_, arena, layout, lane.stream};
    Address runs = arena.at(layout.runs), gathered = arena.at(layout.gathered);
    for (const Batch& b : s.batches) {
      if (config_.gather_fusion) {
        profile.n_kernel_calls += launcher.batch(b, arena.at(0));
        continue;
      }
      if (size_t n = gather_runs(b); n > 0) {
        gpu_->copy_runs.launch(driver, gathered, arena.at(0), runs, n, lane.stream);
        runs += n * sizeof(Run);
      }
      profile.n_kernel_calls += launcher.batch(b, gathered);
    }
    driver.check(driver.cuEventRecord(lane.end, lane.stream), "recording an event");
  }

  // Waits for the GPU. What passed since the last lap and was not kernels was copying: staging,
  // launching, transfers, as far as kernels did not hide it.
  void synchronise(const Lane& lane, const char* what, Profile& profile, Timer& timer) const {
    const Driver& driver = gpu_->driver;
    driver.check(driver.cuStreamSynchronize(lane.stream), what);
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
};

}  // namespace acrobat::cuda
