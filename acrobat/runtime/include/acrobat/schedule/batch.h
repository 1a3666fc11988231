// Batches, and what a schedule makes them of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace acrobat {

// The nodes of one block at one depth. Their records are contiguous from `record` on; operand j
// of the node with rank i is at offsets[first + j * room + i].
struct Batch {
  int block;
  uint32_t n;
  int64_t record;
  size_t first;
  uint64_t step;  // phase and depth, from 1 on; 0: not known
  uint32_t room;  // of nodes there could be so many; more than there are only in `place_at_once`
};

enum class Scheduler { kInlineDepth, kRuntimeDepth, kAgenda, kLookahead, kAuto };

// What a flush schedules: the nodes of phases up to `last`, but for those that instances recorded
// which have ended since the flush before (`ended`: runs [first, second) of node numbers,
// ascending). No decision needs these: they are set aside until the last flush, where those of all
// instances are batched together.
struct Flush {
  uint32_t last;
  std::span<const std::pair<size_t, size_t>> ended;
  bool is_last;
};

}  // namespace acrobat
