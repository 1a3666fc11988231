// A block order that lookahead has found for one mini-batch, replayed for later ones.
//
// A node goes where its block comes next behind its operands. On the mini-batch that the order was
// found for, no node goes behind where lookahead had it, so there are as few batches; others like
// it take few more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../graph/faults.h"

namespace acrobat {

class Order {
 public:
  // Larger ones are not kept.
  static constexpr size_t kMostEntries = size_t{1} << 18;

  static bool fits(size_t batches, size_t n_blocks) {
    return (batches + 1) * n_blocks <= kMostEntries;
  }

  // `blocks` in the order in which they run, of a program that has `n_blocks`.
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

  // How many batches it was found with.
  uint32_t size() const { return size_; }

  // Which block runs at a position.
  uint32_t block_at(uint32_t position) const {
    return position < size_ ? blocks_[position] : (position - size_) % n_blocks_;
  }

  // A node of the block that may run from a position on runs at the first one at which its block
  // does; this is the one behind it, from which on what reads the node may run. Behind the order
  // every block has its turn, again and again.
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
  std::vector<uint32_t> next_;  // by block and position: what `behind` gives
};

// For how many nodes there is room at each of an order's positions, and of those behind it.
using Rooms = std::vector<uint32_t>;

}  // namespace acrobat
