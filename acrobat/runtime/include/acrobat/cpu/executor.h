// Runs the batches, partitioned among the threads of a pool.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "../schedule/trace.h"
#include "kernel_call.h"
#include "partitioner.h"
#include "pool_turn.h"
#include "thread_pool.h"

namespace acrobat {

struct Executor {
  const BlockInfo* blocks;
  const BlockKernels* plans;
  const float* const* weights;  // packed weights and vectors, in kernel order
  const float* const* tables;
  const Partitioner& partitioner;
  Trace* trace = nullptr;

  // Memory that is needed only while a batch runs.
  struct Scratch {
    std::vector<float> temporaries, operands;
    std::vector<int32_t> offsets;
    std::vector<Partitioner::Run> runs;  // of every batch

    float* aligned(int64_t floats) {
      if (temporaries.size() < static_cast<size_t>(floats) + 32) temporaries.resize(floats + 32);
      auto at = reinterpret_cast<uintptr_t>(temporaries.data());
      return reinterpret_cast<float*>((at + 63) / 64 * 64);
    }
  };

  int64_t kernel_calls(const Schedule& s) const {
    int64_t calls = 0;
    for (const Batch& b : s.batches) calls += plans[b.block].n * slices(b);
    return calls;
  }

  // Runs the schedule in pieces, and checks for signals between them (pieces.h).
  void run(const Schedule& s, float* arena, PoolTurn& turn, Scratch& scratch) const;

  // The batches from number `first` on that form one piece: a single long batch, or as many as take
  // some milliseconds together.
  std::span<const Batch> piece_at(std::span<const Batch> all, size_t first) const;

  // Whether a batch takes so long that it is itself run in pieces.
  bool is_long(const Batch& b) const { return work_of(b) > kPieceWork && b.n > 1; }
  void run_long(const Nodes& batch, PoolTurn& turn, const float* arena) const;

  // Runs batch number i, together with the following ones that run concurrently. To be called by
  // all threads of the pool. nodes(j) are the nodes of batch j. Returns the number of the next
  // batch.
  template <class NodesOf>
  size_t run_next(std::span<const Batch> batches, std::span<const Partitioner::Run> runs, size_t i,
                  Worker& worker, const float* arena, NodesOf&& nodes) const {
    if (runs[i].thread < 0) {
      run_partitioned(nodes(i), worker, arena);
      return i + 1;
    }
    const size_t first = i;
    while (i < batches.size() && runs[i].thread >= 0 && batches[i].step == batches[first].step) i++;
    run_independent(runs.subspan(first, i - first), worker, arena,
                    [&](size_t j) { return nodes(first + j); });
    return i;
  }

  // Without gather fusion: copies the operands of a batch to one place, then runs the batch on the
  // copies (gathered.h). `copy` is called before and after copying, to time it.
  template <class Clock>
  void run_gathered(const Schedule& s, float* arena, PoolTurn& turn, Scratch& scratch,
                    const int* const* widths, Clock&& copy) const;

  static Nodes nodes_of(const Schedule& s, const Batch& b, float* arena, float* temporaries) {
    return {b.block, b.n, arena + b.record, temporaries, &s.offsets[b.first], b.room, arena};
  }

  // Runs all kernels of a batch, slice by slice, on this thread.
  void run_on_one(const Nodes& batch) const {
    each_slice(batch, [&](const Nodes& nodes) { kernels(nodes); });
  }

  // The same on all threads of the pool, each of which calls this function. Thread 0 runs small
  // kernels alone.
  void run_partitioned(const Nodes& batch, Worker& worker, const float* arena) const {
    const int64_t record = batch.out - arena;
    if (worker.threads() == 1) return watched(0, record, 0, [&] { run_on_one(batch); });
    const BlockKernels& plan = plans[batch.block];
    each_slice(batch, [&](const Nodes& nodes) {
      PartitionPlan room;
      const PartitionPlan& partitioning = partitioner.plan_for(nodes.block, nodes.n, room);
      if (partitioning.by_nodes) return by_nodes(nodes, partitioning.nodes, worker, record);
      for (int i = 0; i < plan.n; i++) {
        const KernelInfo& k = plan.kernels[i];
        const Grain& grain = partitioning.kernels[static_cast<size_t>(i)];
        if (grain.groups == 0) {
          worker.alone(
              [&] { watched(0, record, 0, [&] { call(k, nodes).run(all_of(k, nodes.n)); }); });
          continue;
        }
        const KernelPartition partition(k, nodes.n, grain);
        KernelCall own = call(k, nodes);
        worker.run_partitioned(partition, [&](int owner, Chunks chunks) {
          const int64_t share = nodes.n * (chunks.last - chunks.first) / partition.chunks();
          watched(worker.thread(), record, std::max<int64_t>(share, 1), [&] {
            for (int u = chunks.first; u < chunks.last; u++) own.run(partition.chunk(owner, u));
          });
        });
      }
    });
  }

  // Floats of temporaries that the largest batch needs.
  int64_t scratch_floats(std::span<const Batch> batches) const {
    int64_t most = 0;
    for (const Batch& b : batches) {
      most = std::max(most, slice_size(b.block, b.n) * blocks[b.block].scratch);
    }
    return most;
  }

  // The most threads that one of the batches is partitioned among; 1 if none is worth it.
  int threads_for(std::span<const Batch> batches, int threads) const {
    int most = 1;
    for (const Batch& b : batches) {
      if (most == threads) break;
      most = std::max(most, partitioner.owners(b.block, slice_size(b.block, b.n)));
    }
    return most;
  }

