// Decides how batches are partitioned among threads, by a model of how long kernels take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../schedule/schedule.h"
#include "cost_model.h"
#include "partition.h"
#include "work_stealing.h"

namespace acrobat {

// How a batch is partitioned. `by_nodes`: every thread runs all kernels of the block on nodes of
// its own, rather than a part of every kernel. Then there is only one barrier, small kernels are
// partitioned like large ones, and a thread reads only the operands of its nodes; but every thread
// reads all weights, and one may have a node more than another.
struct PartitionPlan {
  CostModel::Costs costs;
  bool by_nodes = false;
  Grain nodes;                 // if by_nodes
  std::vector<Grain> kernels;  // if not; no groups for a kernel that thread 0 runs alone
  Grain one;                   // if one thread runs the batch while others run other batches

  // The number of threads that have a part.
  int owners() const {
    int most = by_nodes ? nodes.owners : 1;
    for (const Grain& g : kernels) most = std::max(most, g.owners);
    return most;
  }
};

class Partitioner {
 public:
  Partitioner(const BlockInfo* blocks, const BlockKernels* plans, const int* const* widths,
              int n_blocks, int threads)
      : blocks_(blocks), plans_(plans), model_(blocks, plans, widths, n_blocks, threads) {
    if (threads == 1) return;
    for (int b = 0; b < n_blocks; b++) {
      for (int64_t n = 0; n < kSmall; n++) small_.push_back(partition(b, n));
    }
  }

  // How a batch, or some of its nodes, is partitioned. For small batches the decision would take as
  // long as a barrier, so it is made when the program is loaded; `room` holds the plan of others.
  const PartitionPlan& plan_for(int block, int64_t n, PartitionPlan& room) const {
    if (n < kSmall) return small_[static_cast<size_t>(block * kSmall + n)];
    return room = partition(block, n);
  }

  // The number of threads that n nodes of a block are partitioned among; 1 if it is not worth it.
  int owners(int block, int64_t n) const {
    if (model_.threads() == 1) return 1;
    PartitionPlan room;
    const PartitionPlan& plan = plan_for(block, n, room);
    return plan.costs.worth ? plan.owners() : 1;
  }

  // How one thread runs a batch: the thread, or -1 if all threads run it, and the number of chunks.
  struct Run {
    int thread = -1, chunks = 0;
    Grain grain;
  };

  // Decides which batches run on one thread each, concurrently. Batches of the same depth do not
  // read each other, unless they are hoisted. If a chain of batches stays on one thread, so do its
  // weights and intermediate values.
  void assign(std::span<const Batch> batches, std::vector<Run>& runs) const {
    runs.assign(batches.size(), Run{});
    std::vector<double> load(static_cast<size_t>(model_.threads()));
    PartitionPlan room;
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
      int64_t chunks = 0;
      for (size_t i = first; i < last; i++) {
        auto least = std::min_element(load.begin(), load.end());
        const PartitionPlan& d = plan_for(batches[i].block, batches[i].n, room);
        runs[i] = {static_cast<int>(least - load.begin()), chunks_of(batches[i], d.one), d.one};
        chunks += runs[i].chunks;
        *least += d.costs.alone;
        together += d.costs.worth ? std::min(d.costs.by_nodes, d.costs.by_kernel) : d.costs.alone;
      }
      const int busy = static_cast<int>(std::min(last - first, load.size()));
      const double longest = *std::max_element(load.begin(), load.end()) + CostModel::barrier(busy);
      if (longest < together && chunks <= WorkQueues::kMaxChunks) continue;
      for (size_t i = first; i < last; i++) runs[i] = Run{};
    }
  }

 private:
  static constexpr int64_t kSmall = 65;
  // The least duration of a chunk in microseconds, and the approximate maximum of chunks in a
  // queue: taking a chunk costs time, and other threads may have to wait for the last one.
  static constexpr double kChunk = 1.5;
  static constexpr int kChunks = 16;

