// Runs a schedule in pieces of some milliseconds each.
#pragma once

#include <algorithm>
#include <span>

#include "executor.h"

namespace acrobat {

inline void Executor::run(const Schedule& s, float* arena, PoolTurn& turn, Scratch& scratch) const {
  float* temporaries = scratch.aligned(scratch_floats(s.batches));
  const std::span<const Batch> all(s.batches);
  for (size_t first = 0; first < all.size();) {
    const std::span<const Batch> piece = piece_at(all, first);
    auto nodes = [&](size_t i) { return nodes_of(s, piece[i], arena, temporaries); };
    if (is_long(piece[0])) {
      run_long(nodes(0), turn, arena);
    } else {
      run_piece(piece, turn.pool(), scratch, arena, nodes);
    }
    first += piece.size();
    if (first < all.size()) turn.look();
  }
}

inline std::span<const Batch> Executor::piece_at(std::span<const Batch> all, size_t first) const {
  size_t last = first;
  int64_t work = 0;
  do {
    work += work_of(all[last++]) + kBatchWork;
  } while (last < all.size() && work + work_of(all[last]) <= kPieceWork);
  return all.subspan(first, last - first);
}

inline void Executor::run_long(const Nodes& batch, PoolTurn& turn, const float* arena) const {
  const int threads = partitioner.owners(batch.block, slice_size(batch.block, batch.n));
  bool begun = false;
  each_slice(batch, [&](const Nodes& nodes) {
    if (begun) turn.look();
    begun = true;
    turn.pool().run([&](Worker& worker) { run_partitioned(nodes, worker, arena); }, threads);
  });
}

template <class NodesOf>
void Executor::run_piece(std::span<const Batch> piece, ThreadPool& pool, Scratch& scratch,
                         const float* arena, NodesOf&& nodes) const {
  int threads = threads_for(piece, pool.size());
  if (threads == 1) {
    for (size_t i = 0; i < piece.size(); i++) {
      watched(0, piece[i].record, 0, [&] { run_on_one(nodes(i)); });
    }
    return;
  }
  partitioner.assign(piece, scratch.runs);
  for (const Partitioner::Run& r : scratch.runs) threads = std::max(threads, r.thread + 1);
  auto job = [&](Worker& worker) {
    for (size_t i = 0; i < piece.size();) {
      i = run_next(piece, scratch.runs, i, worker, arena, nodes);
    }
  };
  pool.run(job, threads);
}

}  // namespace acrobat
