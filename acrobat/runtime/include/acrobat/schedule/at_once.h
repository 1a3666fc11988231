// Follows an order in a single pass over the graph.
//
// A batch's records and offsets are contiguous, so the place of a node's record and offsets depends
// on how many nodes precede it in the order, which takes a pass to count. But mini-batches of a
// program are alike. So here every position of the order has room for somewhat more nodes than it
// had so far, and a node is placed and its operands are resolved as soon as the pass reaches it.
// Memory that is not filled is never touched. If a position turns out to be too small, the nodes
// are counted after all, and later mini-batches get more room.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../memory.h"
#include "schedule.h"

namespace acrobat {

// Returns whether the mini-batch was scheduled. If not, only buffers that `build` refills have
// changed.
inline bool Schedule::place_at_once(Graph& graph, const BlockInfo* blocks, uint32_t last,
                                    const Advice& advice) {
  if (advice.order == nullptr || advice.rooms == nullptr || !whole_) return false;
  const Order& order = *advice.order;
  if (!make_room(graph, blocks, order, *advice.rooms) || !fill(graph, order)) return false;
  list_filled(order);
  if (advice.misfits(static_cast<int64_t>(batches.size()))) return false;
  // The end of the last record.
  if (!batches.empty())
    floats = batches.back().record + batches.back().n * blocks[batches.back().block].record;
  n_batches += static_cast<int64_t>(batches.size());
  if (history) history->insert(history->end(), batches.begin(), batches.end());
  for (uint32_t p = 0; p <= last; p++) std::ranges::fill(graph.count[p], 0);
  // Nodes that are computed together all count as the first phase's.
  if (graph.count.size() > 1) std::fill_n(&graph.phase[first_], next_ - first_, 0);
  return true;
}

// Lays out the positions. False if that takes too much memory, or more than the call may use; a
// single pass would then save little anyway.
inline bool Schedule::make_room(const Graph& graph, const BlockInfo* blocks, const Order& order,
                                const Rooms& rooms) {
  ordered_blocks_.clear();
  for (int block = 0; block < graph.n_blocks; block++) {
    const BlockInfo& info = blocks[block];
    // The place of a node that chooses a matrix depends on what the others choose.
    if (info.n_clustered > 0) return false;
    ordered_blocks_.push_back(
        {order.row(static_cast<uint32_t>(block)), info.record, info.operands, info.gathered_rows});
  }
  positions_.clear();
  int64_t record = floats;
  size_t first = 0;
  for (uint32_t p = 0; p < rooms.size(); p++) {
    const OrderedBlock& block = ordered_blocks_[order.block_at(p)];
    positions_.push_back({nullptr, nullptr, record, rooms[p], 0});
    record += rooms[p] * block.record;
    first += size_t{rooms[p]} * static_cast<size_t>(block.operands + block.rows);
  }
  // Twice the offsets, because arrays grow by doubling.
  const int64_t bytes = (record + 2 * static_cast<int64_t>(first)) * 4;
  if (record > kMostRoom || !is_allowed(bytes)) return false;
  offsets.clear();
  // A kernel's last, padded column may read one vector past the end.
  int32_t* at = offsets.grow(first + 16);
  for (uint32_t p = 0; p < rooms.size(); p++) {
    const OrderedBlock& block = ordered_blocks_[order.block_at(p)];
    positions_[p].offsets = at;
    positions_[p].end = at + rooms[p];
    at += size_t{rooms[p]} * static_cast<size_t>(block.operands + block.rows);
  }
  return true;
}

// Places all nodes. False if a position has too little room for its nodes.
inline bool Schedule::fill(const Graph& graph, const Order& order) {
  position_.clear();
  // Per node, the first position at which its readers may run. Earlier nodes are all computed.
  uint32_t* const behind = position_.grow(next_);
  std::fill_n(behind, first_, 0);
  int64_t* const records = &location[0];
  const OrderedBlock* const blocks = ordered_blocks_.data();
  Position* const positions = positions_.data();
  const uint32_t size = order.size();
  const int64_t* arg = graph.args.size() > 0 ? &graph.args[first_arg_] : nullptr;
  for (size_t i = first_; i < next_; i++) {
    const uint32_t number = graph.block_of(i);
    const OrderedBlock& block = blocks[number];
    uint32_t from = 0;
    for (int j = 0; j < block.operands; j++) from = std::max(from, behind[node_of(arg[j])]);
    uint32_t after;
    if (from <= size) [[likely]] {
      after = block.behind[from];
    } else {
      after = order.behind(number, from);
      if (after > positions_.size()) return false;
    }
    behind[i] = after;
    Position& at = positions[after - 1];
    int32_t* out = at.offsets;
    if (out == at.end) [[unlikely]]
      return false;
    at.offsets = out + 1;
    at.reads = std::max(at.reads, from);
    records[i] = at.record;
    at.record += block.record;
    const size_t room = at.room;
    for (int j = 0; j < block.operands; j++, out += room) {
      const Handle h = *arg++;
      *out = static_cast<int32_t>(records[node_of(h)] + offset_of(h));
    }
    for (int j = 0; j < block.rows; j++, out += room) *out = static_cast<int32_t>(*arg++);
  }
  return true;
}

// Lists the batches of the positions that have been filled.
inline void Schedule::list_filled(const Order& order) {
  batches.clear();
  uint32_t depth = 0, begin = 0;
  for (uint32_t p = 0; p < positions_.size(); p++) {
    const Position& at = positions_[p];
    const uint32_t n = at.room - static_cast<uint32_t>(at.end - at.offsets);
    if (n == 0) continue;
    // Consecutive batches that do not read each other have the same depth.
    if (at.reads > begin) depth++, begin = p;
    const uint32_t block = order.block_at(p);
    const int64_t record = at.record - n * ordered_blocks_[block].record;
    const auto first = static_cast<size_t>(at.offsets - &offsets[0]) - n;
    batches.push_back({static_cast<int>(block), n, record, first, uint64_t{depth} + 1, at.room});
  }
}

}  // namespace acrobat
