// The kernels of a block's plan for a GPU: what the generated program knows about them (tables that
// it defines), and their machine code, which comes with the configuration.
#pragma once

#include "../abi.h"
#include "../config.h"
#include "../limits.h"
#include "../operand_source.h"

namespace acrobat::cuda {

// One kernel of a block's plan; kernels are numbered across all plans.
struct KernelInfo {
  int rows;           // per node
  bool shares_tiles;  // a tile may hold rows of several nodes
  int level;          // the length of the longest chain of the plan's kernels that run before it
  int operands;
  OperandSource source[kMaxOperands];
};

struct BlockKernels {
  const KernelInfo* kernels;
  int n;
  int first;  // the number of the first kernel
};

// Defined by the generated program.
extern const BlockKernels kPlans[];

// The other numbers that a program and the run-time must agree on.
#define ACROBAT_CUDA_PROGRAM_ABI                                 \
  {"cuda::BlockKernels", sizeof(acrobat::cuda::BlockKernels)}, { \
    "cuda::KernelInfo", sizeof(acrobat::cuda::KernelInfo)        \
  }

// Mirrored in Python by runtime/structures.py.
struct VariantCode {
  const char* cubin;
  const char* symbol;
  int least_rows, tile_rows, column_blocks, warps, shared, kind;
};
struct KernelCode {
  const char* name;
  const VariantCode* variants;
  int n;
};

struct PersistentKernelCode {
  const char* cubin;
  const char* symbol;
  int warps, shared;
};

// The configuration of a GPU's program. `packed` has two arrays per kernel, weights and vectors.
struct Config : acrobat::Config {
  int gpu;
  int n_kernels, n_tables;
  const KernelCode* kernels;
  const PersistentKernelCode* persistent_kernel;  // null if kernels are launched one by one
  const int64_t* packed_floats;
  const int64_t* table_floats;
  void* memory;  // a callable: memory(capsule) -> runtime.device_array.DeviceMemory

  static constexpr AbiNumber kAbi[] = {ACROBAT_CUDA_PROGRAM_ABI,
                                       ACROBAT_ABI_SIZE(VariantCode),
                                       ACROBAT_ABI_SIZE(KernelCode),
                                       ACROBAT_ABI_SIZE(PersistentKernelCode),
                                       {nullptr, 0}};
};

}  // namespace acrobat::cuda
