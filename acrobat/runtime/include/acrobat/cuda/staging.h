// Where the data lies that is needed only during one computation: after the records, where those of
// the next computation will be. The order of the stream makes this safe.
#pragma once

#include <cstdint>

#include "../schedule/arena.h"
#include "copy_runs.h"

namespace acrobat::cuda {

// The number of floats of each, but of `runs` their number.
struct Needs {
  int64_t table = 0;  // of steps
  int64_t offsets = 0;
  int64_t runs = 0;
  int64_t scratch = 0;
  int64_t gathered = 0;
};

// Positions in floats from the arena's base. Table, offsets and runs are adjacent, so that one copy
// brings all of them.
struct Staging {
  int64_t table;
  int64_t offsets;  // of the operands, int32
  int64_t runs;     // to copy: first those of gathered operands, then those of awaited values
  int64_t scratch;
  int64_t gathered;  // copies of operands, without gather fusion
  int64_t end;

  Staging(int64_t records, const Needs& needs) {
    constexpr int64_t kRun = sizeof(Run) / sizeof(float);
    table = records;
    offsets = table + needs.table;
    runs = offsets + needs.offsets;
    scratch = align(runs + needs.runs * kRun);
    gathered = scratch + needs.scratch;
    end = gathered + needs.gathered;
    Arena::require(end);
  }
  // The bytes of table, offsets and runs.
  size_t bytes(const Needs& needs) const {
    return static_cast<size_t>(needs.table + needs.offsets) * sizeof(float) +
           static_cast<size_t>(needs.runs) * sizeof(Run);
  }
};

}  // namespace acrobat::cuda
