// One compiled program: the state that its calls share, and a call.
//
// `Device` runs the batches (cpu/device.h, cuda/device.h):
//   Config, Memory (what results refer to), Buffers (of one call)
//   buffers(), take() -> std::shared_ptr<Memory>
//   begin(cx, inputs, memory, buffers)   before the graph is built
//   compute(cx, inputs, memory, buffers, waiting, profile, timer)
//                                        the scheduled batches, and the values that are waited for
//   finish(cx, inputs, memory, buffers, profile, timer)    afterwards everything is computed
//   tensors(memory, schedule)            makes Python objects of results (results.h)
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "call.h"
#include "errors.h"
#include "fibers/ended.h"
#include "fibers/fibers.h"
#include "fibers/stack.h"
#include "generated.h"
#include "graph/context.h"
#include "memory.h"
#include "profile.h"
#include "python/convert.h"
#include "schedule/agenda.h"
#include "schedule/ahead.h"
#include "schedule/bound.h"
#include "schedule/cluster.h"
#include "schedule/follow.h"
#include "schedule/placed.h"
#include "schedule/schedule.h"
#include "schedule/trace.h"

namespace acrobat {

template <class Device>
class Program {
 public:
  using Config = typename Device::Config;
  using Memory = typename Device::Memory;
  using Call = acrobat::Call<Device>;

  Program(const Config& config, std::vector<PyData> classes)
      : config_(config), classes_(std::move(classes)), device_(config) {}

  const std::vector<PyData>& classes() const { return classes_; }

  // Without the GIL: builds the graph, schedules it and runs the kernels. The memory that is
  // returned keeps the results alive. `trace` gets what is done, `history` all batches, in order.
  std::shared_ptr<Memory> execute(const Inputs& inputs, Call& call, Profile& profile,
                                  Trace* trace = nullptr, std::vector<Batch>* history = nullptr) {
    Run run{*this, inputs, call, profile, {}, device_.take()};
    profile = {.blocks = profile.blocks, .doubtful = profile.doubtful};
    Context& cx = call.context;
    cx.trace = trace;
    if (trace != nullptr) trace->begin(config_.threads);
    cx.words.reset();
    cx.graph.reset(kBlocks, kPhases * kSubphases);
    cx.subphases = static_cast<uint32_t>(kSubphases);
    cx.begin(kBlocks);
    cx.ahead = depths_ahead(inputs.n);
    cx.epochs.assign(static_cast<size_t>(kPhases * kSubphases), 0);
    cx.scalars = 0;
    cx.doubtful = profile.doubtful;
    int64_t start =
        config_.arena_weight_floats + align(static_cast<int64_t>(inputs.tensors.size()));
    Arena::require(start);
    cx.schedule.reset(config_.arena_weight_floats, start, Device::kNumbers);
    cx.schedule.history = history;
    cx.schedule.signals = &cx.signals;
    call.results.resize(inputs.n * kResults);
    device_.begin(cx, inputs, *run.memory, *call.buffers);
    profile.copy_ms += run.timer.lap();
    const auto scheduler = static_cast<Scheduler>(config_.scheduler);
    run.advice = choice_.advise(inputs.n, !kSuspends, scheduler);
    run.advice.places &= Device::kCosts.roomy && can_place(kBlockInfo, kBlocks);
    cx.schedule.make_room(cx.placement, kBlockInfo, kBlocks, run.advice);
    if (kSuspends) {
      run.suspending();
    } else {
      run.straight();
    }
    run.compute({static_cast<uint32_t>(kPhases * kSubphases - 1), {}, true});
    choice_.note(inputs.n, std::move(run.advice), Device::kCosts);
    device_.finish(cx, inputs, *run.memory, *call.buffers, profile, run.timer);
    profile.n_nodes = static_cast<int64_t>(cx.graph.n_nodes());
    profile.n_batches = cx.schedule.n_batches;
    profile.peak_bytes = (cx.schedule.floats - cx.schedule.spare) * 4;
    profile.spare_bytes = cx.schedule.spare * 4;
    if (trace != nullptr) trace->end();
    return run.memory;
  }

  // The least number of batches that the graph of the call's last mini-batch could run in.
  static int64_t min_batches(const Call& call) {
    return Schedule::min_batches(call.context.graph, kBlockInfo);
  }

  // Returns a maker of Python objects for a call's results.
  auto tensors(std::shared_ptr<Memory> memory, const Call& call) const {
    return device_.tensors(std::move(memory), call.context.schedule);
  }

