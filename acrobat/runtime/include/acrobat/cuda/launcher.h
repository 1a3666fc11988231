// Launches the kernels of batches, one after the other on one stream (kernels/cuda/compiled.py has
// the order of their parameters).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../generated.h"
#include "../schedule.h"
#include "arena.h"
#include "copy_runs.h"
#include "kernels.h"
#include "modules.h"
#include "weights.h"

namespace acrobat::cuda {

// Where what lives during one computation lies, in floats from the arena's base.
struct Layout {
  int64_t offsets;    // of the operands, int32
  int64_t runs;       // to copy: first those of gathered operands, then those of awaited values
  int64_t collected;  // awaited values
  int64_t scratch;
  int64_t gathered;  // copies of a batch's operands, without gather fusion
  int64_t end;
};

struct Launcher {
  const Gpu& gpu;
  const Modules& modules;
  const Weights& weights;
  const DeviceArena& arena;
  const Layout& layout;
  Stream stream;

  // Temporaries are kept to what a GPU's cache and one batch can make use of: larger batches run in
  // parts.
  static constexpr int64_t kScratchFloats = int64_t{16} << 20;

  // How many nodes of a batch run together.
  static int64_t part_size(const Batch& b) {
    int64_t scratch = kBlockInfo[b.block].scratch;
    if (scratch == 0) return b.n;
    return std::min<int64_t>(b.n, std::max<int64_t>(1, kScratchFloats / scratch));
  }

  // Floats of temporaries that the largest batch needs.
  static int64_t scratch_floats(const Schedule& s) {
    int64_t most = 0;
    for (const Batch& b : s.batches) {
      most = std::max(most, part_size(b) * kBlockInfo[b.block].scratch);
    }
    return most;
  }

  // All kernels of a batch whose operands' offsets count from `rows`. The number of launches.
  int64_t batch(const Batch& b, Address rows) const {
    const BlockInfo& block = kBlockInfo[b.block];
    const BlockKernels& plan = kPlans[b.block];
    const int64_t size = part_size(b);
    int64_t launches = 0;
    for (int64_t first = 0; first < b.n; first += size) {
      int64_t n = std::min(size, b.n - first);
      Address record = arena.at(b.record + first * block.record);
      Address offsets = arena.at(layout.offsets + static_cast<int64_t>(b.first) + first);
      for (int k = 0; k < plan.n; k++) {
        kernel(plan.kernels[k], plan.first + k, n, record, offsets, b.n, rows);
      }
      launches += plan.n;
    }
    return launches;
  }

 private:
  // One kernel over n nodes. `stride` is the distance between the offsets of one operand and the
  // next.
  void kernel(const KernelInfo& info, int number, int64_t n, Address record, Address offsets,
              int64_t stride, Address rows_base) const {
    const LoadedKernel& loaded = modules[number];
    int64_t total = n * info.rows;
    const Variant& v = loaded.choose(total);
    auto up = [&](int64_t rows) { return (rows + v.tile_rows - 1) / v.tile_rows; };
    int64_t tiles = info.shares_tiles ? up(total) : n * up(info.rows);
    Address scratch = arena.at(layout.scratch), null = 0;
    auto rows = static_cast<int32_t>(total);
    Address packed = weights.packed(number), vectors = weights.vectors(number);
    Address operands[2 * kMaxOperands];
    void* parameters[7 + 2 * kMaxOperands] = {&record, &scratch, &rows, &packed, &vectors};
    for (int i = 0; i < info.operands; i++) {
      const auto& source = info.source[i];
      Address base = source.table >= 0 ? weights.table(source.table) : rows_base;
      operands[2 * i] = base + static_cast<Address>(source.start) * sizeof(float);
      operands[2 * i + 1] =
          offsets + static_cast<Address>(source.argument * stride) * sizeof(int32_t);
      parameters[5 + 2 * i] = &operands[2 * i];
      parameters[6 + 2 * i] = &operands[2 * i + 1];
    }
    parameters[5 + 2 * info.operands] = parameters[6 + 2 * info.operands] = &null;
    Result r = gpu.driver.cuLaunchKernel(v.function, static_cast<unsigned>(tiles), v.column_blocks,
                                         1, v.threads, 1, 1, v.shared, stream, parameters, nullptr);
    if (r != kSuccess) {
      gpu.driver.fail(r, "launching kernel " + loaded.name + " over " + std::to_string(total) +
                             " rows (" + std::to_string(v.shared) + " bytes of shared memory)");
    }
  }
};

}  // namespace acrobat::cuda
