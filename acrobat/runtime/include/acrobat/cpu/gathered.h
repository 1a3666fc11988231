// Runs batches on copies of their operands, for comparison with kernels that gather them in place.
#pragma once

#include <cstring>

#include "../memory.h"
#include "executor.h"
#include "pieces.h"

namespace acrobat {

template <class Clock>
void Executor::run_gathered(const Schedule& s, float* arena, PoolTurn& turn, Scratch& scratch,
                            const int* const* widths, Clock&& copy) const {
  ThreadPool& pool = turn.pool();
  float* temporaries = scratch.aligned(scratch_floats(s.batches));
  int64_t work = 0;
  for (const Batch& b : s.batches) {
    if (work > kPieceWork) work = 0, turn.look();
    work += work_of(b) + kBatchWork;
    copy(true);
    watched(0, b.record, 0, [&] { gather(s, b, arena, widths[b.block], scratch); }, 3);
    copy(false);
    Nodes nodes = nodes_of(s, b, arena, temporaries);
    nodes.offsets = scratch.offsets.data();
    nodes.stride = b.n;  // the layout that `gather` uses, whatever room the batch has
    nodes.operands = scratch.operands.data();
    const int threads = threads_for({&b, 1}, pool.size());
    if (is_long(b)) {
      run_long(nodes, turn, arena);
    } else if (threads == 1) {
      watched(0, b.record, 0, [&] { run_on_one(nodes); });
    } else {
      pool.run([&](Worker& worker) { run_partitioned(nodes, worker, arena); }, threads);
    }
  }
}

inline void Executor::gather(const Schedule& s, const Batch& b, const float* arena,
                             const int* width, Scratch& out) const {
  const BlockInfo& info = blocks[b.block];
  int arguments = info.operands + info.gathered_rows;
  out.offsets.resize(static_cast<size_t>(arguments) * b.n + 16);
  size_t floats = 0;
  for (int j = 0; j < info.operands; j++) floats += static_cast<size_t>(b.n) * width[j];
  // The copies are addressed like the arena.
  Arena::require(static_cast<int64_t>(floats));
  if (out.operands.capacity() < floats + 64) {
    take_memory(static_cast<int64_t>(floats) * 4, "copies of operands");
  }
  out.operands.resize(floats + 64);
  size_t at = 0;
  for (int j = 0; j < arguments; j++) {
    const int32_t* from = &s.offsets[b.first + static_cast<size_t>(j) * b.room];
    int32_t* to = out.offsets.data() + static_cast<size_t>(j) * b.n;
    for (uint32_t i = 0; i < b.n; i++) {
      if (j >= info.operands) {
        to[i] = from[i];
        continue;
      }
      std::memcpy(out.operands.data() + at, arena + from[i], width[j] * sizeof(float));
      to[i] = static_cast<int32_t>(at);
      at += width[j];
    }
  }
}

}  // namespace acrobat
