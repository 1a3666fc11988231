// The nodes of one forward block that a backward run went through.
#pragma once

#include <cstdint>
#include <vector>

#include "tables.h"

namespace acrobat {

struct BlockNodes {
  std::vector<int64_t> records, adjoints;       // where they begin, per node
  std::vector<std::vector<int64_t>> arguments;  // offsets of operands, then of gathered rows
  std::vector<std::vector<int64_t>> gradients;  // where those of the outputs begin

  size_t size() const { return records.size(); }

  // Makes room for at most `n` nodes of a block with so many operands and gathered rows, and
  // outputs.
  void make_room(size_t n, size_t n_arguments, size_t n_outputs) {
    arguments.resize(n_arguments);
    gradients.resize(n_outputs);
    records.reserve(n);
    adjoints.reserve(n);
    for (auto& a : arguments) a.reserve(n);
    for (auto& g : gradients) g.reserve(n);
  }

  // Where a value of node i begins.
  int64_t offset(const Source& s, size_t i) const {
    switch (s.place) {
      case Place::kOutput:
        return records[i] + s.at;
      case Place::kGradient:
        return gradients[static_cast<size_t>(s.argument)][i] + s.at;
      case Place::kAdjoint:
        return adjoints[i] + s.at;
      default:
        return arguments[static_cast<size_t>(s.argument)][i] + s.at;
    }
  }
  const float* at(const Source& s, size_t i, const float* arena) const {
    return (s.place == Place::kRow ? s.table : arena) + offset(s, i);
  }
};

}  // namespace acrobat
