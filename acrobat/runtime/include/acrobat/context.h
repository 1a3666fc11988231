// What the generated program works with while it builds the graph of one mini-batch.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include "graph.h"
#include "records.h"
#include "stack.h"

namespace acrobat {

struct InstanceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Context {
  Graph graph;
  Words words;
  uint32_t depth = 0;
  const char* stack_limit = nullptr;

  void enter() const {
    if (static_cast<const char*>(__builtin_frame_address(0)) < stack_limit) {
      throw StackOverflow("the model recursed deeper than its stack holds");
    }
  }

  // The offset of row `index` in a weight of `rows` x `columns`.
  static int64_t table_row(const char* weight, int64_t index, int64_t rows, int64_t columns) {
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(rows)) {
      throw InstanceFault("row " + std::to_string(index) + " of " + weight +
                          " does not exist: it has rows 0 to " + std::to_string(rows - 1));
    }
    return index * columns;
  }

  Word* construct(int tag, int fields) {
    Word* at = words.take(fields + 1);
    at[0].i = tag;
    return at;
  }
};

// Python's // and %: rounded towards minus infinity.
inline int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) throw InstanceFault("integer division by zero");
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
inline int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }
inline double float_floor_div(double a, double b) {
  if (b == 0) throw InstanceFault("float division by zero");
  return std::floor(a / b);
}
inline double float_floor_mod(double a, double b) { return a - float_floor_div(a, b) * b; }
inline double true_div(double a, double b) {
  if (b == 0) throw InstanceFault("division by zero");
  return a / b;
}

}  // namespace acrobat
