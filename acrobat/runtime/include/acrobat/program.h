// One compiled program: state shared by its calls, and the functions Python calls (through ctypes,
// with the GIL). The generated file defines the tables and `build_instance`.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "context.h"
#include "convert.h"
#include "executor.h"

namespace acrobat {

// Defined by the generated program.
extern const int kBlocks, kDataTypes, kParameters, kResults;
extern const BlockInfo kBlockInfo[];
extern const BlockKernels kPlans[];
extern const int* const kRowWidths[];
extern const DataType kDataType[];
extern const FieldType kParameter[];
extern const FieldType kResult[];
extern const char kResultShape[];  // "(tt)": a tuple of two; "t": the value itself
void build_instance(Context& cx, const Word* arguments, Word* results);

struct Config {
  int threads;
  int inline_depth, gather_fusion;
  int64_t stack_bytes;
  const float* const* packed;
  const float* const* tables;
  const float* const* weight_rows;
  const int64_t* weight_row_floats;
  int n_weight_rows;
  int64_t weight_floats;  // all weight rows together, aligned
};

struct Profile {
  double graph_ms, schedule_ms, copy_ms, kernel_ms;
  int64_t n_nodes, n_batches, n_kernel_calls, min_batches, peak_bytes;
};

class Timer {
 public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Buffers of one call, reused by later ones.
struct Call {
  explicit Call(size_t stack_bytes) : stack(stack_bytes) {}
  Stack stack;
  Context context;
  Schedule schedule;
  std::vector<Word> results;
};

class Program {
 public:
  Program(const Config& config, std::vector<PyData> classes)
      : config_(config),
        classes_(std::move(classes)),
        team_(config.threads),
        arenas_(std::make_shared<ArenaPool>()) {}

  const std::vector<PyData>& classes() const { return classes_; }

  // Without the GIL: graph, schedule, kernels. `arena` keeps the results alive.
  std::shared_ptr<Arena> execute(const Inputs& inputs, Call& call, Profile& profile) {
    Timer timer;
    Context& cx = call.context;
    cx.words = Words();
    cx.graph.reset(kBlocks, config_.inline_depth);
    cx.stack_limit = call.stack.limit();
    call.results.resize(inputs.n * kResults);
    size_t instance = 0;
    call.stack.run([&] {
      for (; instance < inputs.n; instance++) {
        cx.depth = 0;
        try {
          build_instance(cx, &inputs.arguments[instance * kParameters],
                         &call.results[instance * kResults]);
        } catch (const InstanceFault& fault) {
          throw InstanceFault("instances[" + std::to_string(instance) + "]: " + fault.what());
        }
      }
    });
    profile.graph_ms = timer.lap();
    if (!config_.inline_depth) cx.graph.assign_depths(kBlockInfo);
    auto aligned = [](int64_t n) { return (n + 15) / 16 * 16; };
    int64_t input_floats = aligned(static_cast<int64_t>(inputs.tensors.size()));
    int64_t start = config_.weight_floats + input_floats;
    call.schedule.build(cx.graph, kBlockInfo, config_.weight_floats, start);
    profile.schedule_ms = timer.lap();
    std::shared_ptr<Arena> arena = arenas_->take();
    if (!arena->weights_placed) place_weights(arena->base());
    arena->weights_placed = true;
    if (!inputs.tensors.empty()) {
      std::memcpy(arena->base() + config_.weight_floats, inputs.tensors.data(),
                  inputs.tensors.size() * sizeof(float));
    }
    profile.copy_ms = timer.lap();
    Executor executor{kBlockInfo, kPlans, config_.packed, config_.tables,
                      config_.gather_fusion != 0};
    {
      std::lock_guard<std::mutex> lock(team_.mutex());
      if (config_.gather_fusion) {
        executor.run(call.schedule, arena->base(), team_);
        profile.kernel_ms = timer.lap();
      } else {
        double copied = 0, ran = 0;
        executor.run_gathered(call.schedule, arena->base(), team_, kRowWidths,
                              [&](bool begins) { (begins ? ran : copied) += timer.lap(); });
        profile.kernel_ms = ran + timer.lap();
        profile.copy_ms += copied;
      }
    }
    profile.n_nodes = static_cast<int64_t>(cx.graph.n_nodes());
    profile.n_batches = static_cast<int64_t>(call.schedule.batches.size());
    profile.n_kernel_calls = executor.kernel_calls(call.schedule);
    profile.peak_bytes = call.schedule.floats * 4;
    profile.min_batches = 0;
    return arena;
  }

  // A lower bound on the number of batches: a batch holds one block, and a chain of dependent
  // nodes needs a batch for each of its nodes; so per block its longest chain, summed.
  static int64_t min_batches(const Graph& graph) {
    int64_t total = 0;
    for (int kind = 0; kind < graph.n_blocks; kind++) {
      std::vector<int32_t> chain(graph.bucket.size(), 0);
      int32_t longest = 0;
      size_t at = 0;
      for (size_t i = kReservedNodes; i < graph.bucket.size(); i++) {
        int block = static_cast<int>(graph.bucket[i] % graph.n_blocks);
        int32_t c = 0;
        for (int j = 0; j < kBlockInfo[block].rows; j++) {
          c = std::max(c, chain[node_of(graph.args[at + j])]);
        }
        at += kBlockInfo[block].rows + kBlockInfo[block].tables;
        chain[i] = c + (block == kind);
        longest = std::max(longest, chain[i]);
      }
      total += longest;
    }
    return total;
  }

  std::unique_ptr<Call> take_call() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (calls_.empty()) return std::make_unique<Call>(static_cast<size_t>(config_.stack_bytes));
    auto call = std::move(calls_.back());
    calls_.pop_back();
    return call;
  }
  void give_call(std::unique_ptr<Call> call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back(std::move(call));
  }

 private:
  void place_weights(float* base) const {
    for (int i = 0; i < config_.n_weight_rows; i++) {
      std::memcpy(base, config_.weight_rows[i], config_.weight_row_floats[i] * sizeof(float));
      base += (config_.weight_row_floats[i] + 15) / 16 * 16;
    }
  }

  Config config_;
  std::vector<PyData> classes_;
  Team team_;
  std::shared_ptr<ArenaPool> arenas_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace acrobat
