// The levels of a mini-batch on the CPU: one call of the team runs them all.
#pragma once

#include <acrobat/cpu/device.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plan.h"

namespace cortex {

class Cpu {
 public:
  using Config = acrobat::Config;
  using Memory = Arena;
  using Buffers = std::vector<acrobat::Executor::Scratch>;  // of every thread

  explicit Cpu(const Config& config)
      : config_(config),
        team_(config.threads),
        sharing_(acrobat::kBlockInfo, acrobat::kPlans, acrobat::kOperandWidths, acrobat::kBlocks,
                 config.threads),
        arenas_(std::make_shared<acrobat::ArenaPool>()) {}

  int threads() const { return team_.size(); }
  std::unique_ptr<Buffers> buffers() const {
    return std::make_unique<Buffers>(static_cast<size_t>(team_.size()));
  }
  std::shared_ptr<Arena> take() const { return arenas_->take(); }

  void begin(acrobat::Context&, const Inputs&, Arena& arena, Buffers&) {
    team_.wake();
    arena.provide(config_.arena_weight_floats);
    acrobat::place_weights(config_, arena);
  }

  void compute(acrobat::Context& cx, const std::vector<Plan::Step>& steps, const Inputs&,
               Arena& arena, Buffers& scratch, acrobat::Profile& profile, acrobat::Timer& timer) {
    arena.provide(cx.schedule.floats);
    acrobat::Executor executor{acrobat::kBlockInfo, acrobat::kPlans, config_.packed, config_.tables,
                               sharing_};
    {
      std::lock_guard<std::mutex> lock(team_.mutex());
      run(executor, cx.schedule, steps, arena.base(), scratch);
    }
    profile.kernel_ms = timer.lap();
    profile.n_kernel_calls = executor.kernel_calls(cx.schedule);
  }

  acrobat::HostTensors tensors(std::shared_ptr<Arena> arena, const Schedule&) const {
    return acrobat::HostTensors(std::move(arena), config_.arena_weight_floats);
  }

 private:
  // One unit for every thread.
  struct Each {
    int threads, at_once = 1, least = 1;
    int units(int) const { return 1; }
    int units() const { return threads; }
  };

  void run(const acrobat::Executor& executor, const Schedule& s,
           const std::vector<Plan::Step>& steps, float* arena, Buffers& scratch) {
    bool all_shared = true;
    for (const Plan::Step& step : steps) all_shared = all_shared && step.shared;
    if (all_shared) return executor.run(s, arena, team_, scratch[0]);
    std::vector<float*> temporaries;
    for (auto& own : scratch) temporaries.push_back(own.aligned(executor.scratch_floats(s)));
    team_.run([&](acrobat::Place& place) {
      auto nodes = [&](size_t b, float* where) {
        return acrobat::Executor::nodes_of(s, s.batches[b], arena, where);
      };
      size_t begin = 0;
      for (const Plan::Step& step : steps) {
        if (step.shared) {
          for (size_t b = begin; b < step.end; b++) {
            executor.divided(nodes(b, temporaries[0]), place);
          }
        } else {
          // A thread's own levels are one unit: each reads the one before.
          place.divide(Each{team_.size()}, [&](int owner, acrobat::Units) {
            const auto t = static_cast<size_t>(owner);
            for (size_t b = t == 0 ? begin : step.own[t - 1]; b < step.own[t]; b++) {
              executor.whole(nodes(b, temporaries[t]));
            }
          });
        }
        begin = step.end;
      }
    });
  }

  Config config_;
  acrobat::Team team_;
  acrobat::Sharing sharing_;
  std::shared_ptr<acrobat::ArenaPool> arenas_;
};

}  // namespace cortex
