// Makes nodes that chose the same matrix of a table (an expert, a relation) neighbours in their
// batch, so that a kernel reads the matrix once for all of them.
#pragma once

#include <algorithm>

#include "schedule.h"

namespace acrobat {

inline void Schedule::cluster(Graph& graph, const BlockInfo* blocks, size_t size) {
  auto clusters = [&](const Batch& b) { return blocks[b.block].n_clustered > 0 && b.n > 1; };
  if (std::none_of(batches.begin(), batches.end(), clusters)) return;
  // A batch's choices begin where its offsets do, so there is room for its nodes.
  choices_.clear();
  Choice* choices = choices_.grow(size);
  each_taken(graph, blocks, [&](size_t node, size_t arg) {
    const BlockInfo& info = blocks[graph.bucket[node] % graph.n_blocks];
    if (info.n_clustered == 0) return;
    const Place& p = places_[graph.phase_of(node)][graph.bucket[node]];
    const int64_t* args = &graph.args[arg];
    const auto choice = static_cast<uint64_t>(args[info.clustered[0]]);
    choices[p.first + graph.rank[node]] = {choice << 32 | node, args};
  });
  for (const Batch& b : batches) {
    if (!clusters(b)) continue;
    const BlockInfo& info = blocks[b.block];
    Choice* first = choices + b.first;
    // Nodes that agree in all choices stay in order of creation.
    auto before = [&](const Choice& x, const Choice& y) {
      if (x.first >> 32 == y.first >> 32) {
        for (int i = 1; i < info.n_clustered; i++) {
          const int64_t of_x = x.args[info.clustered[i]], of_y = y.args[info.clustered[i]];
          if (of_x != of_y) return of_x < of_y;
        }
      }
      return x.first < y.first;
    };
    if (std::is_sorted(first, first + b.n, before)) continue;
    std::sort(first, first + b.n, before);
    for (uint32_t i = 0; i < b.n; i++) graph.rank[static_cast<uint32_t>(first[i].first)] = i;
  }
}

}  // namespace acrobat
