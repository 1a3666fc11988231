// A block order that lookahead has found for one mini-batch, replayed for later ones.
//
// A node runs where its block next occurs after its operands. On the mini-batch that the order was
// found for, no node runs later than by lookahead, so there are no more batches; similar ones take
// few more. Replaying takes one pass over the nodes, a fifth or less of the time of lookahead.
#pragma once

#include <cstddef>
#include <cstdint>
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
  Order(const std::vector<uint32_t>& blocks, size_t n_blocks)
      : size_(static_cast<uint32_t>(blocks.size())),
        n_blocks_(static_cast<uint32_t>(n_blocks)),
        next_((blocks.size() + 1) * n_blocks) {
    uint32_t* row = &next_[blocks.size() * n_blocks];
    for (uint32_t block = 0; block < n_blocks_; block++)
      row[block] = (size_ + block + 1) * n_blocks_;
    for (uint32_t at = size_; at-- > 0;) {
      uint32_t* const before = row - n_blocks;
      for (size_t block = 0; block < n_blocks; block++) before[block] = row[block];
      before[blocks[at]] = (at + 1) * n_blocks_;
      row = before;
    }
  }

  // How many batches it was found with.
  uint32_t size() const { return size_; }

  // A node of the block that may run from a position on runs at the first one at which its block
  // does; what reads it may run from the next one on. Positions are given, and given back, times
  // the number of blocks. Past the end of the order all blocks repeat, one position each.
  uint32_t behind(uint32_t block, uint32_t from) const {
    if (from / 1 <= size_ * n_blocks_) [[likely]]
      return next_[from + block];
    return far_behind(block, from);
  }

 private:
  [[gnu::noinline]] uint32_t far_behind(uint32_t block, uint32_t from) const {
    const uint32_t beyond = from / n_blocks_ - size_, turn = beyond / n_blocks_;
    const size_t turns = size_t{turn} + (beyond % n_blocks_ > block);
    const size_t behind = (size_ + turns * n_blocks_ + block + 1) * n_blocks_;
    if (behind > UINT32_MAX) fail_graph();
    return static_cast<uint32_t>(behind);
  }

  uint32_t size_, n_blocks_;
  std::vector<uint32_t> next_;  // by position and block: what `behind` gives
};

}  // namespace acrobat