 private:
  // The work of a piece, and the overhead of a batch, in floating-point operations.
  static constexpr int64_t kPieceWork = int64_t{1} << 30, kBatchWork = int64_t{1} << 14;

  int64_t work_of(const Batch& b) const { return b.n * blocks[b.block].work; }

  template <class NodesOf>
  void run_piece(std::span<const Batch> piece, ThreadPool& pool, Scratch& scratch,
                 const float* arena, NodesOf&& nodes) const;

  // Runs `body`, the work for about `n` nodes (0: all) of the batch at `record` on a thread, and
  // traces it if the call is traced.
  template <class F>
  void watched(int thread, int64_t record, int64_t n, F&& body, int activity = 0) const {
    if (trace == nullptr) return body();
    const int64_t begin = trace->now();
    body();
    trace->did(thread, activity, record, begin, n);
  }

  KernelCall call(const KernelInfo& k, const Nodes& nodes) const {
    return KernelCall(k, nodes, weights, tables);
  }
  void kernels(const Nodes& nodes) const {
    const BlockKernels& plan = plans[nodes.block];
    for (int i = 0; i < plan.n; i++) {
      call(plan.kernels[i], nodes).run(all_of(plan.kernels[i], nodes.n));
    }
  }

  template <class F>
  void each_slice(const Nodes& batch, F&& f) const {
    const int64_t size = slice_size(batch.block, batch.n);
    for (int64_t first = 0; first < batch.n; first += size) {
      Nodes slice = batch.slice(first, std::min(batch.n, first + size), blocks[batch.block]);
      slice.temporaries = batch.temporaries;  // shared by the slices
      f(slice);
    }
  }

  // Every thread runs all kernels of the block on nodes of its own: a kernel reads only what
  // earlier ones computed for the same node.
  void by_nodes(const Nodes& nodes, const Grain& grain, Worker& worker, int64_t record) const {
    const NodePartition partition(nodes.n, grain);
    worker.run_partitioned(partition, [&](int owner, Chunks chunks) {
      const int64_t n = partition.begin(owner, chunks.last) - partition.begin(owner, chunks.first);
      watched(worker.thread(), record, n, [&] { some(nodes, partition, owner, chunks); });
    });
  }
  void some(const Nodes& nodes, const NodePartition& s, int owner, Chunks u) const {
    kernels(nodes.slice(s.begin(owner, u.first), s.begin(owner, u.last), blocks[nodes.block]));
  }

  // Batches that run on one thread each, as one partition.
  struct BatchPartition {
    std::span<const Partitioner::Run> runs;
    int at_once = 1, least = 1;

    explicit BatchPartition(std::span<const Partitioner::Run> runs) : runs(runs) {
      for (const auto& r : runs) {
        at_once = std::max(at_once, r.grain.at_once);
        least = std::max(least, r.grain.least);
      }
    }
    int chunks(int owner) const {
      int sum = 0;
      for (const auto& r : runs) sum += r.thread == owner ? r.chunks : 0;
      return sum;
    }
    int chunks() const {
      int sum = 0;
      for (const auto& r : runs) sum += r.chunks;
      return sum;
    }
  };

  // Runs batches that do not read each other, each on one thread; nodes(i) are the nodes of the
  // batch that runs[i] belongs to.
  template <class NodesOf>
  void run_independent(std::span<const Partitioner::Run> runs, Worker& worker, const float* arena,
                       NodesOf&& nodes) const {
    worker.run_partitioned(BatchPartition(runs), [&](int owner, Chunks chunks) {
      int begin = 0;
      for (size_t i = 0; i < runs.size() && begin < chunks.last; i++) {
        if (runs[i].thread != owner) continue;
        const Chunks own{std::max(chunks.first - begin, 0),
                         std::min(chunks.last - begin, runs[i].chunks)};
        if (own.first < own.last) {
          const Nodes batch = nodes(i);
          const int64_t n = batch.n * (own.last - own.first) / runs[i].chunks;
          watched(worker.thread(), batch.out - arena, std::max<int64_t>(n, 1),
                  [&] { run_chunks(batch, runs[i].grain, own); });
        }
        begin += runs[i].chunks;
      }
    });
  }
  void run_chunks(const Nodes& nodes, const Grain& grain, Chunks chunks) const {
    const BlockKernels& plan = plans[nodes.block];
    if (plan.n > 1) return some(nodes, NodePartition(nodes.n, grain), 0, chunks);
    const KernelInfo& k = plan.kernels[0];
    const KernelPartition partition(k, nodes.n, grain);
    KernelCall own = call(k, nodes);
    for (int u = chunks.first; u < chunks.last; u++) own.run(partition.chunk(0, u));
  }

  // How many of the n nodes of a batch run together.
  int64_t slice_size(int block, int64_t n) const {
    const int64_t scratch = blocks[block].scratch, work = blocks[block].work;
    int64_t size = n;
    if (n * work > kPieceWork) size = kPieceWork / work;
    if (scratch > 0) size = std::min<int64_t>(size, kSliceFloats / scratch);
    return std::max<int64_t>(1, size);
  }
  int64_t slices(const Batch& b) const {
    const int64_t size = slice_size(b.block, b.n);
    return (b.n + size - 1) / size;
  }

  void gather(const Schedule& s, const Batch& b, const float* arena, const int* width,
              Scratch& out) const;
};

}  // namespace acrobat
