// The limits of kernels, tables and the run-time: acrobat/limits.py in C++. What is generated from
// Python asserts that the two agree.
#pragma once

#include <cstdint>

namespace acrobat {

// Operands of a kernel that have an offset per node, and rows of a tile.
constexpr int kMaxOperands = 64, kMaxTile = 12;

// Floats of temporaries of a batch on the CPU, which stay in the last-level cache (10 MiB): larger
// batches run slice by slice.
constexpr int64_t kSliceFloats = int64_t{5} << 19;

// Dimensions of an instance's or a result's tensor; data types of a model.
constexpr int kMaxRank = 3, kMaxDataTypes = 64;

// Numbers that a mini-batch may turn into tensors.
constexpr int64_t kMaxScalars = int64_t{1} << 22;

// Floats of an arena that int32 offsets address.
constexpr int64_t kArenaFloats = (int64_t{1} << 31) - 2 * kMaxScalars;

// Floats: where records, weights and temporaries begin is a multiple of it.
constexpr int64_t kAlign = 16;
constexpr int64_t align(int64_t floats) { return (floats + kAlign - 1) / kAlign * kAlign; }

// How far hoisted nodes run ahead: rows of a batch, and the least number of depths.
constexpr uint32_t kHoistedRows = 1024, kLeastDepthsAhead = 16;

}  // namespace acrobat
