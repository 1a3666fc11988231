// The dataflow graph of one mini-batch, in flat arrays, built by the generated program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace acrobat {

// A tensor that will be computed: node number in the low half, offset in floats within the node's
// record in the high half. A slice is an addition.
using Handle = int64_t;

inline Handle part(Handle h, int64_t floats) { return h + (floats << 32); }
inline uint32_t node_of(Handle h) { return static_cast<uint32_t>(h); }
inline int64_t offset_of(Handle h) { return h >> 32; }

// Two reserved nodes: weights that are read like rows, and tensors of the instances.
constexpr uint32_t kWeightNode = 0, kInputNode = 1, kReservedNodes = 2;

// An array that grows by doubling and never initialises: pushing is a compare and a store.
template <class T>
class Flat {
 public:
  T* grow(size_t n) {
    if (size_ + n > data_.size()) data_.resize((size_ + n) * 2 + 64);
    T* at = data_.data() + size_;
    size_ += n;
    return at;
  }
  void push(T value) { *grow(1) = value; }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  std::vector<T> data_;
  size_t size_ = 0;
};

// What the run-time knows of a static block.
struct BlockInfo {
  const char* name;
  int rows;        // row operands per node
  int tables;      // table rows per node
  int64_t record;  // floats of one node's record, a multiple of 16
};

struct Graph {
  int n_blocks = 0;
  bool inline_depth = true;
  // Per node, in order of creation. The bucket is depth * n_blocks + block; the rank counts the
  // nodes of the bucket that came before: the histogram of the counting sort is made on the way.
  Flat<uint32_t> bucket, rank;
  // Per node its row handles, then the offsets of its table rows.
  Flat<int64_t> args;
  std::vector<uint32_t> count;  // nodes per bucket

  void reset(int blocks, bool depth_inline) {
    n_blocks = blocks;
    inline_depth = depth_inline;
    bucket.clear();
    rank.clear();
    args.clear();
    count.assign(static_cast<size_t>(blocks), 0);
    for (uint32_t i = 0; i < kReservedNodes; i++) {
      bucket.push(0);
      rank.push(0);
    }
  }

  // Records a node and returns where its `n` arguments go.
  int64_t* add(int block, uint32_t depth, int n) {
    size_t b = static_cast<size_t>(depth) * n_blocks + block;
    if (b >= count.size()) count.resize((b / n_blocks + 1) * 2 * n_blocks, 0);
    bucket.push(static_cast<uint32_t>(b));
    rank.push(count[b]++);
    return args.grow(n);
  }

  size_t n_nodes() const { return bucket.size() - kReservedNodes; }

  // Depth from the finished graph: one more than the deepest operand (DyNet's depth-based
  // batching). Operands come before their users in order of creation, so one pass is enough.
  void assign_depths(const BlockInfo* blocks) {
    std::vector<uint32_t> depth(bucket.size(), 0);
    count.assign(static_cast<size_t>(n_blocks), 0);
    size_t at = 0;
    for (size_t i = kReservedNodes; i < bucket.size(); i++) {
      int block = static_cast<int>(bucket[i] % n_blocks);
      uint32_t d = 0;
      for (int j = 0; j < blocks[block].rows; j++) {
        uint32_t operand = node_of(args[at + j]);
        if (operand >= kReservedNodes && depth[operand] + 1 > d) d = depth[operand] + 1;
      }
      depth[i] = d;
      at += blocks[block].rows + blocks[block].tables;
      size_t b = static_cast<size_t>(d) * n_blocks + block;
      if (b >= count.size()) count.resize((b / n_blocks + 1) * 2 * n_blocks, 0);
      bucket[i] = static_cast<uint32_t>(b);
      rank[i] = count[b]++;
    }
  }
};

}  // namespace acrobat
