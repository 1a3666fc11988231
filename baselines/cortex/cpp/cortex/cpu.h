// The levels of a mini-batch on the CPU: one call of the team runs them all.
#pragma once

#include <acrobat/cpu_device.h>

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
        sharing_(acrobat::kBlockInfo, acrobat::kPlans, acrobat::kRowWidths, acrobat::kBlocks,
                 config.threads),
        arenas_(std::make_shared<acrobat::ArenaPool>()) {}

  int threads() const { return team_.size(); }
  std::unique_ptr<Buffers> buffers() const {
    return std::make_unique<Buffers>(static_cast<size_t>(team_.size()));
  }
  std::shared_ptr<Arena> take() const { return arenas_->take(); }

  void begin(acrobat::Context&, const Inputs&, Arena& arena, Buffers&) {
    team_.wake();
    arena.provide(config_.weight_floats);
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
    return acrobat::HostTensors(std::move(arena), config_.weight_floats);
  }

 private:
  void run(const acrobat::Executor& executor, const Schedule& s,
           const std::vector<Plan::Step>& steps, float* arena, Buffers& scratch) {
    bool all_shared = true;
    for (const Plan::Step& step : steps) all_shared = all_shared && step.shared;
    if (all_shared) return executor.run(s, arena, team_, scratch[0]);
    std::vector<float*> temporaries;
    for (auto& own : scratch) temporaries.push_back(own.aligned(executor.scratch_floats(s)));
    team_.run([&](int thread) {
      auto one = [&](size_t b, float* where, int part, int parts, bool& together) {
        const Batch& batch = s.batches[b];
        executor.batch(batch, &s.offsets[batch.first], arena, arena, where, part, parts, team_,
                       together);
      };
      bool together = true;
      size_t begin = 0;
      for (const Plan::Step& step : steps) {
        if (step.shared) {
          for (size_t b = begin; b < step.end; b++) {
            one(b, temporaries[0], thread, team_.size(), together);
          }
        } else {
          if (!together) team_.barrier();
          size_t t = static_cast<size_t>(thread);
          for (size_t b = t == 0 ? begin : step.own[t - 1]; b < step.own[t]; b++) {
            bool alone = true;
            one(b, temporaries[t], 0, 1, alone);
          }
          team_.barrier();
          together = true;
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
