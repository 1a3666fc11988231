// The limits of kernels, tables and the run-time: acrobat/limits.py in C++. Code that is generated
// from Python asserts that the two agree.
#pragma once

#include <cstdint>

namespace acrobat {

// The most operands of a kernel that have an offset per node, and the most rows of a tile.
constexpr int kMaxOperands = 64, kMaxTile = 12;

// The most floats of a batch's temporaries on the CPU, which stay in the last-level cache (10 MiB):
// larger batches run slice by slice.
constexpr int64_t kSliceFloats = int64_t{5} << 19;

// The most dimensions of an instance's or a result's tensor, and the most data types of a model.
constexpr int kMaxRank = 3, kMaxDataTypes = 64;

// The most numbers that a mini-batch may turn into tensors.
constexpr int64_t kMaxScalars = int64_t{1} << 22;

// The floats of an arena that int32 offsets can address.
constexpr int64_t kArenaFloats = (int64_t{1} << 31) - 2 * kMaxScalars;

// In floats: records, weights and temporaries begin at multiples of it.
constexpr int64_t kAlign = 16;
constexpr int64_t align(int64_t floats) { return (floats + kAlign - 1) / kAlign * kAlign; }

// How far hoisted nodes run ahead: rows of a batch, and the least number of depths.
constexpr uint32_t kHoistedRows = 1024, kLeastDepthsAhead = 16;

}  // namespace acrobat
