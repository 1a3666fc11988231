// Where a kernel finds an operand of a node.
#pragma once

#include <cstdint>

namespace acrobat {

struct OperandSource {
  int argument;   // which of the node's arguments holds its offset
  int table;      // the table that the offset counts from, or -1: the arena
  int64_t start;  // floats after the offset
};

}  // namespace acrobat
