// Batches, and what a flush makes them from.
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
  uint64_t step;  // phase and depth, counted from 1; 0: not known
  uint32_t
      room;  // the number of nodes there is room for; more than `n` if they were placed (placed.h)
};

enum class Scheduler { kInlineDepth, kRuntimeDepth, kAgenda, kLookahead, kAuto };

// What a flush schedules: the nodes of phases up to `last`, except those recorded by instances that
// have ended since the previous flush (`ended`: runs [first, second) of node numbers, ascending).
// No decision needs these nodes: they are set aside until the last flush, which batches those of
// all instances together.
struct Flush {
  uint32_t last;
  std::span<const std::pair<size_t, size_t>> ended;
  bool is_last;
};

}  // namespace acrobat
