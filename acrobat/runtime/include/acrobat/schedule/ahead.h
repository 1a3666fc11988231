// Schedules a flush by lookahead: passes its nodes as a graph, and turns the order into depths.
#pragma once

#include "schedule.h"

namespace acrobat {

inline void Schedule::look_ahead(Graph& graph, const BlockInfo* blocks, uint32_t last) {
  if (next_ == first_ && taken_.empty()) return;
  add_taken(graph, blocks);
  if (!lookahead_.fits()) return;
  lookahead_.order(*signals);
  put_ahead(graph, blocks, last);
}

inline void Schedule::add_taken(const Graph& graph, const BlockInfo* blocks) {
  const size_t operands = graph.args.size() - (whole_ ? first_arg_ : 0);
  lookahead_.begin(graph.n_blocks, whole_ ? next_ - first_ : taken_.size(), operands);
  position_.clear();
  if (!whole_) position_.grow(graph.bucket.size());
  uint32_t at = 0;
  each_taken(graph, blocks, [&](size_t node, size_t arg) {
    const uint32_t block = graph.block_of(node);
    lookahead_.add(block);
    if (!whole_) position_[node] = at++;
    for (int j = 0; j < blocks[block].operands; j++) {
      const uint32_t operand = node_of(graph.args[arg + static_cast<size_t>(j)]);
      if (whole_) {
        // All earlier nodes are computed.
        if (operand >= first_) lookahead_.operand(operand - static_cast<uint32_t>(first_));
      } else if (!computed(operand)) {
        lookahead_.operand(position_[operand]);
      }
    }
  });
}

// Nodes that are computed together all count as the first phase's.
inline void Schedule::put_ahead(Graph& graph, const BlockInfo* blocks, uint32_t last) {
  for (uint32_t p = 0; p <= last; p++) std::ranges::fill(graph.count[p], 0);
  auto& count = graph.count[0];
  size_t at = 0;
  each_taken(graph, blocks, [&](size_t node, size_t) {
    const auto [depth, rank] = lookahead_.place(at);
    const size_t b = size_t{depth} * graph.n_blocks + lookahead_.block(at++);
    if (b >= count.size()) graph.widen(count, b);
    graph.bucket[node] = static_cast<uint32_t>(b);
    graph.rank[node] = rank;
    count[b]++;
    if (graph.count.size() > 1) graph.phase[node] = 0;
  });
}

}  // namespace acrobat
