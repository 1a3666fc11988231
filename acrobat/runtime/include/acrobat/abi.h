// The ABI between the generated program, the run-time that it is linked with, and Python: a
// version, sizes and limits, by name. Program and run-time each compile a table of their own, and
// Python compares the two before it calls anything else (runtime/abi.py).
#pragma once

#include <cstdint>

#include "cpu/kernels.h"
#include "graph/context.h"
#include "graph/graph.h"
#include "graph/records.h"
#include "limits.h"

namespace acrobat {

// Counts changes in the meaning of functions or fields that no size shows.
constexpr int64_t kAbiVersion = 3;

struct AbiNumber {
  const char* name;
  int64_t value;
};

#define ACROBAT_ABI_SIZE(T) {#T, sizeof(T)}
#define ACROBAT_ABI_LIMIT(L) {#L, L}

// The numbers on the border between program and run-time.
#define ACROBAT_PROGRAM_ABI                                                                       \
  {"version", acrobat::kAbiVersion}, ACROBAT_ABI_SIZE(BlockInfo), ACROBAT_ABI_SIZE(BlockKernels), \
      ACROBAT_ABI_SIZE(Context), ACROBAT_ABI_SIZE(DataType), ACROBAT_ABI_SIZE(FieldType),         \
      ACROBAT_ABI_SIZE(Graph), ACROBAT_ABI_SIZE(KernelInfo), ACROBAT_ABI_SIZE(OperandSource),     \
      ACROBAT_ABI_SIZE(PackedArg), ACROBAT_ABI_SIZE(Word), ACROBAT_ABI_LIMIT(kAlign),             \
      ACROBAT_ABI_LIMIT(kArenaFloats), ACROBAT_ABI_LIMIT(kHoistedRows),                           \
      ACROBAT_ABI_LIMIT(kLeastDepthsAhead), ACROBAT_ABI_LIMIT(kMaxDataTypes),                     \
      ACROBAT_ABI_LIMIT(kMaxOperands), ACROBAT_ABI_LIMIT(kMaxRank),                               \
      ACROBAT_ABI_LIMIT(kMaxScalars), ACROBAT_ABI_LIMIT(kMaxTile), ACROBAT_ABI_LIMIT(kSliceFloats)

// The numbers that the program was compiled with, defined by the program; the last has no name.
extern const AbiNumber kProgramAbi[];

}  // namespace acrobat
