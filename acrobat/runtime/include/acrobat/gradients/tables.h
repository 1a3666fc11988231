// What training knows about a program's static blocks. acrobat/backward/tables.py makes these
// tables and mirrors the structures.
#pragma once

#include <cstdint>

namespace acrobat {

// Where a value of each node lies while its adjoint runs: `at` floats from its operand number
// `argument`, from its record, from the gradient of its output number `argument`, or from its
// adjoint's record; or, for a gathered row, from its offset in `table`.
enum class Place : int { kOperand, kRow, kOutput, kGradient, kAdjoint };

struct Source {
  Place place;
  int argument;
  int64_t at;
  const float* table;

  bool operator==(const Source&) const = default;
};

// The gradient of the node's operand number `operand`, of `width` floats.
struct OperandGradient {
  int operand, width;
  Source from;
};

// `count` rows of every node, of `width` floats each, `stride` apart.
struct RowsOf {
  Source source;
  int count, width, stride;

  bool operator==(const RowsOf&) const = default;
};

// Where the gradient of a weight goes: `size` floats, which need not be zero initially.
struct WeightOut {
  float* to;
  int64_t size;
};

// out[i * stride + j] += the sum over all rows of left[i] * right[j].
struct Product {
  RowsOf left, right;
  int64_t out;  // the first float, in the gradient of weight number `weight`
  int weight, stride;
};

// out[i] += the sum of float i of `rows` over all nodes.
struct NodeSum {
  RowsOf rows;
  int64_t size;
  int weight;
};

// The floats of a record that other nodes may read: `size` floats from `start` on.
struct Output {
  int64_t start, size;
};

// The tables of a forward block. `adjoint` is the number of its adjoint, or -1; the adjoint's
// arguments are `reads`, then the offsets of the gathered rows `rows`. Besides the `outputs`, a
// record holds values that only the adjoint reads, which have no gradients.
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
