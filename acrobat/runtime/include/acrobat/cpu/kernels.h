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
  int64_t width;   // floats of a matrix in the table, which offsets count
  int64_t floats;  // of one as the kernel reads it: packed, or the same
};

// One kernel of a block's plan. `variant[r]` computes tiles of r rows, if there is one: all up to
// some height, and perhaps a larger one, or a single one that divides a node's rows.
struct KernelInfo {
  PackedKernel variant[kMaxTile + 1];
  int usual_tile;     // the height that many rows are partitioned into
  int join;           // a rest of fewer rows is taken together with one more usual tile
  bool shares_tiles;  // no term reads a matrix of the node's own, unless it is a chosen one
  int column_blocks;
  int rows;              // per node
  int64_t rows_at_once;  // that go through all column blocks before the next
  int64_t flops;         // of the contractions, per node
  int64_t elements;      // that it computes besides, per node
  int weights, vectors;  // indices into the packed arrays
  int operands;
  OperandSource source[kMaxOperands];
  const ChosenMatrix* chosen;
  int n_chosen;
  int64_t matrices;  // the most that the nodes of a batch choose among; 1 if they do not choose
  int weight_bytes = sizeof(float);  // that each weight takes
  int rate = 1;                      // multiply-adds in the time that one of float32 takes
};

struct BlockKernels {
  const KernelInfo* kernels;
  int n;
};

}  // namespace acrobat
