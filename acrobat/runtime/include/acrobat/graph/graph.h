// The dataflow graph of one mini-batch, in flat arrays, built by the generated program.
#pragma once

#include <cstdint>
#include <vector>

#include "../memory.h"
#include "faults.h"

namespace acrobat {

// A tensor that will be computed: node number in the low half, offset in floats within the node's
// record in the high half. Slicing is an addition.
using Handle = int64_t;

inline Handle part(Handle h, int64_t floats) { return h + (floats << 32); }
inline uint32_t node_of(Handle h) { return static_cast<uint32_t>(h); }
inline int64_t offset_of(Handle h) { return h >> 32; }

// Reserved nodes: weights that are read through references, tensors of the instances, numbers that
// the program turned into tensors.
constexpr uint32_t kWeightNode = 0, kInputNode = 1, kScalarNode = 2, kReservedNodes = 3;

// An array that grows by doubling and does not initialise its elements on a push, which is a
// compare and a store.
template <class T>
class Flat {
 public:
  Flat() = default;
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;

  T* grow(size_t n) {
    if (size_ + n > room_) [[unlikely]]
      make_room(n);
    T* at = begin_ + size_;
    size_ += n;
    return at;
  }
  void push(T value) { *grow(1) = value; }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return begin_[i]; }
  const T& operator[](size_t i) const { return begin_[i]; }

 private:
  [[gnu::noinline]] void make_room(size_t n) {
    const size_t wanted = (size_ + n) * 2 + 64;
    const auto bytes = static_cast<int64_t>(wanted * sizeof(T));
    take_memory(bytes - static_cast<int64_t>(data_.size() * sizeof(T)), "its graph", bytes);
    data_.resize(wanted);
    begin_ = data_.data();
    room_ = wanted;
  }

  std::vector<T> data_;
  // Its beginning and size: it would compute the size, on every push, from two pointers.
  T* begin_ = nullptr;
  size_t size_ = 0, room_ = 0;
};

// What the run-time knows about a static block.
struct BlockInfo {
  const char* name;
  int operands;       // per node, gathered through references
  int gathered_rows;  // rows of weights per node
  int64_t record;     // floats of one node's record, a multiple of 16
  int64_t scratch;    // floats of one node's temporaries, a multiple of 16
  int64_t work;       // of one node, approximately, in floating-point operations of a contraction
  bool once;          // one node serves all instances (`deduplication`)
  bool hoisted;       // its nodes run before the others of their depth, which may read them
  // Argument numbers by which the nodes of a batch are sorted, lexicographically, so that nodes
  // that agree in them are neighbours.
  const int* clustered;
  int n_clustered;
};

struct Graph {
  int n_blocks = 0;
  // Per node, in order of creation. The bucket is depth * n_blocks + block; the rank is the number
  // of earlier nodes in the bucket: the histogram of the counting sort is built along the way.
  Flat<uint32_t> bucket, rank;
  Flat<uint32_t> phase;  // only in a program with several phases
  // Per node, the references to its operands, then the offsets of its gathered rows.
  Flat<int64_t> args;
  // Per phase and bucket, the number of nodes that have not been computed yet.
  std::vector<std::vector<uint32_t>> count;

  void reset(int blocks, int phases) {
    n_blocks = blocks;
    remainder_ = blocks > 0 ? UINT64_MAX / static_cast<uint32_t>(blocks) + 1 : 0;
    bucket.clear();
    rank.clear();
    phase.clear();
    args.clear();
    count.resize(static_cast<size_t>(phases));
    for (auto& c : count) c.clear();
    for (uint32_t i = 0; i < kReservedNodes; i++) {
      bucket.push(0);
      rank.push(0);
      if (phases > 1) phase.push(0);
    }
  }

  // Records a node and returns where its `n` arguments go. The node has yet to be counted or
  // placed.
  template <bool kPhased = false>
  int64_t* append(size_t b, int n, uint32_t at_phase = 0) {
    bucket.push(static_cast<uint32_t>(b));
    if constexpr (kPhased) phase.push(at_phase);
    return args.grow(n);
  }

  // Counts the node that was recorded last, in bucket `b`. Returns its number.
  size_t count_last(size_t b, uint32_t at_phase = 0) {
    auto& c = count[at_phase];
    if (b >= c.size()) widen(c, b);
    rank.push(c[b]++);
    return bucket.size() - 1;
  }

  // Counts all nodes, if none has been counted.
  void count_all() {
    for (size_t i = kReservedNodes; i < bucket.size(); i++) count_last(bucket[i], phase_of(i));
  }

  // Makes room for bucket `b`. In a graph this deep the buckets of the schedule count as well.
  [[gnu::noinline]] void widen(std::vector<uint32_t>& c, size_t b) const {
    const size_t wanted = (b / n_blocks + 1) * 2 * n_blocks;
    if (b > UINT32_MAX || bucket.size() > UINT32_MAX) fail_graph();
    const auto bytes = static_cast<int64_t>(wanted * kBytesOfBucket);
    take_memory(bytes - static_cast<int64_t>(c.size() * kBytesOfBucket), "its graph", bytes);
    c.resize(wanted, 0);
  }
  // Bytes per bucket in `count` and in the schedule (Schedule::Place).
  static constexpr size_t kBytesOfBucket = 4 + 40;

  // bucket % n_blocks with two multiplications (Lemire, Kaser, Kurz 2019).
  uint32_t block_of(size_t node) const {
    const uint64_t rest = remainder_ * bucket[node];
    return static_cast<uint32_t>((Wide{rest} * static_cast<uint32_t>(n_blocks)) >> 64);
  }
  size_t n_nodes() const { return bucket.size() - kReservedNodes; }
  uint32_t phase_of(size_t node) const { return count.size() > 1 ? phase[node] : 0; }

 private:
  __extension__ typedef unsigned __int128 Wide;
  uint64_t remainder_ = 0;  // 2^64 / n_blocks, rounded up
};

}  // namespace acrobat
