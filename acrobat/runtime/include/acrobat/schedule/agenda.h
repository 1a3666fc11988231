// The agenda scheduler, for comparison with depth-based ones.
#pragma once

#include <limits>

#include "schedule.h"

namespace acrobat {

inline void Schedule::assign_agenda(Graph& graph, const BlockInfo* blocks) {
  assign_depths(graph, blocks);
  size_t n = graph.bucket.size();
  std::vector<uint32_t> missing(n, 0);
  std::vector<std::pair<uint32_t, uint32_t>> uses;  // operand, user
  std::vector<std::vector<std::vector<uint32_t>>> ready(
      graph.count.size(), std::vector<std::vector<uint32_t>>(graph.n_blocks));
  // Per phase and block: the number of nodes left and the sum of their depths.
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> left(
      graph.count.size(), std::vector<std::pair<uint64_t, uint64_t>>(graph.n_blocks));
  auto block_of = [&](uint32_t node) { return graph.bucket[node] % graph.n_blocks; };
  size_t total = 0;
  each_taken(graph, blocks, [&](size_t node, size_t arg) {
    auto user = static_cast<uint32_t>(node);
    for (int j = 0; j < blocks[block_of(user)].operands; j++) {
      uint32_t operand = node_of(graph.args[arg + static_cast<size_t>(j)]);
      if (!computed(operand)) uses.push_back({operand, user}), missing[user]++;
    }
    auto& l = left[graph.phase_of(node)][block_of(user)];
    l.first++, l.second += depth_[node];
    if (missing[user] == 0) ready[graph.phase_of(node)][block_of(user)].push_back(user);
    total++;
  });
  std::sort(uses.begin(), uses.end());
  clear_counts(graph, blocks);
  size_t phase = 0;
  for (uint32_t step = 0; total > 0; step++) {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int b = 0; b < graph.n_blocks; b++) {
      if (ready[phase][b].empty()) continue;
      double average = static_cast<double>(left[phase][b].second) / left[phase][b].first;
      if (average < least) best = b, least = average;
    }
    if (best < 0) {
      phase++;
      continue;
    }
    auto batch = std::exchange(ready[phase][best], {});
    for (uint32_t node : batch) {
      put(graph, node, step);
      left[phase][best].first--, left[phase][best].second -= depth_[node];
      total--;
      auto use = std::lower_bound(uses.begin(), uses.end(), std::pair{node, 0u});
      for (; use != uses.end() && use->first == node; ++use) {
        uint32_t user = use->second;
        if (--missing[user] == 0) ready[graph.phase_of(user)][block_of(user)].push_back(user);
      }
    }
  }
}

}  // namespace acrobat
