// Schedules by lookahead and by orders that it has found, where that pays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "schedule.h"

namespace acrobat {

inline void Schedule::choose(Graph& graph, const BlockInfo* blocks, const Flush& flush,
                             const Costs& costs, Advice& advice) {
  if (advice.order != nullptr && whole_) {
    if (!advice.misfits(find_places(graph, blocks, *advice.order))) {
      follow(graph, flush.last);
    } else {
      advice.renewed = true;
      look(graph, blocks, flush, costs, advice, true);
    }
  } else if (advice.looks) {
    look(graph, blocks, flush, costs, advice, false);
  }
}

// Looks ahead, and goes by that if it pays, or `always`.
inline void Schedule::look(Graph& graph, const BlockInfo* blocks, const Flush& flush,
                           const Costs& costs, Advice& advice, bool always) {
  advice.looked = true;
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
  if (here.nodes > 0 && here.inline_depth >= kFew) {
    add_taken(graph, blocks);
    if (lookahead_.fits()) {
      here.lookahead = lookahead_.order();
      const auto n_blocks = static_cast<size_t>(graph.n_blocks);
      if (advice.follows && whole_ && Order::fits(lookahead_.blocks().size(), n_blocks) &&
          here.pays(costs, Compared::kFollowNs)) {
        advice.order = std::make_shared<const Order>(lookahead_.blocks(), n_blocks);
        here.lookahead = find_places(graph, blocks, *advice.order);
        follow(graph, flush.last);
      } else if (always || here.pays(costs)) {
        put_ahead(graph, blocks, flush.last);
      }
    }
  }
  advice.found.nodes += here.nodes;
  advice.found.work += here.work;
  advice.found.inline_depth += here.inline_depth;
  advice.found.lookahead += std::min(here.lookahead, here.inline_depth);
}

// Where nodes go by the order: their positions (`position_`) and ranks (`place_`). How many batches
// that makes.
inline int64_t Schedule::find_places(const Graph& graph, const BlockInfo* blocks,
                                     const Order& order) {
  const size_t n = next_ - first_;
  position_.clear(), follow_rank_.clear();
  uint32_t* const position = position_.grow(n);
  uint32_t* const rank = follow_rank_.grow(n);
  taken_at_.assign(order.size() + static_cast<size_t>(graph.n_blocks), 0);
  behind_.assign(taken_at_.size(), 0);
  const int64_t* arg = graph.args.size() > 0 ? &graph.args[first_arg_] : nullptr;
  int64_t batches = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t block = graph.block_of(first_ + i);
    const BlockInfo& info = blocks[block];
    uint32_t from = 0;
    for (int j = 0; j < info.operands; j++) {
      // All before the first is computed.
      const uint32_t operand = node_of(arg[j]);
      if (operand >= first_) from = std::max(from, position[operand - first_] + 1);
    }
    arg += info.operands + info.gathered_rows;
    const uint32_t at = order.next(block, from);
    if (at >= taken_at_.size()) [[unlikely]] {
      taken_at_.resize(2 * size_t{at} + 1, 0);
      behind_.resize(taken_at_.size(), 0);
    }
    position[i] = at;
    batches += taken_at_[at] == 0;
    rank[i] = taken_at_[at]++;
    behind_[at] = std::max(behind_[at], from);
  }
  return batches;
}

// Goes by what `find_places` has found. Batches that follow one another and do not read each other
// are of one depth.
inline void Schedule::follow(Graph& graph, uint32_t last) {
  for (uint32_t p = 0; p <= last; p++) std::ranges::fill(graph.count[p], 0);
  depth_at_.assign(taken_at_.size(), 0);
  uint32_t depth = 0, begin = 0;
  for (uint32_t at = 0; at < taken_at_.size(); at++) {
    if (taken_at_[at] == 0) continue;
    if (behind_[at] > begin) depth++, begin = at;
    depth_at_[at] = depth;
  }
  auto& count = graph.count[0];
  const auto n_blocks = static_cast<size_t>(graph.n_blocks);
  const bool phased = graph.count.size() > 1;
  for (size_t i = first_; i < next_; i++) {
    const size_t b = size_t{position_[i - first_]} * n_blocks + graph.block_of(i);
    if (b >= count.size()) graph.widen(count, b);
    graph.bucket[i] = static_cast<uint32_t>(b);
    graph.rank[i] = follow_rank_[i - first_];
    count[b]++;
    // What is computed together is of the first phase.
    if (phased) graph.phase[i] = 0;
  }
}

}  // namespace acrobat
