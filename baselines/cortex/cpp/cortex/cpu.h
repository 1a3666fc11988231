// Runs the levels of a mini-batch on the CPU, all in one call of the thread pool.
#pragma once

#include <acrobat/cpu/device.h>

#include <memory>
#include <utility>
#include <vector>

#include "plan.h"

namespace cortex {

class Cpu {
 public:
  using Config = acrobat::Config;
  using Memory = Arena;
  using Buffers = std::vector<acrobat::Executor::Scratch>;  // one per thread

  explicit Cpu(const Config& config)
      : config_(config),
        pool_(config.threads),
        partitioner_(acrobat::kBlockInfo, acrobat::kPlans, acrobat::kOperandWidths,
                     acrobat::kBlocks, config.threads),
        arenas_(std::make_shared<acrobat::ArenaPool>()) {}

  int threads() const { return pool_.size(); }
  std::unique_ptr<Buffers> buffers() const {
    return std::make_unique<Buffers>(static_cast<size_t>(pool_.size()));
  }
  std::shared_ptr<Arena> take() const { return arenas_->take(); }

  void begin(acrobat::Context&, const Inputs&, Arena& arena, Buffers&) {
    pool_.wake();
    arena.provide(config_.arena_weight_floats);
    acrobat::ArenaWeights(config_, arena).place();
  }

  void compute(acrobat::Context& cx, const std::vector<Plan::Step>& steps, const Inputs&,
               Arena& arena, Buffers& scratch, acrobat::Profile& profile, acrobat::Timer& timer) {
    arena.provide(cx.schedule.floats);
    acrobat::Executor executor{acrobat::kBlockInfo, acrobat::kPlans, config_.packed, config_.tables,
                               partitioner_};
    {
      acrobat::PoolTurn turn(pool_, cx.signals);
      run(executor, cx.schedule, steps, arena.base(), turn, scratch);
    }
    profile.kernel_ms = timer.lap();
    profile.n_kernel_calls = executor.kernel_calls(cx.schedule);
  }

  acrobat::HostTensors tensors(std::shared_ptr<Arena> arena, const Schedule& schedule) const {
    return acrobat::HostTensors(std::move(arena), config_.arena_weight_floats, schedule.floats);
  }

 private:
  // A partition with one chunk per thread.
  struct Each {
    int threads, at_once = 1, least = 1;
    int chunks(int) const { return 1; }
    int chunks() const { return threads; }
  };

  void run(const acrobat::Executor& executor, const Schedule& s,
           const std::vector<Plan::Step>& steps, float* arena, acrobat::PoolTurn& turn,
           Buffers& scratch) {
    bool all_shared = true;
    for (const Plan::Step& step : steps) all_shared = all_shared && step.shared;
    if (all_shared) return executor.run(s, arena, turn, scratch[0]);
    std::vector<float*> temporaries;
    for (auto& own : scratch)
      temporaries.push_back(own.aligned(executor.scratch_floats(s.batches)));
    pool_.run([&](acrobat::Worker& worker) {
      auto nodes = [&](size_t b, float* where) {
        return acrobat::Executor::nodes_of(s, s.batches[b], arena, where);
      };
      size_t begin = 0;
      for (const Plan::Step& step : steps) {
        if (step.shared) {
          for (size_t b = begin; b < step.end; b++) {
            executor.run_partitioned(nodes(b, temporaries[0]), worker, arena);
          }
        } else {
          // All levels of a thread form one chunk, because each reads the previous one.
          worker.run_partitioned(Each{pool_.size()}, [&](int owner, acrobat::Chunks) {
            const auto t = static_cast<size_t>(owner);
            for (size_t b = t == 0 ? begin : step.own[t - 1]; b < step.own[t]; b++) {
              executor.run_on_one(nodes(b, temporaries[t]));
            }
          });
        }
        begin = step.end;
      }
    });
  }

  Config config_;
  acrobat::ThreadPool pool_;
  acrobat::Partitioner partitioner_;
  std::shared_ptr<acrobat::ArenaPool> arenas_;
};

}  // namespace cortex
