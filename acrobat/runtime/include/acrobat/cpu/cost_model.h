// A model of how long a kernel takes: to compute or to read its weights, whichever is longer.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../graph/graph.h"
#include "partition.h"

namespace acrobat {

class CostModel {
 public:
  // Measured on a Xeon with AVX-512; only their ratios matter. Flops of a contraction per
  // microsecond; floats of weights per microsecond from a core's own cache, and from beyond it
  // (with hidden size 256 and 1 to 8 rows a step of an RNN takes 4.4, 4.3, 4.0, 4.2, 4.2, 5.1, 5.4
  // and 6.5 us: the time to read the weights or to compute, whichever is longer); microseconds of
  // a barrier; and the microseconds that a kernel must take to be worth a barrier.
  static constexpr double kFlops = 135e3, kNear = 15e3, kFar = 4.5e3, kBarrier = 0.3, kWorth = 3.5;
  // The additional microseconds of a barrier for each thread beyond two: all threads count on one
  // cache line, and moving it from core to core takes this long. Assumed, not measured: about 50 ns
  // on today's servers.
  static constexpr double kThread = 0.05;
  // Microseconds to read a float that another thread may have written, besides the arithmetic.
  static constexpr double kHandOver = 0.4e-3;
  // The cost of an element of point-wise code, in flops of a contraction.
  static constexpr int64_t kElementFlops = 16;

  // `widths`: per block and operand, the floats that a node reads.
  CostModel(const BlockInfo* blocks, const BlockKernels* plans, const int* const* widths,
            int n_blocks, int threads)
      : plans_(plans), threads_(threads) {
    int64_t bytes = 0;
    for (int b = 0; b < n_blocks; b++) {
      operands_.push_back(std::accumulate(widths[b], widths[b] + blocks[b].operands, 0));
      for (int k = 0; k < plans[b].n; k++) {
        const KernelInfo& kernel = plans[b].kernels[k];
        bytes += weight_bytes(kernel, kernel.matrices);
      }
    }
    // Besides the weights, the cache holds what the kernels read and write.
    auto room = static_cast<double>(sysconf(_SC_LEVEL2_CACHE_SIZE)) * 0.6;
    whole_ = static_cast<double>(bytes) <= room ? kNear : kFar;
    part_ = static_cast<double>(bytes) / threads <= room ? kNear : kFar;
  }

  int threads() const { return threads_; }

  // Floats that a node of the block reads.
  int64_t operands(int block) const { return operands_[static_cast<size_t>(block)]; }

  // Microseconds of arithmetic for n nodes.
  static double compute(const KernelInfo& k, int64_t n) {
    return static_cast<double>(n * (k.flops / k.rate + k.elements * kElementFlops)) / kFlops;
  }

  // Microseconds to read all weights for n nodes: by a thread that reads the weights of all kernels
  // as a whole, and by one that reads only its part of each kernel's.
  double load_as_whole(const KernelInfo& k, int64_t n) const {
    return weight_floats(k, n) / whole_;
  }
  double load_as_part(const KernelInfo& k, int64_t n) const { return weight_floats(k, n) / part_; }

  // Microseconds of a barrier of `owners` threads.
  static double barrier(int owners) { return kBarrier + kThread * std::max(owners - 2, 0); }

  // The number of threads to partition work among that takes `time` microseconds and has `units`
  // parts: the number for which work and barrier together take the least time.
  int owners(double time, int64_t units) const {
    const int most = static_cast<int>(std::min<int64_t>(threads_, std::max<int64_t>(units, 1)));
    if (most <= 2) return most;
    return std::clamp(static_cast<int>(std::sqrt(time / kThread)), 2, most);
  }
  Split split(const KernelInfo& k, int64_t n) const {
    const double time = std::max(load_as_part(k, n), compute(k, n));
    return split_among(k, n, owners(time, threads_));
  }
  // The number of threads for nodes of a batch that go through all kernels of a block.
  int node_owners(int block, int64_t n) const {
    double time = 0;
    for (int i = 0; i < plans_[block].n; i++) {
      const KernelInfo& k = plans_[block].kernels[i];
      time += std::max(load_as_part(k, n), compute(k, n));
    }
    return owners(time, n);
  }

  // Whether a kernel over n nodes is worth handing to other threads.
  bool worth(const KernelInfo& k, int64_t n) const {
    return threads_ > 1 && std::max(load_as_whole(k, n), compute(k, n)) >= kWorth;
  }

  // Microseconds that a batch takes: on one thread that reads no other weights; with its nodes
  // partitioned among all threads; with each kernel partitioned. `worth`: whether to partition it.
  struct Costs {
    double alone = 0, by_nodes = 0, by_kernel = 0;
    bool worth = false;
  };
  Costs costs(int block, int64_t n) const {
    Costs c;
    const int node_owners = this->node_owners(block, n);
    c.by_nodes = barrier(node_owners);
    for (int i = 0; i < plans_[block].n; i++) {
      const KernelInfo& k = plans_[block].kernels[i];
      const double part = std::max(load_as_part(k, n), compute(k, n)), whole = load_as_whole(k, n);
      const int64_t own = (n + node_owners - 1) / node_owners;
      const int owners = split(k, n).owners;
      c.alone += part;
      c.by_nodes += std::max(load_as_whole(k, own), compute(k, own));
      c.by_kernel += worth(k, n) ? part / owners + barrier(owners) : std::max(whole, compute(k, n));
    }
    c.worth = threads_ > 1 && c.alone >= kWorth;
    const double read = kHandOver * static_cast<double>(n * operands(block));
    c.by_nodes += read / node_owners;
    c.by_kernel += read;
    return c;
  }

 private:
  // Nodes that choose among several matrices are assumed to choose as many as they can.
  static int64_t weight_bytes(const KernelInfo& k, int64_t n) {
    return k.shares_tiles ? k.flops / (2 * k.rows) * std::min(n, k.matrices) * k.weight_bytes : 0;
  }
  // The number of floats that can be read in the same time.
  static double weight_floats(const KernelInfo& k, int64_t n) {
    return static_cast<double>(weight_bytes(k, n)) / sizeof(float);
  }

  const BlockKernels* plans_;
  std::vector<int64_t> operands_;  // per block
  int threads_;
  double whole_, part_;  // the rate at which a thread reads all weights, or its part of them
};

}  // namespace acrobat