  std::unique_ptr<Call> take_call() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_.empty()) {
      return std::make_unique<Call>(static_cast<size_t>(config_.stack_bytes), device_);
    }
    auto call = std::move(calls_.back());
    calls_.pop_back();
    return call;
  }
  void give_call(std::unique_ptr<Call> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
  }

  Device& device() { return device_; }

  // Gives the memory that no call uses back to the system.
  void give_back() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      calls_.clear();
    }
    if constexpr (requires { device_.give_back(); }) device_.give_back();
  }

 private:
  // One mini-batch in progress.
  struct Run {
    Program& program;
    const Inputs& inputs;
    Call& call;
    Profile& profile;
    Timer timer;
    std::shared_ptr<Memory> memory;
    EndedNodes ended{};  // of a program that waits
    // Whether schedules by lookahead are tried, and what came of it.
    Advice advice{};
    // When the calling thread's current activity began, in a call that is traced.
    int64_t began = 0;

    void instance(size_t i) {
      call.context.depth = 0;
      call.context.phase = 0;
      build_instance(call.context, &inputs.arguments[i * kParameters], &call.results[i * kResults]);
    }

    [[noreturn]] static void fail(int64_t instance, const InstanceFault& fault) {
      throw InstanceFault("instances[" + std::to_string(instance) + "]: " + fault.what());
    }

    // Runs a program that never waits: one instance after the other, on one stack.
    void straight() {
      call.context.stack = &call.stack;
      call.context.stack_limit = call.stack.granted();
      call.context.memo_limit = std::midpoint(call.stack.end(), call.stack.top());
      call.stack.run([&] {
        size_t i = 0;
        try {
          for (; i < inputs.n; i++) {
            if (call.context.trace != nullptr) {
              call.context.trace->recording(call.context.graph.bucket.size(),
                                            static_cast<int64_t>(i));
            }
            instance(i);
          }
        } catch (const InstanceFault& fault) {
          fail(static_cast<int64_t>(i), fault);
        }
      });
      call.stack.shrink(call.context.stack_limit);
      profile.graph_ms += timer.lap();
    }

    // Runs a program that waits: every instance is a fiber. If the option `fibers` is off, one
    // instance ends before the next begins, and branches run one after the other.
    void suspending() {
      Fibers& fibers = call.fibers;
      call.context.fibers = &fibers;
      call.context.forks = program.config_.fibers != 0;
      auto body = [](void* self, int64_t i) {
        static_cast<Run*>(self)->instance(static_cast<size_t>(i));
      };
      try {
        if (program.config_.fibers) {
          for (size_t i = inputs.n; i-- > 0;) start(body, i);
          drive();
        } else {
          for (size_t i = 0; i < inputs.n; i++) {
            start(body, i);
            drive();
          }
        }
      } catch (const InstanceFault& fault) {
        int64_t failed = fibers.failed_instance();
        fibers.reset();
        fail(failed, fault);
      } catch (...) {
        fibers.reset();
        throw;
      }
    }

    void start(void (*body)(void*, int64_t), size_t i) {
      Fiber* f = call.fibers.spawn(nullptr, body, this, static_cast<int64_t>(i));
      f->depth = 0;
      f->phase = 0;
      f->instance = static_cast<int64_t>(i);
    }

    // Runs all fibers to their ends, computing whenever all of them wait.
    void drive() {
      Context& cx = call.context;
      Fibers& fibers = call.fibers;
      while (true) {
        fibers.run(
            [&](Fiber& f) {
              cx.depth = f.depth;
              cx.phase = f.phase;
              cx.stack_limit = f.granted;
              cx.memo_limit = std::midpoint(Fibers::end_of_stack(f), fibers.top_of_stack(f));
              ended.recording(cx.graph.bucket.size(), f.instance);
              if (cx.trace != nullptr) cx.trace->recording(cx.graph.bucket.size(), f.instance);
            },
            [&](Fiber& f) {
              if (f.siblings == nullptr) ended.end(f.instance);
              if (f.last_depth == nullptr) return;
              *f.last_depth = cx.depth;
              *f.last_epoch = cx.epochs[cx.phase];
            });
        if (fibers.suspended().empty()) {
          // Calls that wait for each other: without memoisation their recursion would not end.
          if (fibers.waiting() > 0) fail_stack();
          return;
        }
        uint32_t phase = static_cast<uint32_t>(kPhases * kSubphases);
        for (Fiber* f : fibers.suspended()) phase = std::min(phase, f->phase);
        // Not if objects are shared: other instances may then read what the ended ones computed.
        const auto& nodes = ended.take(cx.graph.bucket.size(), !inputs.shared);
        if (cx.trace != nullptr) {
          for (Fiber* f : fibers.suspended()) cx.trace->waiting(f->instance);
        }
        compute({phase, nodes, false});
        for (Fiber* f : fibers.suspended()) {
          if (f->phase <= phase) f->depth = 0;
        }
        fibers.resume_all();
        profile.n_syncs++;
      }
    }

    // Schedules and computes the recorded nodes that a flush takes.
    void compute(const Flush& flush) {
      Context& cx = call.context;
      cx.signals.look();
      profile.graph_ms += timer.lap();
      trace(1);
      cx.schedule.build(cx.graph, kBlockInfo, flush, Device::kCosts, advice, cx.placement);
      for (uint32_t p = 0; p <= flush.last; p++) cx.epochs[p]++;
      profile.schedule_ms += timer.lap();
      trace(2);
      if (cx.trace != nullptr) cx.trace->scheduled(cx.graph, cx.schedule);
      for (const Batch& b : cx.schedule.batches) {
        BlockCounts& counts = profile.blocks[b.block];
        counts.nodes += b.n;
        counts.batches++;
        counts.alone += b.n == 1;
      }
      program.device_.compute(cx, inputs, *memory, *call.buffers, call.fibers.suspended(), profile,
                              timer);
      if (cx.trace != nullptr) began = cx.trace->now();
    }

    // Traces what the calling thread has done since `began`.
    void trace(int activity) {
      Trace* to = call.context.trace;
      if (to == nullptr) return;
      to->did(0, activity, -1, began, 0);
      began = to->now();
    }
  };

  Config config_;
  std::vector<PyData> classes_;
  Device device_;
  Choice choice_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace acrobat
