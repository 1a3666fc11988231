// Nodes that are placed while they are recorded (graph/placement.h): lays out their batches before,
// and lists those that have been filled afterwards.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../graph/placement.h"
#include "../memory.h"
#include "schedule.h"

namespace acrobat {

// Not if there are nodes that choose a matrix: their places depend on what the others choose.
inline bool can_place(const BlockInfo* blocks, int n) {
  return std::none_of(blocks, blocks + n, [](const auto& b) { return b.n_clustered > 0; });
}

// Makes room for the batches of the next mini-batch, if it is known how many nodes they had so far,
// unless that takes too much memory, or more than the call may use: a pass over the nodes would
// then hardly count. For programs that do not wait.
inline void Schedule::make_room(Placement& placement, const BlockInfo* blocks, int number,
                                Advice& advice) {
  const auto n_blocks = static_cast<size_t>(number);
  placement.mode = Placement::Mode::kOff;
  if (!advice.places || advice.rooms == nullptr || advice.looks) return;
  const Rooms& rooms = *advice.rooms;
  if (placement.rooms != advice.rooms || placement.order != advice.order) {
    placement.take(advice.rooms, advice.order, n_blocks);
  }
  int64_t record = floats;
  uint64_t nodes = 0;
  size_t n_offsets = 0;
  rooms.each([&](size_t phase, size_t i, size_t at) {
    const BlockInfo& info = blocks[block_at(advice.order.get(), i, n_blocks)];
    const uint32_t room = rooms.nodes[phase][i];
    placement.positions[at] = {nullptr, nullptr, record, room, static_cast<uint32_t>(info.record)};
    record += room * info.record;
    nodes += room;
    n_offsets += size_t{room} * static_cast<size_t>(info.operands + info.gathered_rows);
  });
  // Twice the arrays, because they grow by doubling. And buckets, of which there are at most as
  // many per block as there are nodes, have to have numbers of 32 bits.
  const auto bytes = static_cast<int64_t>(2 * (4 * n_offsets + 12 * nodes)) + record * 4;
  advice.places = record - floats <= kMostRoom && record <= kArenaFloats &&
                  nodes * n_blocks <= UINT32_MAX && is_allowed(bytes);
  if (!advice.places) return;
  offsets.clear();
  // A kernel's last, padded column may read one vector past the end.
  int32_t* next = offsets.grow(n_offsets + 16);
  rooms.each([&](size_t, size_t i, size_t at) {
    const BlockInfo& info = blocks[block_at(advice.order.get(), i, n_blocks)];
    Position& position = placement.positions[at];
    position.offsets = next;
    position.end = next + position.room;
    next += size_t{position.room} * static_cast<size_t>(info.operands + info.gathered_rows);
  });
  location.grow(nodes);
  placement.records = &location[0];
  placement.mode = Placement::Mode::kByDepth;
  if (placement.order != nullptr) {
    placement.mode = Placement::Mode::kByOrder;
    placement.misses = 0;
    placement.reads.assign(placement.positions.size(), 0);
    position_.clear();
    // The node that has no place any more is noted, too.
    placement.behind = position_.grow(kReservedNodes + nodes + 1);
    std::fill_n(placement.behind, kReservedNodes, 0);
  }
}

// Lists the batches that have been filled. False if they are too many for the order.
inline bool Schedule::list_filled(const Graph& graph, Placement& placement, const BlockInfo* blocks,
                                  const Advice& advice) {
  const auto n_blocks = static_cast<size_t>(graph.n_blocks);
  next_ = graph.bucket.size();
  trim(next_);
  batches.clear();
  uint32_t depth = 0;
  size_t begin = 0;
  placement.rooms->each([&](size_t phase, size_t i, size_t p) {
    const Position& at = placement.positions[p];
    const uint32_t n = at.room - static_cast<uint32_t>(at.end - at.offsets);
    if (n == 0) return;
    if (placement.order == nullptr) {
      depth = static_cast<uint32_t>(i / n_blocks);
    } else if (placement.reads[p] > begin) {
      // Consecutive batches that do not read each other have the same depth.
      depth++, begin = i;
    }
    const auto first = static_cast<size_t>(at.offsets - &offsets[0]) - n;
    batches.push_back({static_cast<int>(block_at(advice.order.get(), i, n_blocks)), n,
                       at.record - int64_t{n} * at.width, first,
                       (uint64_t{phase} << 32) + depth + 1, at.room});
  });
  if (placement.order != nullptr) {
    if (placement.misses > graph.n_nodes() / 5) placement.guesses = false;
    if (advice.misfits(static_cast<int64_t>(batches.size()))) return false;
  }
  for (const Batch& b : batches) {
    const int64_t end = b.record + int64_t{b.n} * blocks[b.block].record;
    spare += b.record - floats;
    floats = end;
  }
  n_batches += static_cast<int64_t>(batches.size());
  if (history) history->insert(history->end(), batches.begin(), batches.end());
  return true;
}

inline size_t Schedule::block_at(const Order* order, size_t position, size_t n_blocks) {
  return order != nullptr ? order->block_at(static_cast<uint32_t>(position)) : position % n_blocks;
}

}  // namespace acrobat
