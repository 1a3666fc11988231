// One compiled recursion: lays out a mini-batch level by level, and runs the levels.
//
// `M` is the layout of the model, trees.h or sequences.h applied to the generated description:
//   void lay_out(const Inputs&, int threads, Plan&, Word* results)
// `D` runs the levels (cpu.h, gpu.h):
//   Config, Memory (to which results refer), Buffers (of one call), threads(), buffers(), take()
//   begin(cx, inputs, memory, buffers)                           before a mini-batch is laid out
//   compute(cx, steps, inputs, memory, buffers, profile, timer)  afterwards: computes all levels
//   tensors(memory, schedule)                                    makes Python objects of results
#pragma once

#include <acrobat/python/entry.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plan.h"

namespace cortex {

template <class M, class D>
struct Call {
  explicit Call(const D& device) : buffers(device.buffers()) {}
  Schedule schedule;
  acrobat::Context context{schedule};
  M layout;
  std::vector<Plan::Step> steps;
  std::vector<Word> results;
  std::unique_ptr<typename D::Buffers> buffers;
};

template <class M, class D>
class Program {
 public:
  using Config = typename D::Config;
  using Memory = typename D::Memory;
  using Call = cortex::Call<M, D>;

  Program(const Config& config, std::vector<acrobat::PyData> classes)
      : config_(config), classes_(std::move(classes)), device_(config) {}

  const std::vector<acrobat::PyData>& classes() const { return classes_; }

  std::shared_ptr<Memory> execute(const Inputs& inputs, Call& call, acrobat::Profile& profile) {
    acrobat::BlockCounts* counts = profile.blocks;
    profile = {};
    profile.blocks = counts;
    acrobat::Timer timer;
    std::shared_ptr<Memory> memory = device_.take();
    acrobat::Context& cx = call.context;
    Schedule& schedule = call.schedule;
    cx.words = Words();
    cx.scalars = 0;
    Arena::require(config_.arena_weight_floats);
    schedule.reset(config_.arena_weight_floats, config_.arena_weight_floats, 0);
    device_.begin(cx, inputs, *memory, *call.buffers);
    profile.copy_ms = timer.lap();
    schedule.batches.clear();
    schedule.offsets.clear();
    call.steps.clear();
    call.results.resize(inputs.n * acrobat::kResults);
    Plan plan{schedule, cx.words, call.steps};
    call.layout.lay_out(inputs, device_.threads(), plan, call.results.data());
    schedule.offsets.grow(16);  // a kernel's last tile may read offsets past the end
    profile.graph_ms = timer.lap();
    device_.compute(cx, call.steps, inputs, *memory, *call.buffers, profile, timer);
    for (const Batch& b : schedule.batches) profile.n_nodes += b.n;
    profile.n_batches = static_cast<int64_t>(schedule.batches.size());
    profile.peak_bytes = schedule.floats * 4;
    return memory;
  }

  auto tensors(std::shared_ptr<Memory> memory, const Call& call) const {
    return device_.tensors(std::move(memory), call.schedule);
  }

  // Unknown, because there is no graph.
  static int64_t min_batches(const Call&) { return 0; }

  std::unique_ptr<Call> take_call() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_.empty()) return std::make_unique<Call>(device_);
    auto call = std::move(calls_.back());
    calls_.pop_back();
    return call;
  }
  void give_call(std::unique_ptr<Call> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
  }

 private:
  Config config_;
  std::vector<acrobat::PyData> classes_;
  D device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace cortex
