// A trace of a call, node by node, batch by batch and chunk by chunk, for `fast.trace`
// (acrobat/runtime/watched_call.py reads it). Calls that are not traced have none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule.h"

namespace acrobat {

struct Trace {
  // Of each node, in order of creation: the instance that recorded it, and the batch it ran in.
  struct NodeOf {
    int32_t instance, batch;
  };
  struct BatchOf {
    int64_t n;
    int32_t block, computation;  // the number of computations before this one
    uint32_t phase, depth;
  };
  // What a thread did in one go. Times are in nanoseconds since the call began.
  struct Span {
    int64_t begin, end;
    int32_t thread, batch;  // batch -1: belongs to none, see `activity`
    int32_t activity;       // 0 kernels, 1 control flow, 2 scheduling, 3 gather copies, 4 products
    int32_t nodes;          // approximate number of nodes; 0: all
  };
  // Instances that waited for a computation.
  struct Wait {
    int32_t instance, computation;
  };

  std::vector<NodeOf> nodes;
  std::vector<BatchOf> batches;
  std::vector<Span> spans;
  std::vector<Wait> waits;

  // To be called before a call whose batches run on `threads` threads.
  void begin(int threads) {
    per_thread_.resize(static_cast<size_t>(threads));
    start_ = Clock::now();
  }

  int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

  // From node `first` on, nodes are recorded by `instance`.
  void recording(size_t first, int64_t instance) {
    if (!stretches_.empty() && stretches_.back().second == instance) return;
    stretches_.push_back({first, instance});
  }

  void waiting(int64_t instance) {
    waits.push_back({static_cast<int32_t>(instance), computations_});
  }

  // To be called after a schedule has been built.
  void scheduled(const Graph& graph, const Schedule& schedule) {
    name_instances(graph.bucket.size());
    first_of_these_ = batches.size();
    records_.clear();
    for (const Batch& b : schedule.batches) {
      const uint64_t step = b.step == 0 ? 0 : b.step - 1;
      records_.push_back(b.record);
      batches.push_back({b.n, b.block, computations_, static_cast<uint32_t>(step >> 32),
                         static_cast<uint32_t>(step)});
    }
    for (size_t i = 0; i < nodes.size(); i++) {
      if (nodes[i].batch >= 0) continue;
      const int64_t at = schedule.location[i + kReservedNodes];
      if (at >= 0) nodes[i].batch = batch_at(at);
    }
    computations_++;
  }

  // To be called before the batches of a backward run.
  void turn() {
    first_of_these_ = batches.size();
    records_.clear();
  }
  // A batch of the backward run, with its records at `record`: the adjoints, in block `block`, of
  // the nodes `of` of the graph, which were a batch in `step`. They are attributed to the instances
  // that recorded these nodes.
  void went_back(int block, uint64_t step, int64_t record, const std::vector<uint32_t>& of) {
    step = step == 0 ? 0 : step - 1;
    const auto number = static_cast<int32_t>(batches.size());
    records_.push_back(record);
    batches.push_back({static_cast<int64_t>(of.size()), block, computations_,
                       static_cast<uint32_t>(step >> 32), static_cast<uint32_t>(step)});
    for (uint32_t node : of) {
      const int32_t instance = nodes[node - kReservedNodes].instance;
      nodes.push_back({instance, number});
    }
  }

  // `thread` did something for the batch whose records include float `at`, or for none (-1).
  // Threads call this concurrently.
  void did(int thread, int activity, int64_t at, int64_t begin, int64_t n) {
    const int32_t batch = at < 0 ? -1 : batch_at(at);
    per_thread_[static_cast<size_t>(thread)].spans.push_back(
        {begin, now(), thread, batch, activity, static_cast<int32_t>(n)});
  }

  // To be called after the call, and again after its backward pass.
  void end() {
    for (auto& own : per_thread_) {
      spans.insert(spans.end(), own.spans.begin(), own.spans.end());
      own.spans.clear();
    }
    std::ranges::sort(spans, {}, &Span::begin);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct alignas(128) PerThread {
    std::vector<Span> spans;
  };

  // Records of later batches follow those of earlier ones.
  int32_t batch_at(int64_t floats) const {
    const auto after = std::ranges::upper_bound(records_, floats);
    return static_cast<int32_t>(first_of_these_ + (after - records_.begin()) - 1);
  }

  void name_instances(size_t end) {
    for (size_t s = 0; s < stretches_.size(); s++) {
      const size_t last = s + 1 < stretches_.size() ? stretches_[s + 1].first : end;
      for (size_t i = stretches_[s].first; i < last; i++) {
        nodes.push_back({static_cast<int32_t>(stretches_[s].second), -1});
      }
    }
    stretches_.clear();
  }

  Clock::time_point start_;
  std::vector<std::pair<size_t, int64_t>> stretches_;  // first node, instance
  std::vector<int64_t> records_;                       // of the current computation's batches
  size_t first_of_these_ = 0;
  int32_t computations_ = 0;
  std::vector<PerThread> per_thread_;
};

}  // namespace acrobat
