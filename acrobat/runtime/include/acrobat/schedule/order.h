// A block order that lookahead has found for one mini-batch, replayed for later ones.
//
// A node runs where its block next occurs after its operands. In the mini-batch that the order was
// found for, no node runs later than where lookahead placed it, so there are as few batches;
// similar mini-batches need few more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../graph/faults.h"

namespace acrobat {

class Order {
 public:
  // Larger orders are not kept.
  static constexpr size_t kMostEntries = size_t{1} << 18;

  static bool fits(size_t batches, size_t n_blocks) {
    return (batches + 1) * n_blocks <= kMostEntries;
  }

  // `blocks`: in the order in which they run, of a program with `n_blocks` blocks.
  Order(std::vector<uint32_t> blocks, size_t n_blocks)
      : blocks_(std::move(blocks)),
        size_(static_cast<uint32_t>(blocks_.size())),
        n_blocks_(static_cast<uint32_t>(n_blocks)),
        next_((blocks_.size() + 1) * n_blocks) {
    for (uint32_t block = 0; block < n_blocks_; block++) {
      uint32_t* const row = &next_[(blocks_.size() + 1) * block];
      row[size_] = size_ + block + 1;
      for (uint32_t at = size_; at-- > 0;) row[at] = blocks_[at] == block ? at + 1 : row[at + 1];
    }
  }

  // The number of batches that the order was found with.
  uint32_t size() const { return size_; }

  // The block that runs at a position.
  uint32_t block_at(uint32_t position) const {
    return position < size_ ? blocks_[position] : (position - size_) % n_blocks_;
  }

  // A node of `block` that may run from position `from` on runs at the next position of its block.
  // Returns the position after that one, from which on its readers may run. Past the end of the
  // order all blocks take turns, again and again.
  uint32_t behind(uint32_t block, uint32_t from) const {
    if (from <= size_) [[likely]]
      return row(block)[from];
    return far_behind(block, from);
  }

  // The same for positions up to `size()`.
  const uint32_t* row(uint32_t block) const { return &next_[(size_t{size_} + 1) * block]; }

 private:
  [[gnu::noinline]] uint32_t far_behind(uint32_t block, uint32_t from) const {
    const uint32_t beyond = from - size_, turn = beyond / n_blocks_;
    const size_t turns = size_t{turn} + (beyond % n_blocks_ > block);
    const size_t behind = size_ + turns * n_blocks_ + block + 1;
    if (behind > UINT32_MAX) fail_graph();
    return static_cast<uint32_t>(behind);
  }

  std::vector<uint32_t> blocks_;
  uint32_t size_, n_blocks_;
  std::vector<uint32_t> next_;  // by block and position: the result of `behind`
};

// Positions at which batches may run, each with room for some nodes: the buckets of each phase, or
// those of an order and some past its end, which all count as the first phase's.
struct Rooms {
  std::vector<std::vector<uint32_t>> nodes;  // by phase and position
  // The number of positions before each phase, and of all; and those that have any room.
  std::vector<size_t> first;
  std::vector<size_t> used;

  explicit Rooms(std::vector<std::vector<uint32_t>> by_phase) : nodes(std::move(by_phase)) {
    first.push_back(0);
    for (const auto& phase : nodes) {
      for (size_t i = 0; i < phase.size(); i++) {
        if (phase[i] > 0) used.push_back(first.back() + i);
      }
      first.push_back(first.back() + phase.size());
    }
  }

  // Calls f(phase, position in the phase, position) for all that have any room.
  template <class F>
  void each(F&& f) const {
    size_t phase = 0;
    for (size_t at : used) {
      while (at >= first[phase + 1]) phase++;
      f(phase, at - first[phase], at);
    }
  }
};

}  // namespace acrobat
