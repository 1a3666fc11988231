// Runs the batches: every kernel of every batch, cut over column blocks and row tiles.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "arena.h"
#include "kernels.h"
#include "schedule.h"
#include "sharing.h"
#include "threads.h"

namespace acrobat {

struct Executor {
  const BlockInfo* blocks;
  const BlockKernels* plans;
  const float* const* weights;  // packed weights and vectors, in kernel order
  const float* const* tables;
  const Sharing& sharing;

  // Temporaries of a batch stay in the last-level cache (10 MiB): larger batches run in parts.
  static constexpr int64_t kScratchFloats = int64_t{5} << 19;

  // Memory that lives while a batch runs.
  struct Scratch {
    std::vector<float> temporaries, rows;
    std::vector<int32_t> offsets;
    std::vector<int> runs_on;  // see `Sharing::assign`

    float* aligned(int64_t floats) {
      if (temporaries.size() < static_cast<size_t>(floats) + 32) temporaries.resize(floats + 32);
      auto at = reinterpret_cast<uintptr_t>(temporaries.data());
      return reinterpret_cast<float*>((at + 63) / 64 * 64);
    }
  };

  int64_t kernel_calls(const Schedule& s) const {
    int64_t calls = 0;
    for (const Batch& b : s.batches) calls += plans[b.block].n * parts(b);
    return calls;
  }

  void run(const Schedule& s, float* arena, Team& team, Scratch& scratch) const {
    float* temporaries = scratch.aligned(scratch_floats(s));
    auto one = [&](const Batch& b, int part, int parts, bool& together) {
      batch(b, &s.offsets[b.first], arena, arena, temporaries, part, parts, team, together);
    };
    bool alone = true;
    if (threads_for(s.batches, team.size()) == 1) {
      for (const Batch& b : s.batches) one(b, 0, 1, alone);
      return;
    }
    sharing.assign(s.batches, scratch.runs_on);
    team.run([&](int thread) {
      bool together = true;
      for (size_t i = 0, n = s.batches.size(); i < n; i++) {
        if (scratch.runs_on[i] < 0) {
          one(s.batches[i], thread, team.size(), together);
          continue;
        }
        if (!together) team.barrier();
        size_t first = i;
        bool own = true;
        for (; i < n && scratch.runs_on[i] >= 0 && s.batches[i].step == s.batches[first].step;
             i++) {
          if (scratch.runs_on[i] == thread) one(s.batches[i], 0, 1, own);
        }
        i--;
        team.barrier();
        together = true;
      }
    });
  }

  // Without gather fusion: copy the operands of a batch together, then run on the copies.
  // `copy` is called around the copying, to time it.
  template <class Clock>
  void run_gathered(const Schedule& s, float* arena, Team& team, Scratch& scratch,
                    const int* const* widths, Clock&& copy) const {
    float* temporaries = scratch.aligned(scratch_floats(s));
    for (const Batch& b : s.batches) {
      copy(true);
      gather(s, b, arena, widths[b.block], scratch);
      copy(false);
      auto one = [&](int thread, int threads) {
        bool together = true;
        batch(b, scratch.offsets.data(), arena, scratch.rows.data(), temporaries, thread, threads,
              team, together);
      };
      if (threads_for({b}, team.size()) == 1) {
        one(0, 1);
      } else {
        team.run([&](int thread) { one(thread, team.size()); });
      }
    }
  }

  // All kernels of one batch, part by part. Every thread of the team comes here; small kernels are
  // the first thread's alone, and the threads only meet around the others. `together`: they have
  // met since the last kernel.
  void batch(const Batch& b, const int32_t* offsets, float* arena, const float* rows,
             float* temporaries, int thread, int threads, Team& team, bool& together) const {
    const BlockKernels& plan = plans[b.block];
    const int64_t size = part_size(b);
    for (int64_t first = 0; first < b.n; first += size) {
      int64_t n = std::min<int64_t>(size, b.n - first);
      float* out = arena + b.record + first * blocks[b.block].record;
      if (threads > 1 && sharing.apart(b.block, n)) {
        // The kernels of a block read what others of it computed for the same node only.
        if (!together) team.barrier();
        const BlockInfo& block = blocks[b.block];
        int64_t begin = n * thread / threads, end = n * (thread + 1) / threads;
        for (int k = 0; k < plan.n && begin < end; k++) {
          kernel(plan.kernels[k], end - begin, out + begin * block.record,
                 temporaries + begin * block.scratch, offsets + first + begin, b.n, rows, 0, 1);
        }
        team.barrier();
        together = true;
        continue;
      }
      for (int k = 0; k < plan.n; k++) {
        const KernelInfo& info = plan.kernels[k];
        const bool shared = threads > 1 && sharing.worth(info, n);
        if (shared && !together) team.barrier();
        if (shared || thread == 0) {
          kernel(info, n, out, temporaries, offsets + first, b.n, rows, thread,
                 shared ? threads : 1);
        }
        if (shared) team.barrier();
        together = shared;
      }
    }
  }

