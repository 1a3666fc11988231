// Runs the batches: every kernel of every batch, cut over column blocks and row tiles.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "arena.h"
#include "schedule.h"
#include "threads.h"
#include "tvm_abi.h"

namespace acrobat {

constexpr int kMaxTile = 8, kMaxOperands = 64;

// One kernel of a block's plan. `variant[r]` computes tiles of r rows.
struct KernelInfo {
  PackedKernel variant[kMaxTile + 1];
  int max_tile;
  int column_blocks;
  int64_t flops;         // of the contractions, per node
  int weights, vectors;  // indices into the packed arrays
  int operands;
  struct Source {
    int argument;  // which of the node's arguments
    int table;     // the table it counts from, or -1: the arena
  } source[kMaxOperands];
};

struct BlockKernels {
  const KernelInfo* kernels;
  int n;
};

struct Executor {
  const BlockInfo* blocks;
  const BlockKernels* plans;
  const float* const* weights;  // packed weights and vectors, in kernel order
  const float* const* tables;
  bool gather_fusion;

  // Below this much work a kernel is not worth a hand-over to the other threads (1-2 us each way
  // at some 100 GF/s).
  static constexpr int64_t kParallelFlops = 400'000;

  struct Scratch {
    std::vector<float> rows;
    std::vector<int32_t> offsets;
  };

  int64_t kernel_calls(const Schedule& s) const {
    int64_t calls = 0;
    for (const Batch& b : s.batches) calls += plans[b.block].n;
    return calls;
  }

  void run(const Schedule& s, float* arena, Team& team) const {
    team.run([&](int thread) {
      for (const Batch& b : s.batches) {
        const BlockKernels& plan = plans[b.block];
        for (int k = 0; k < plan.n; k++) {
          kernel(plan.kernels[k], b, &s.offsets[b.first], arena, nullptr, thread, team.size());
          team.barrier();
        }
      }
    });
  }

  // Without gather fusion: copy the operands of a batch together, then run on the copies.
  // `copy` is called around the copying, to time it.
  template <class Clock>
  void run_gathered(const Schedule& s, float* arena, Team& team, const int* const* widths,
                    Clock&& copy) const {
    Scratch scratch;
    for (const Batch& b : s.batches) {
      copy(true);
      gather(s, b, arena, widths[b.block], scratch);
      copy(false);
      const BlockKernels& plan = plans[b.block];
      for (int k = 0; k < plan.n; k++) {
        team.run([&](int thread) {
          kernel(plan.kernels[k], b, scratch.offsets.data(), arena, scratch.rows.data(), thread,
                 team.size());
        });
      }
    }
  }

 private:
  void gather(const Schedule& s, const Batch& b, const float* arena, const int* width,
              Scratch& out) const {
    const BlockInfo& info = blocks[b.block];
    int arguments = info.rows + info.tables;
    out.offsets.resize(static_cast<size_t>(arguments) * b.n + 16);
    size_t floats = 0;
    for (int j = 0; j < info.rows; j++) floats += static_cast<size_t>(b.n) * width[j];
    out.rows.resize(floats + 64);
    size_t at = 0;
    for (int j = 0; j < arguments; j++) {
      const int32_t* from = &s.offsets[b.first + static_cast<size_t>(j) * b.n];
      int32_t* to = out.offsets.data() + static_cast<size_t>(j) * b.n;
      for (uint32_t i = 0; i < b.n; i++) {
        if (j >= info.rows) {
          to[i] = from[i];
          continue;
        }
        std::memcpy(out.rows.data() + at, arena + from[i], width[j] * sizeof(float));
        to[i] = static_cast<int32_t>(at);
        at += width[j];
      }
    }
  }

  // This thread's share of one kernel over one batch. `rows` is the scratch, or null: the arena.
  void kernel(const KernelInfo& k, const Batch& b, const int32_t* offsets, float* arena,
              const float* rows, int thread, int threads) const {
    int64_t n = b.n;
    if (threads > 1 && n * std::max<int64_t>(k.flops, 2048) < kParallelFlops) {
      if (thread != 0) return;
      threads = 1;
    }
    int64_t first_row = 0, last_row = n;
    int first_block = 0, last_block = k.column_blocks;
    if (k.column_blocks % threads == 0 || k.column_blocks >= 4 * threads) {
      // By columns: a thread reads its own part of the weights, batch after batch.
      first_block = k.column_blocks * thread / threads;
      last_block = k.column_blocks * (thread + 1) / threads;
    } else {
      first_row = n * thread / threads / kMaxTile * kMaxTile;
      if (thread + 1 < threads) last_row = n * (thread + 1) / threads / kMaxTile * kMaxTile;
    }
    if (first_row >= last_row) return;
    const int64_t record = blocks[b.block].record;
    PackedArg args[5 + 2 * kMaxOperands];
    args[3] = packed(static_cast<const void*>(weights[k.weights]));
    args[4] = packed(static_cast<const void*>(weights[k.vectors]));
    for (int i = 0; i < k.operands; i++) {
      const auto& source = k.source[i];
      const float* base = source.table >= 0 ? tables[source.table] : rows ? rows : arena;
      args[5 + 2 * i] = packed(static_cast<const void*>(base));
    }
    for (int jo = first_block; jo < last_block; jo++) {
      args[2] = packed(static_cast<int64_t>(jo));
      int64_t row = first_row;
      while (row < last_row) {
        int64_t left = last_row - row;
        int r = static_cast<int>(std::min<int64_t>(left, k.max_tile));
        int64_t tiles = left / r;
        args[0] = packed(static_cast<const void*>(arena + b.record + row * record));
        args[1] = packed(tiles);
        for (int i = 0; i < k.operands; i++) {
          args[6 + 2 * i] =
              packed(static_cast<const void*>(offsets + k.source[i].argument * int64_t{b.n} + row));
        }
        PackedArg result{};
        k.variant[r](nullptr, args, 5 + 2 * k.operands, &result);
        row += tiles * r;
      }
    }
  }
};

}  // namespace acrobat
