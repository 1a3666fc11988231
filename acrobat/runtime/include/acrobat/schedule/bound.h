// The lower bound on the batches of a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedule.h"

namespace acrobat {

// A lower bound on the number of batches: a batch holds nodes of one block, and a chain of
// dependent nodes needs a batch for each node. So the bound is the sum, over the blocks, of the
// longest chain.
inline int64_t Schedule::min_batches(const Graph& graph, const BlockInfo* blocks) {
  int64_t total = 0;
  for (int kind = 0; kind < graph.n_blocks; kind++) {
    std::vector<int32_t> chain(graph.bucket.size(), 0);
    int32_t longest = 0;
    size_t at = 0;
    for (size_t i = kReservedNodes; i < graph.bucket.size(); i++) {
      int block = static_cast<int>(graph.bucket[i] % graph.n_blocks);
      int32_t c = 0;
      for (int j = 0; j < blocks[block].operands; j++) {
        c = std::max(c, chain[node_of(graph.args[at + j])]);
      }
      at += blocks[block].operands + blocks[block].gathered_rows;
      chain[i] = c + (block == kind);
      longest = std::max(longest, chain[i]);
    }
    total += longest;
  }
  return total;
}

}  // namespace acrobat
