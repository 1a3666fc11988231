// What training knows of a program's static blocks: made by acrobat/backward/tables.py, which has
// the same structures.
#pragma once

#include <cstdint>

namespace acrobat {

// Where a value of every node lies while its adjoint runs: `at` floats behind its reference number
// `argument`, behind its record, behind the gradient of its output number `argument`, or behind its
// adjoint's record; or, of a gathered row, behind its offset in `table`.
enum class Place : int { kOperand, kRow, kOutput, kGradient, kAdjoint };

struct Source {
  Place place;
  int argument;
  int64_t at;
  const float* table;

  bool operator==(const Source&) const = default;
};

// The gradient of the node's reference `operand`, of `width` floats.
struct OperandGradient {
  int operand, width;
  Source from;
};

// `count` rows of `width` floats, `stride` apart, of every node.
struct RowsOf {
  Source source;
  int count, width, stride;

  bool operator==(const RowsOf&) const = default;
};

// Where the gradient of a weight goes: `size` floats, which need not be zero before.
struct WeightOut {
  float* to;
  int64_t size;
};

// out[i * stride + j] += the sum over all rows of left[i] * right[j].
struct Product {
  RowsOf left, right;
  int64_t out;  // of the gradient number `weight`, the first float
  int weight, stride;
};

// out[i] += the sum over all nodes of the floats of their rows.
struct NodeSum {
  RowsOf rows;
  int64_t size;
  int weight;
};

// What others may read of a record: `size` floats from `start` on.
struct Output {
  int64_t start, size;
};

// Of a forward block. `adjoint` is the number of its adjoint, or -1; its arguments are `reads`,
// then the offsets of the gathered rows `rows`. What a record holds beside the `outputs` is for the
// adjoint alone, and has no gradient.
struct TrainedBlock {
  int adjoint, n_reads, n_rows, n_operands, n_products, n_sums, n_outputs;
  const Output* outputs;
  const Source* reads;
  const int* rows;
  const OperandGradient* operands;
  const Product* products;
  const NodeSum* sums;
};

}  // namespace acrobat