  // Floats of temporaries that the largest batch needs.
  int64_t scratch_floats(const Schedule& s) const {
    int64_t most = 0;
    for (const Batch& b : s.batches) {
      most = std::max(most, part_size(b) * blocks[b.block].scratch);
    }
    return most;
  }

 private:
  // One, if none of these batches is worth a hand-over.
  int threads_for(const std::vector<Batch>& batches, int threads) const {
    auto worth = [&](const Batch& b) { return sharing.worth(b.block, part_size(b)); };
    return std::any_of(batches.begin(), batches.end(), worth) ? threads : 1;
  }

  // How many nodes of a batch run together.
  int64_t part_size(const Batch& b) const {
    int64_t scratch = blocks[b.block].scratch;
    if (scratch == 0) return b.n;
    return std::min<int64_t>(b.n, std::max<int64_t>(1, kScratchFloats / scratch));
  }
  int64_t parts(const Batch& b) const { return (b.n + part_size(b) - 1) / part_size(b); }
  void gather(const Schedule& s, const Batch& b, const float* arena, const int* width,
              Scratch& out) const {
    const BlockInfo& info = blocks[b.block];
    int arguments = info.rows + info.tables;
    out.offsets.resize(static_cast<size_t>(arguments) * b.n + 16);
    size_t floats = 0;
    for (int j = 0; j < info.rows; j++) floats += static_cast<size_t>(b.n) * width[j];
    // The copies are addressed like the arena.
    Arena::require(static_cast<int64_t>(floats));
    if (out.rows.capacity() < floats + 64) {
      require_memory(static_cast<int64_t>(floats) * 4, "copies of operands");
    }
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

  // This thread's share of one kernel over n nodes. `stride` is the distance between the offsets
  // of one operand and the next; `rows` the memory that they count from.
  void kernel(const KernelInfo& k, int64_t n, float* out, float* temporaries,
              const int32_t* offsets, int64_t stride, const float* rows, int thread,
              int threads) const {
    const int64_t total = n * k.rows;
    int64_t first_row = 0, last_row = total;
    int first_block = 0, last_block = k.column_blocks;
    if (k.column_blocks % threads == 0 || k.column_blocks >= 4 * threads) {
      // By columns: a thread reads its own part of the weights, batch after batch.
      first_block = k.column_blocks * thread / threads;
      last_block = k.column_blocks * (thread + 1) / threads;
    } else {
      // Tiles of a single height begin at its multiples only.
      const int64_t grain = k.variant[1] ? std::min(4, k.usual_tile) : k.usual_tile;
      first_row = total * thread / threads / grain * grain;
      if (thread + 1 < threads) last_row = total * (thread + 1) / threads / grain * grain;
    }
    if (first_row >= last_row) return;
    PackedArg args[7 + 2 * kMaxOperands];
    args[0] = packed(static_cast<const void*>(out));
    args[1] = packed(static_cast<const void*>(temporaries));
    args[5] = packed(static_cast<const void*>(weights[k.weights]));
    args[6] = packed(static_cast<const void*>(weights[k.vectors]));
    for (int i = 0; i < k.operands; i++) {
      const auto& source = k.source[i];
      const float* base = source.table >= 0 ? tables[source.table] : rows;
      args[7 + 2 * i] = packed(static_cast<const void*>(base + source.start));
      args[8 + 2 * i] = packed(static_cast<const void*>(offsets + source.argument * stride));
    }
    for (int64_t first = first_row; first < last_row; first += k.rows_at_once) {
      const int64_t last = std::min(last_row, first + k.rows_at_once);
      for (int jo = first_block; jo < last_block; jo++) {
        args[4] = packed(static_cast<int64_t>(jo));
        for (int64_t row = first; row < last;) {
          auto [height, tiles] = next_tiles(k, last - row);
          args[2] = packed(row);
          args[3] = packed(tiles);
          PackedArg result{};
          k.variant[height](nullptr, args, 7 + 2 * k.operands, &result);
          row += tiles * height;
        }
      }
    }
  }

  // The next entry of the tile plan for `left` rows (kernels/compiled.py: tile_plan, which says
  // why): as many of the usual tiles as possible, but a rest of less than 4 rows is taken together
  // with one more, and what is no tile's height is cut in two.
  static std::pair<int, int64_t> next_tiles(const KernelInfo& k, int64_t left) {
    int64_t usual = k.usual_tile, full = left / usual, rest = left % usual;
    if (full > 0 && rest > 0 && rest < std::min<int64_t>(4, usual / 2)) full--, rest += usual;
    if (full > 0) return {static_cast<int>(usual), full};
    if (rest > kMaxTile || k.variant[rest] == nullptr) rest = (rest + 1) / 2;
    return {static_cast<int>(rest), 1};
  }
};

}  // namespace acrobat
