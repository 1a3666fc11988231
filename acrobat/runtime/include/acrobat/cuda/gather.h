// Without gather fusion: the operands of a batch are copied to one place, and its kernels read the
// copies.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../generated.h"
#include "../schedule/schedule.h"
#include "copy_runs.h"

namespace acrobat::cuda {

// The number of copies that a batch needs, and their floats.
inline size_t gather_runs(const Batch& b) {
  return static_cast<size_t>(kBlockInfo[b.block].operands) * b.n;
}
inline int64_t gather_floats(const Batch& b) {
  int64_t floats = 0;
  for (int j = 0; j < kBlockInfo[b.block].operands; j++) floats += kOperandWidths[b.block][j];
  return floats * b.n;
}

// Writes the runs that copy a batch's operands, and replaces the operands' offsets by those of the
// copies.
inline void plan_gather(const Batch& b, int32_t* offsets, Run* runs) {
  uint32_t at = 0;
  int32_t* offset = offsets + b.first;
  for (int j = 0; j < kBlockInfo[b.block].operands; j++) {
    auto width = static_cast<uint32_t>(kOperandWidths[b.block][j]);
    for (uint32_t i = 0; i < b.n; i++, offset++, runs++, at += width) {
      *runs = {static_cast<uint32_t>(*offset), at, width};
      *offset = static_cast<int32_t>(at);
    }
  }
}

}  // namespace acrobat::cuda
