// Schedules by lookahead, or by a block order that it found before, where that pays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "schedule.h"

namespace acrobat {

inline void Schedule::choose(Graph& graph, const BlockInfo* blocks, const Flush& flush,
                             const Costs& costs, Advice& advice) {
  if (advice.order != nullptr && whole_) {
    if (!advice.misfits(find_places(graph, blocks, *advice.order))) {
      follow(graph, flush.last, advice);
    } else {
      // The buckets are no longer those of inline depth, but the counts still are.
      advice.renewed = true;
      look(graph, blocks, flush, costs, advice, true);
    }
  } else if (advice.looks) {
    look(graph, blocks, flush, costs, advice, false);
  }
}

// Looks ahead, and adopts the result if it pays, or `always`.
inline void Schedule::look(Graph& graph, const BlockInfo* blocks, const Flush& flush,
                           const Costs& costs, Advice& advice, bool always) {
  advice.looked = true;
  if (advice.order != nullptr) advice.rooms = nullptr;
  advice.order = nullptr;
  Compared here;
  here.nodes = static_cast<int64_t>(whole_ ? next_ - first_ : taken_.size());
  for (uint32_t p = 0; p <= flush.last; p++) {
    const auto& count = graph.count[p];
    for (size_t b = 0; b < count.size(); b++) {
      if (count[b] == 0) continue;
      here.inline_depth++;
      here.work += count[b] * blocks[b % static_cast<size_t>(graph.n_blocks)].work;
    }
  }
  here.lookahead = here.inline_depth;
  if (here.nodes > 0 && (always || here.inline_depth >= kFew)) {
    add_taken(graph, blocks);
    if (lookahead_.fits()) {
      here.lookahead = lookahead_.order(*signals);
      const auto n_blocks = static_cast<size_t>(graph.n_blocks);
      if (advice.follows && whole_ && Order::fits(lookahead_.blocks().size(), n_blocks) &&
          here.pays(costs, Compared::kFollowNs)) {
        advice.order = std::make_shared<const Order>(lookahead_.blocks(), n_blocks);
        advice.rooms = nullptr;
        here.lookahead = find_places(graph, blocks, *advice.order);
        follow(graph, flush.last, advice);
      } else if (always || here.pays(costs)) {
        put_ahead(graph, blocks, flush.last);
      }
    } else if (always) {
      follow(graph, flush.last, advice);
    }
  }
  advice.found.nodes += here.nodes;
  advice.found.work += here.work;
  advice.found.inline_depth += here.inline_depth;
  advice.found.lookahead += std::min(here.lookahead, here.inline_depth);
}

// Places nodes by the order: sets buckets and ranks, but not yet the graph's counts. Returns the
// number of batches.
inline int64_t Schedule::find_places(Graph& graph, const BlockInfo* blocks, const Order& order) {
  const auto n_blocks = static_cast<uint32_t>(graph.n_blocks);
  position_.clear();
  // Per node, the first position at which its readers may run. Earlier nodes are all computed.
  uint32_t* const behind = position_.grow(next_);
  std::fill_n(behind, first_, 0);
  ordered_.assign((order.size() + size_t{n_blocks}) * n_blocks, 0);
  reads_.assign(ordered_.size(), 0);
  const int64_t* arg = graph.args.size() > 0 ? &graph.args[first_arg_] : nullptr;
  int64_t batches = 0;
  signals->in_stretches(first_, next_, [&](size_t i, size_t end) {
    for (; i < end; i++) {
      const uint32_t block = graph.block_of(i);
      const BlockInfo& info = blocks[block];
      uint32_t from = 0;
      for (int j = 0; j < info.operands; j++) from = std::max(from, behind[node_of(arg[j])]);
      arg += info.operands + info.gathered_rows;
      behind[i] = order.behind(block, from);
      const size_t bucket = (behind[i] - size_t{1}) * n_blocks + block;
      if (bucket >= ordered_.size()) [[unlikely]] {
        graph.widen(ordered_, bucket);
        reads_.resize(ordered_.size(), 0);
      }
      graph.bucket[i] = static_cast<uint32_t>(bucket);
      batches += ordered_[bucket] == 0;
      graph.rank[i] = ordered_[bucket]++;
      reads_[bucket] = std::max(reads_[bucket], from);
    }
  });
  return batches;
}

// Adopts the places that `find_places` has found. Consecutive batches that do not read each other
// have the same depth.
inline void Schedule::follow(Graph& graph, uint32_t last, Advice& advice) {
  const auto n_blocks = static_cast<size_t>(graph.n_blocks);
  depth_at_.assign(ordered_.size() / n_blocks + 1, 0);
  uint32_t depth = 0;
  size_t begin = 0;
  for (size_t b = 0; b < ordered_.size(); b++) {
    if (ordered_[b] == 0) continue;
    const size_t at = b / n_blocks;
    if (reads_[b] > begin) depth++, begin = at;
    depth_at_[at] = depth;
  }
  if (advice.places) advice.make_rooms(ordered_, n_blocks);
  for (uint32_t p = 0; p <= last; p++) std::ranges::fill(graph.count[p], 0);
  std::swap(graph.count[0], ordered_);
  // Nodes that are computed together all count as the first phase's.
  if (graph.count.size() > 1) std::fill_n(&graph.phase[first_], next_ - first_, 0);
}

}  // namespace acrobat
