// The CPU as the device that runs the batches, in the memory of the process, without transfers.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../config.h"
#include "../fibers/fibers.h"
#include "../generated.h"
#include "../graph/context.h"
#include "../profile.h"
#include "../python/convert.h"
#include "../python/results.h"
#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "arena_weights.h"
#include "executor.h"
#include "gathered.h"
#include "pieces.h"
#include "pool_turn.h"

namespace acrobat {

class CpuDevice {
 public:
  using Config = acrobat::Config;
  using Memory = Arena;
  using Buffers = Executor::Scratch;
  static constexpr int64_t kNumbers = Arena::kNumbers;
  static constexpr Costs kCosts = {.batch_ns = 500, .work_per_ns = 100, .roomy = true};

  explicit CpuDevice(const Config& config)
      : config_(config),
        pool_(config.threads),
        partitioner_(kBlockInfo, kPlans, kOperandWidths, kBlocks, config.threads),
        arenas_(std::make_shared<ArenaPool>()) {}

  std::unique_ptr<Buffers> buffers() const { return std::make_unique<Buffers>(); }
  std::shared_ptr<Arena> take() const { return arenas_->take(); }

  // Puts the initial data into the arena: the tensors of the instances, and the weights that are
  // read through references, unless these are placed later, when it is known what is read of them.
  void begin(Context& cx, const Inputs& inputs, Arena& arena, Buffers&) {
    pool_.wake();
    provide(cx, arena);
    if (!places_what_is_read(cx)) ArenaWeights(config_, arena).place();
    float* const to = arena.base() + config_.arena_weight_floats;
    const std::vector<float>& tensors = inputs.tensors;
    cx.signals.in_stretches(0, tensors.size(), [&](size_t first, size_t last) {
      std::memcpy(to + first, tensors.data() + first, (last - first) * sizeof(float));
    });
  }

  // Runs the scheduled batches. Afterwards the values that fibers wait for can be read.
  void compute(Context& cx, const Inputs&, Arena& arena, Buffers& scratch,
               const std::vector<Fiber*>&, Profile& profile, Timer& timer) {
    const Schedule& schedule = cx.schedule;
    if (schedule.batches.empty()) return;
    provide(cx, arena);
    if (places_what_is_read(cx)) {
      ArenaWeights(config_, arena).place_read(schedule, kBlockInfo, kOperandWidths);
      profile.copy_ms += timer.lap();
    }
    Executor executor{kBlockInfo, kPlans, config_.packed, config_.tables, partitioner_, cx.trace};
    profile.n_kernel_calls += executor.kernel_calls(schedule);
    PoolTurn turn(pool_, cx.signals);
    if (config_.gather_fusion) {
      executor.run(schedule, arena.base(), turn, scratch);
      profile.kernel_ms += timer.lap();
      return;
    }
    double copied = 0, ran = 0;
    executor.run_gathered(schedule, arena.base(), turn, scratch, kOperandWidths,
                          [&](bool begins) { (begins ? ran : copied) += timer.lap(); });
    profile.kernel_ms += ran + timer.lap();
    profile.copy_ms += copied;
  }

  void finish(Context&, const Inputs&, Arena&, Buffers&, Profile&, Timer&) const {}

  // Puts these floats into the arena if they are part of a weight, so that a result can be made.
  void place(Arena& arena, int64_t offset, int64_t floats) const {
    ArenaWeights(config_, arena).place(offset, floats);
  }

  // Calls f(executor, turn), while no other call uses the pool.
  template <class F>
  void with_pool(Signals& signals, F&& f) {
    PoolTurn turn(pool_, signals);
    f(Executor{kBlockInfo, kPlans, config_.packed, config_.tables, partitioner_}, turn);
  }

  HostTensors tensors(std::shared_ptr<Arena> arena, const Schedule& schedule) const {
    return HostTensors(std::move(arena), config_.arena_weight_floats, schedule.floats);
  }

  // Gives memory that no call uses back to the system.
  void give_back() const { arenas_->clear(); }

 private:
  // True in training, unless the program itself reads tensors.
  static bool places_what_is_read(const Context& cx) {
    return cx.schedule.history != nullptr && !kSuspends;
  }

  static void provide(Context& cx, Arena& arena) {
    arena.provide(cx.schedule.floats);
    cx.values = arena.base();
    cx.numbers = arena.base() + kNumbers;
  }

  Config config_;
  ThreadPool pool_;
  Partitioner partitioner_;
  std::shared_ptr<ArenaPool> arenas_;
};

}  // namespace acrobat