  PartitionPlan partition(int block, int64_t n) const {
    const BlockKernels& plan = plans_[block];
    PartitionPlan d{
        .costs = model_.costs(block, n), .by_nodes = false, .nodes = {}, .kernels = {}, .one = {}};
    d.by_nodes = d.costs.worth && plan.n > 1 && d.costs.by_nodes < d.costs.by_kernel;
    if (d.by_nodes) {
      d.nodes = of_nodes(block, n, model_.threads() > 1);
    } else {
      for (int i = 0; i < plan.n; i++) {
        const KernelInfo& k = plan.kernels[i];
        d.kernels.push_back(model_.worth(k, n) ? of_kernel(k, n, model_.split(k, n), 0) : Grain{});
      }
    }
    d.one = plan.n > 1 ? of_nodes(block, n, false)
                       : of_kernel(plan.kernels[0], n, Split{1, true}, model_.operands(block));
    return d;
  }

  // The grain for a kernel over n nodes. `floats`: per node, those that only its owner has cached.
  Grain of_kernel(const KernelInfo& k, int64_t n, const Split& s, int64_t floats) const {
    const int64_t rows = n * k.rows / (s.by_columns ? 1 : s.owners);
    const int blocks = std::max(1, s.by_columns ? k.column_blocks / s.owners : k.column_blocks);
    const double compute = CostModel::compute(k, n) / s.owners;
    const double part = s.by_columns ? 1.0 / s.owners : 1;
    const int64_t cached = (rows + k.rows_at_once - 1) / k.rows_at_once;
    const int64_t most = std::max(1, WorkQueues::kMaxChunks / (blocks + 1));
    Grain g{s};
    g.groups = static_cast<int>(
        std::min(most, std::max(cached, groups(compute, model_.load_as_part(k, n) * part, blocks,
                                               rows / k.usual_tile))));
    const double own = std::max(compute / g.groups, model_.load_as_part(k, n) * part) / blocks;
    const double other = std::max(compute / g.groups, model_.load_as_whole(k, n) * part) / blocks +
                         CostModel::kHandOver * static_cast<double>(n * floats);
    g.at_once = at_most(kChunk, own);
    g.least = at_most(other, own);
    return g;
  }

  // The grain for n nodes that go through all kernels of their block.
  Grain of_nodes(int block, int64_t n, bool partitioned) const {
    double compute = 0, load = 0;
    Grain g;
    for (int i = 0; i < plans_[block].n; i++) {
      const KernelInfo& k = plans_[block].kernels[i];
      compute += CostModel::compute(k, n);
      load += model_.load_as_whole(k, n);
      if (k.rows == 1) g.tile = std::max(g.tile, k.usual_tile);
    }
    if (partitioned) g.owners = model_.node_owners(block, n);
    g.groups = static_cast<int>(groups(compute / g.owners, load, 1, n / g.owners / g.tile));
    return g;
  }

  // The number of groups for `tiles` tiles of rows that take `compute` to compute, and whose
  // weights, in `blocks` blocks of a chunk each, take `load` to read. A chunk is worth stealing by
  // itself; a group computes for longer than it reads weights, and has at least two tiles.
  static int64_t groups(double compute, double load, int blocks, int64_t tiles) {
    const double wanted = compute / std::max(kChunk * blocks, load);
    const int64_t most = std::min<int64_t>(tiles / 2, kChunks / blocks);
    return std::clamp<int64_t>(static_cast<int64_t>(wanted), 1, std::max<int64_t>(most, 1));
  }
  static int at_most(double time, double chunk) {
    return chunk * 100 > time ? static_cast<int>(time / chunk) + 1 : 100;
  }

  int chunks_of(const Batch& b, const Grain& one) const {
    const BlockKernels& plan = plans_[b.block];
    return plan.n > 1 ? one.groups : KernelPartition(plan.kernels[0], b.n, one).chunks();
  }

  bool independent(const Batch& b) const {
    return b.step != 0 && !blocks_[b.block].hoisted && blocks_[b.block].scratch == 0;
  }

  const BlockInfo* blocks_;
  const BlockKernels* plans_;
  CostModel model_;
  std::vector<PartitionPlan> small_;  // kSmall per block
};

}  // namespace acrobat
