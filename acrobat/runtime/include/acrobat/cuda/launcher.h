// Launches the kernels of batches, one after the other on one stream. If the GPU can, a kernel
// begins before the previous one has ended, loads what the host wrote, and then waits by itself
// (programmatic dependent launch).
#pragma once

#include <algorithm>
#include <string>

#include "../generated.h"
#include "../schedule/schedule.h"
#include "arguments.h"
#include "staging.h"

namespace acrobat::cuda {

struct Launcher {
  const Gpu& gpu;
  const Modules& modules;
  const Weights& weights;
  const DeviceArena& arena;
  const Staging& staging;
  Stream stream;
  // Whether the last work given to the stream is a kernel of a batch. A kernel that follows
  // anything else begins when that has ended.
  bool follows = false;

  // The floats of temporaries that the largest batch needs.
  static int64_t scratch_floats(const Schedule& s) {
    int64_t most = 0;
    for (const Batch& b : s.batches) {
      most = std::max(most, slice_size(b) * kBlockInfo[b.block].scratch);
    }
    return most;
  }

  // Launches all kernels of a batch, whose operands' offsets count from `operands`. Returns the
  // number of launches.
  int64_t batch(const Batch& b, Address operands) {
    const BlockInfo& block = kBlockInfo[b.block];
    const BlockKernels& plan = kPlans[b.block];
    const int64_t size = slice_size(b);
    int64_t launches = 0;
    for (int64_t first = 0; first < b.n; first += size) {
      Nodes nodes{std::min(size, b.n - first),
                  b.n,
                  arena.at(b.record + first * block.record),
                  arena.at(staging.scratch),
                  arena.at(staging.offsets + static_cast<int64_t>(b.first) + first),
                  operands};
      for (int k = 0; k < plan.n; k++) {
        kernel(Arguments(plan.kernels[k], plan.first + k, modules, weights, nodes));
      }
      launches += plan.n;
    }
    return launches;
  }

 private:
  void kernel(Arguments a) {
    void* parameters[7 + 2 * kMaxOperands];
    Address null = 0;
    // The number of rows is an argument of 4 bytes: the lower half of its value.
    for (int i = 0; i < a.n; i++) parameters[i] = &a.values[i];
    parameters[a.n] = parameters[a.n + 1] = &null;
    const Variant& v = a.variant;
    auto row_tiles = static_cast<unsigned>(a.row_tiles);
    Result r;
    if (follows && gpu.begins_early()) {
      LaunchAttribute early;
      LaunchConfig how{
          {row_tiles, v.column_blocks, 1}, {v.threads, 1, 1}, v.shared, stream, &early, 1};
      r = gpu.driver.cuLaunchKernelEx(&how, v.function, parameters, nullptr);
    } else {
      r = gpu.driver.cuLaunchKernel(v.function, row_tiles, v.column_blocks, 1, v.threads, 1, 1,
                                    v.shared, stream, parameters, nullptr);
    }
    follows = true;
    if (r != kSuccess) {
      gpu.driver.fail(r, "launching kernel " + a.kernel.name + " over " + std::to_string(a.rows) +
                             " rows (" + std::to_string(v.shared) + " bytes of shared memory)");
    }
  }
};

}  // namespace acrobat::cuda
