// One compiled recursion: lays a mini-batch out level by level and runs the levels.
//
// `M` is the layout of the model, trees.h or sequences.h over what the compiler has generated:
//   void lay_out(const Inputs&, int64_t start, int threads, Plan&, Word* results)
#pragma once

#include <acrobat/cpu_device.h>
#include <acrobat/entry.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cortex {

using acrobat::Arena;
using acrobat::Batch;
using acrobat::Handle;
using acrobat::Inputs;
using acrobat::Schedule;
using acrobat::Word;
using acrobat::Words;

// A handle to what lies at an offset in the arena.
inline Handle at(int64_t offset) { return acrobat::part(acrobat::kWeightNode, offset); }

// The batches of a mini-batch, in order, and the offsets of their operands. A *step* is a run of
// batches after which the threads meet: in a shared one every batch is divided among the threads
// (and they meet whenever a kernel was), in the others every thread has batches of its own, which
// only read what that thread has computed in this step or any in an earlier one.
struct Plan {
  struct Step {
    bool shared;
    size_t end;               // behind its last batch
    std::vector<size_t> own;  // of each thread, behind its last batch
  };

  Schedule& schedule;
  Words& words;
  std::vector<Step>& steps;

  // Adds `n` nodes of a block; they are filled in through `operand`.
  Batch& add(int block, uint32_t n) {
    const acrobat::BlockInfo& info = acrobat::kBlockInfo[block];
    Batch batch{block, n, schedule.floats, schedule.offsets.size()};
    schedule.offsets.grow(static_cast<size_t>(n) * (info.rows + info.tables));
    schedule.floats += n * info.record;
    Arena::require(schedule.floats);
    schedule.batches.push_back(batch);
    return schedule.batches.back();
  }
  int32_t& operand(const Batch& b, int number, uint32_t node) {
    return schedule.offsets[b.first + static_cast<size_t>(number) * b.n + node];
  }
  static int64_t record(const Batch& b, uint32_t node) {
    return b.record + node * acrobat::kBlockInfo[b.block].record;
  }
  void end_shared_step() { steps.push_back({true, schedule.batches.size(), {}}); }
};

struct Context {
  Schedule schedule;
  Words words;
};

template <class M>
struct Call {
  Context context;
  M layout;
  std::vector<Plan::Step> steps;
  std::vector<Word> results;
  std::vector<acrobat::Executor::Scratch> scratch;  // of every thread
};

template <class M>
class Program {
 public:
  using Config = acrobat::Config;
  using Profile = acrobat::Profile;

  Program(const Config& config, std::vector<acrobat::PyData> classes)
      : config_(config),
        classes_(std::move(classes)),
        team_(config.threads),
        sharing_(acrobat::kBlockInfo, acrobat::kPlans, acrobat::kRowWidths, acrobat::kBlocks,
                 config.threads),
        arenas_(std::make_shared<acrobat::ArenaPool>()) {}

  const std::vector<acrobat::PyData>& classes() const { return classes_; }

  std::shared_ptr<Arena> execute(const Inputs& inputs, Call<M>& call, Profile& profile) {
    int64_t* alone = profile.alone;
    profile = {};
    profile.alone = alone;
    acrobat::Timer timer;
    std::shared_ptr<Arena> arena = arenas_->take();
    Schedule& schedule = call.context.schedule;
    call.context.words = Words();
    team_.wake();
    Arena::require(config_.weight_floats);
    arena->provide(config_.weight_floats);
    place_weights(*arena);
    profile.copy_ms = timer.lap();
    schedule.reset(config_.weight_floats, config_.weight_floats);
    schedule.batches.clear();
    schedule.offsets.clear();
    call.steps.clear();
    call.results.resize(inputs.n * acrobat::kResults);
    Plan plan{schedule, call.context.words, call.steps};
    call.layout.lay_out(inputs, team_.size(), plan, call.results.data());
    schedule.offsets.grow(16);  // a kernel's last tile may look past the end
    arena->provide(schedule.floats);
    profile.graph_ms = timer.lap();
    acrobat::Executor executor{acrobat::kBlockInfo, acrobat::kPlans, config_.packed, config_.tables,
                               sharing_};
    {
      std::lock_guard<std::mutex> lock(team_.mutex());
      run(executor, call, arena->base());
    }
    profile.kernel_ms = timer.lap();
    for (const Batch& b : schedule.batches) profile.n_nodes += b.n;
    profile.n_batches = static_cast<int64_t>(schedule.batches.size());
    profile.n_kernel_calls = executor.kernel_calls(schedule);
    profile.peak_bytes = schedule.floats * 4;
    return arena;
  }

  acrobat::HostTensors tensors(std::shared_ptr<Arena> arena, const Call<M>&) const {
    return acrobat::HostTensors(std::move(arena));
  }

  // Not known: there is no graph.
  static int64_t min_batches(const Call<M>&) { return 0; }

  std::unique_ptr<Call<M>> take_call() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_.empty()) return std::make_unique<Call<M>>();
    auto call = std::move(calls_.back());
    calls_.pop_back();
    return call;
  }
  void give_call(std::unique_ptr<Call<M>> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
  }

 private:
  void run(const acrobat::Executor& executor, Call<M>& call, float* arena) {
    const Schedule& s = call.context.schedule;
    call.scratch.resize(static_cast<size_t>(team_.size()));
    bool all_shared = true;
    for (const Plan::Step& step : call.steps) all_shared = all_shared && step.shared;
    if (all_shared) return executor.run(s, arena, team_, call.scratch[0]);
    std::vector<float*> temporaries;
    for (auto& scratch : call.scratch) {
      temporaries.push_back(scratch.aligned(executor.scratch_floats(s)));
    }
    team_.run([&](int thread) {
      auto one = [&](size_t b, float* scratch, int part, int parts, bool& together) {
        const Batch& batch = s.batches[b];
        executor.batch(batch, &s.offsets[batch.first], arena, arena, scratch, part, parts, team_,
                       together);
      };
      bool together = true;
      size_t begin = 0;
      for (const Plan::Step& step : call.steps) {
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

  void place_weights(Arena& arena) const {
    if (arena.weights_placed) return;
    float* base = arena.base();
    for (int i = 0; i < config_.n_weight_rows; i++) {
      std::memcpy(base, config_.weight_rows[i], config_.weight_row_floats[i] * sizeof(float));
      base += (config_.weight_row_floats[i] + 15) / 16 * 16;
    }
    arena.weights_placed = true;
  }

  Config config_;
  std::vector<acrobat::PyData> classes_;
  acrobat::Team team_;
  acrobat::Sharing sharing_;
  std::shared_ptr<acrobat::ArenaPool> arenas_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call<M>>> calls_;
};

}  // namespace cortex
