// The kernels of a block's plan, as tables that the generated program defines.
#pragma once

#include <cstdint>

#include "tvm_abi.h"

namespace acrobat {

constexpr int kMaxTile = 8, kMaxOperands = 64;

// One kernel of a block's plan. `variant[r]` computes tiles of r rows.
struct KernelInfo {
  PackedKernel variant[kMaxTile + 1];
  int max_tile;
  bool
      shares_tiles;  // a tile may hold rows of several nodes, and every height up to the largest is
  int column_blocks;
  int rows;              // per node
  int64_t row_floats;    // that the contractions read, per row
  int64_t flops;         // of the contractions, per node
  int64_t elements;      // that it computes besides, per node
  int weights, vectors;  // indices into the packed arrays
  int operands;
  struct Source {
    int argument;   // which of the node's arguments
    int table;      // the table it counts from, or -1: the arena
    int64_t start;  // floats behind the offset
  } source[kMaxOperands];
};

struct BlockKernels {
  const KernelInfo* kernels;
  int n;
};

}  // namespace acrobat
