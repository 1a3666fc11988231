// The arguments of a kernel (for their order see kernels/printers/cuda/compiled.py), and the number
// of tiles of its batch.
#pragma once

#include <cstdint>

#include "../generated.h"
#include "arena.h"
#include "kernels.h"
#include "modules.h"
#include "weights.h"

namespace acrobat::cuda {

// Nodes of a batch that run together: where their records, temporaries and offsets begin. `stride`
// is the distance between the offsets of one operand and the next, `operands` the offsets' base.
struct Nodes {
  int64_t n, stride;
  Address record, scratch, offsets, operands;
};

// The arguments of one kernel over such nodes.
struct Arguments {
  const LoadedKernel& kernel;
  const Variant& variant;
  int64_t rows, row_tiles;
  int n;
  Address values[5 + 2 * kMaxOperands];

  Arguments(const KernelInfo& info, int number, const Modules& modules, const Weights& weights,
            const Nodes& nodes)
      : Arguments(info, modules[number], nodes.n) {
    n = 5 + 2 * info.operands;
    values[0] = nodes.record;
    values[1] = nodes.scratch;
    values[2] = static_cast<Address>(rows);
    values[3] = weights.packed(number);
    values[4] = weights.vectors(number);
    for (int i = 0; i < info.operands; i++) {
      const auto& source = info.source[i];
      Address base = source.table >= 0 ? weights.table(source.table) : nodes.operands;
      values[5 + 2 * i] = base + static_cast<Address>(source.start) * sizeof(float);
      values[6 + 2 * i] =
          nodes.offsets + static_cast<Address>(source.argument * nodes.stride) * sizeof(int32_t);
    }
  }
  int64_t tiles() const { return row_tiles * variant.column_blocks; }

 private:
  Arguments(const KernelInfo& info, const LoadedKernel& kernel, int64_t nodes)
      : kernel(kernel), variant(kernel.choose(nodes * info.rows)), rows(nodes * info.rows) {
    auto up = [&](int64_t m) { return (m + variant.tile_rows - 1) / variant.tile_rows; };
    row_tiles = info.shares_tiles ? up(rows) : nodes * up(info.rows);
  }
};

// The most floats of temporaries: no more than a GPU's cache and one batch can make use of. Larger
// batches run in slices.
constexpr int64_t kScratchFloats = int64_t{16} << 20;

// How many nodes of a batch run together.
inline int64_t slice_size(const Batch& b) {
  int64_t scratch = kBlockInfo[b.block].scratch;
  if (scratch == 0) return b.n;
  return std::min<int64_t>(b.n, std::max<int64_t>(1, kScratchFloats / scratch));
}

}  // namespace acrobat::cuda
