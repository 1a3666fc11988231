// The kernels of a block's plan, as tables that the generated program defines.
#pragma once

#include <cstdint>

#include "../limits.h"
#include "../operand_source.h"
#include "tvm_abi.h"

namespace acrobat {

// An operand that is a matrix of a table: nodes that chose the same one share tiles.
struct ChosenMatrix {
  int operand;
  int64_t width;   // floats of a matrix in the table that offsets refer to
  int64_t floats;  // floats of a matrix as the kernel reads it: packed, or `width`
};

// One kernel of a block's plan. `variant[r]`, if not null, computes tiles of r rows. All heights up
// to a limit exist, and perhaps a larger one, or else a single height that divides a node's rows.
struct KernelInfo {
  PackedKernel variant[kMaxTile + 1];
  int usual_tile;     // the height of the tiles that many rows are partitioned into
  int join;           // a remainder of fewer rows is merged with one usual tile
  bool shares_tiles;  // no term reads a matrix of the node's own, except a chosen one
  int column_blocks;
  int rows;              // per node
  int64_t rows_at_once;  // rows that go through all column blocks before the next ones
  int64_t flops;         // of the contractions, per node
  int64_t elements;      // other elements that it computes, per node
  int weights, vectors;  // indices into the packed arrays
  int operands;
  OperandSource source[kMaxOperands];
  const ChosenMatrix* chosen;
  int n_chosen;
  int64_t matrices;  // the most that the nodes of a batch choose among; 1 if they do not choose
  int weight_bytes = sizeof(float);  // per weight
  int rate = 1;                      // multiply-adds in the time of one float32 multiply-add
};

struct BlockKernels {
  const KernelInfo* kernels;
  int n;
};

}  // namespace acrobat
