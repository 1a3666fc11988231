// From the graph to batches: a counting sort by (depth, block), whose histogram the graph already
// holds, and the resolution of every operand to an offset in the arena.
#pragma once

#include <cstdint>
#include <vector>

#include "arena.h"
#include "graph.h"

namespace acrobat {

// The nodes of one block at one depth. Their records are contiguous from `record` on; operand j
// of the node with rank i is at offsets[first + j * n + i].
struct Batch {
  int block;
  uint32_t n;
  int64_t record;
  size_t first;
};

struct Schedule {
  std::vector<Batch> batches;
  Flat<int32_t> offsets;
  Flat<int64_t> location;  // of every node's record, in floats
  int64_t floats = 0;      // used in the arena

  // `start` is the first free float of the arena, `inputs` where tensors of instances begin.
  void build(const Graph& graph, const BlockInfo* blocks, int64_t inputs, int64_t start) {
    batches.clear();
    offsets.clear();
    location.clear();
    place_.resize(graph.count.size());
    int64_t at = start;
    size_t first = 0;
    for (size_t b = 0; b < graph.count.size(); b++) {
      uint32_t n = graph.count[b];
      if (n == 0) continue;
      int block = static_cast<int>(b % graph.n_blocks);
      const BlockInfo& info = blocks[block];
      place_[b] = {at, first, n};
      batches.push_back({block, n, at, first});
      at += n * info.record;
      first += static_cast<size_t>(n) * (info.rows + info.tables);
    }
    Arena::require(at);
    floats = at;
    // One vector past the end may be read by a kernel's last, padded column.
    offsets.grow(first + 16);
    int64_t* where = location.grow(graph.bucket.size());
    where[kWeightNode] = 0;
    where[kInputNode] = inputs;
    const int64_t* arg = &graph.args[0];
    for (size_t i = kReservedNodes; i < graph.bucket.size(); i++) {
      const Place& p = place_[graph.bucket[i]];
      const BlockInfo& info = blocks[graph.bucket[i] % graph.n_blocks];
      uint32_t rank = graph.rank[i];
      where[i] = p.record + rank * info.record;
      int32_t* out = &offsets[p.first + rank];
      for (int j = 0; j < info.rows; j++, out += p.n) {
        Handle h = *arg++;
        *out = static_cast<int32_t>(where[node_of(h)] + offset_of(h));
      }
      for (int j = 0; j < info.tables; j++, out += p.n) *out = static_cast<int32_t>(*arg++);
    }
  }

  int64_t resolve(Handle h) const { return location[node_of(h)] + offset_of(h); }

 private:
  struct Place {
    int64_t record;
    size_t first;
    uint32_t n;
  };
  std::vector<Place> place_;
};

}  // namespace acrobat
