// How the threads of a team divide the batches: by a model of what a kernel takes.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels.h"
#include "schedule.h"

namespace acrobat {

class Sharing {
 public:
  // `widths`: per block and row operand, the floats that a node reads.
  Sharing(const BlockInfo* blocks, const BlockKernels* plans, const int* const* widths,
          int n_blocks, int threads)
      : blocks_(blocks), plans_(plans), threads_(threads) {
    int64_t bytes = 0;
    for (int b = 0; b < n_blocks; b++) {
      operands_.push_back(std::accumulate(widths[b], widths[b] + blocks[b].rows, 0));
      for (int k = 0; k < plans[b].n; k++) bytes += weight_floats(plans[b].kernels[k]) * 4;
    }
    // Besides the weights a cache holds what the kernels read and write.
    auto room = static_cast<double>(sysconf(_SC_LEVEL2_CACHE_SIZE)) * 0.6;
    whole_ = static_cast<double>(bytes) <= room ? kNear : kFar;
    part_ = static_cast<double>(bytes) / threads <= room ? kNear : kFar;
  }

  // Whether a kernel over n nodes is worth a hand-over to the other threads.
  bool worth(const KernelInfo& k, int64_t n) const {
    return threads_ > 1 && us(k, n, whole_) >= kWorth;
  }

  // Whether the kernels of a block over n nodes together are.
  bool worth(int block, int64_t n) const { return threads_ > 1 && costs(block, n).worth; }

  // Whether every thread takes nodes of its own through all kernels of a block, rather than a part
  // of every kernel: then the threads meet once, the small kernels are divided like the large ones,
  // and a thread reads the operands of its nodes only; but every thread reads all weights, and one
  // may have a node more than another.
  bool apart(int block, int64_t n) const {
    Costs c = costs(block, n);
    return c.worth && plans_[block].n > 1 && c.apart < c.divided;
  }

  // Which batches one thread runs alone while the others run other batches: `runs_on[i]` is batch
  // i's thread, or -1. Batches of one depth do not read each other, unless they are hoisted. Where
  // a chain of batches stays with a thread, so do its weights and what it computes.
  void assign(const std::vector<Batch>& batches, std::vector<int>& runs_on) const {
    runs_on.assign(batches.size(), -1);
    std::vector<double> load(static_cast<size_t>(threads_));
    for (size_t first = 0, last; first < batches.size(); first = last) {
      last = first + 1;
      if (!independent(batches[first])) continue;
      while (last < batches.size() && independent(batches[last]) &&
             batches[last].step == batches[first].step) {
        last++;
      }
      if (last - first < 2) continue;
      std::fill(load.begin(), load.end(), 0);
      double together = 0;
      for (size_t i = first; i < last; i++) {
        auto least = std::min_element(load.begin(), load.end());
        runs_on[i] = static_cast<int>(least - load.begin());
        Costs c = costs(batches[i].block, batches[i].n);
        *least += c.alone;
        together += c.worth ? std::min(c.apart, c.divided) : c.alone;
      }
      double longest = *std::max_element(load.begin(), load.end()) + kMeet;
      if (longest < together) continue;
      std::fill(runs_on.begin() + static_cast<int64_t>(first),
                runs_on.begin() + static_cast<int64_t>(last), -1);
    }
  }

 private:
  // Measured on a Xeon with AVX-512; what counts is how they compare. Flops of a contraction per
  // microsecond; floats of weights per microsecond from a core's own cache, and from beyond it
  // (with hidden size 256 and 1 to 8 rows a step of an RNN takes 4.4, 4.3, 4.0, 4.2, 4.2, 5.1, 5.4
  // and 6.5 us: the time to read the weights or to compute, whichever is longer); microseconds for
  // all threads to meet; and how long a kernel must be for that.
  static constexpr double kFlops = 135e3, kNear = 15e3, kFar = 4.5e3, kMeet = 0.3, kWorth = 3.5;
  // Microseconds to read a float that another thread may have written, beside the arithmetic.
  static constexpr double kHandOver = 0.4e-3;
  // What an element of point-wise code costs, in flops of a contraction.
  static constexpr int64_t kElementFlops = 16;

  // Microseconds that a batch takes: on one thread, which reads no other weights; divided among
  // all node by node; divided kernel by kernel. `worth`: whether to divide it at all.
  struct Costs {
    double alone = 0, apart = kMeet, divided = 0;
    bool worth = false;
  };
  Costs costs(int block, int64_t n) const {
    Costs c;
    for (int k = 0; k < plans_[block].n; k++) {
      const KernelInfo& info = plans_[block].kernels[k];
      bool shared = worth(info, n);
      c.alone += us(info, n, part_);
      c.apart += us(info, (n + threads_ - 1) / threads_, whole_);
      c.divided += shared ? us(info, n, part_) / threads_ + kMeet : us(info, n, whole_);
    }
    c.worth = c.alone >= kWorth;
    double operands = kHandOver * static_cast<double>(n * operands_[block]);
    c.apart += operands / threads_;
    c.divided += operands;
    return c;
  }

  bool independent(const Batch& b) const {
    return b.step != 0 && !blocks_[b.block].hoisted && blocks_[b.block].scratch == 0;
  }

  static int64_t weight_floats(const KernelInfo& k) {
    return k.shares_tiles ? k.flops / (2 * k.rows) : 0;
  }
  static double us(const KernelInfo& k, int64_t n, double floats_per_us) {
    double load = static_cast<double>(weight_floats(k)) / floats_per_us;
    return std::max(load, static_cast<double>(n * (k.flops + k.elements * kElementFlops)) / kFlops);
  }

  const BlockInfo* blocks_;
  const BlockKernels* plans_;
  std::vector<int64_t> operands_;  // per block, floats of the row operands of a node
  int threads_;
  double whole_, part_;  // the rate at which a thread reads all weights, or its part of them
};

}  // namespace acrobat
