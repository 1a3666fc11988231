// Runs the batches, divided among the threads of a team.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "kernel_call.h"
#include "partitioner.h"
#include "thread_pool.h"

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
    std::vector<Sharing::Run> runs;  // of every batch

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
    if (threads_for(s.batches, team.size()) == 1) {
      for (const Batch& b : s.batches) whole(nodes_of(s, b, arena, temporaries));
      return;
    }
    sharing.assign(s.batches, scratch.runs);
    const std::vector<Sharing::Run>& runs = scratch.runs;
    team.run([&](Place& place) {
      for (size_t i = 0, n = s.batches.size(); i < n;) {
        if (runs[i].thread < 0) {
          divided(nodes_of(s, s.batches[i++], arena, temporaries), place);
          continue;
        }
        const size_t first = i;
        while (i < n && runs[i].thread >= 0 && s.batches[i].step == s.batches[first].step) i++;
        side_by_side({&runs[first], i - first}, place, [&](size_t j) {
          return nodes_of(s, s.batches[first + j], arena, temporaries);
        });
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
      Nodes nodes = nodes_of(s, b, arena, temporaries);
      nodes.offsets = scratch.offsets.data();
      nodes.rows = scratch.rows.data();
      if (threads_for({b}, team.size()) == 1) {
        whole(nodes);
      } else {
        team.run([&](Place& place) { divided(nodes, place); });
      }
    }
  }

  static Nodes nodes_of(const Schedule& s, const Batch& b, float* arena, float* temporaries) {
    return {b.block, b.n, arena + b.record, temporaries, &s.offsets[b.first], b.n, arena};
  }

  // All kernels of a batch, part by part, on this thread.
  void whole(const Nodes& batch) const {
    each_part(batch, [&](const Nodes& nodes) { kernels(nodes); });
  }

  // The same by all threads of the team, each of which comes here. Small kernels are the first
  // thread's alone.
  void divided(const Nodes& batch, Place& place) const {
    if (place.threads() == 1) return whole(batch);
    const BlockKernels& plan = plans[batch.block];
    each_part(batch, [&](const Nodes& nodes) {
      Dealing room;
      const Dealing& dealing = sharing.dealing(nodes.block, nodes.n, room);
      if (dealing.apart) return apart(nodes, dealing.nodes, place);
      for (int i = 0; i < plan.n; i++) {
        const KernelInfo& k = plan.kernels[i];
        const Grain& grain = dealing.kernels[static_cast<size_t>(i)];
        if (grain.groups == 0) {
          place.alone([&] { call(k, nodes).run(all_of(k, nodes.n)); });
          continue;
        }
        const KernelShares shares(k, nodes.n, place.threads(), grain);
        KernelCall own = call(k, nodes);
        place.divide(shares, [&](int owner, Units units) {
          for (int u = units.first; u < units.last; u++) own.run(shares.unit(owner, u));
        });
      }
    });
  }

  // Floats of temporaries that the largest batch needs.
  int64_t scratch_floats(const Schedule& s) const {
    int64_t most = 0;
    for (const Batch& b : s.batches) {
      most = std::max(most, part_size(b.block, b.n) * blocks[b.block].scratch);
    }
    return most;
  }

 private:
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
  void each_part(const Nodes& batch, F&& f) const {
    const int64_t size = part_size(batch.block, batch.n);
    for (int64_t first = 0; first < batch.n; first += size) {
      Nodes part = batch.part(first, std::min(batch.n, first + size), blocks[batch.block]);
      part.temporaries = batch.temporaries;  // of one part after the other
      f(part);
    }
  }

  // Every thread takes nodes of its own through all kernels of the block, which read what others of
  // it computed for the same node only.
  void apart(const Nodes& nodes, const Grain& grain, Place& place) const {
    const NodeShares shares(nodes.n, place.threads(), grain);
    place.divide(shares, [&](int owner, Units units) { some(nodes, shares, owner, units); });
  }
  void some(const Nodes& nodes, const NodeShares& s, int owner, Units u) const {
    kernels(nodes.part(s.begin(owner, u.first), s.begin(owner, u.last), blocks[nodes.block]));
  }

  // The batches of several threads as shares.
  struct RunShares {
    std::span<const Sharing::Run> runs;
    int at_once = 1, least = 1;

    explicit RunShares(std::span<const Sharing::Run> runs) : runs(runs) {
      for (const auto& r : runs) {
        at_once = std::max(at_once, r.grain.at_once);
        least = std::max(least, r.grain.least);
      }
    }
    int units(int owner) const {
      int sum = 0;
      for (const auto& r : runs) sum += r.thread == owner ? r.units : 0;
      return sum;
    }
    int units() const {
      int sum = 0;
      for (const auto& r : runs) sum += r.units;
      return sum;
    }
  };

  // Batches that do not read each other, each on a thread of its own; nodes(i) are those of the one
  // whose run is runs[i].
  template <class NodesOf>
  void side_by_side(std::span<const Sharing::Run> runs, Place& place, NodesOf&& nodes) const {
    place.divide(RunShares(runs), [&](int owner, Units units) {
      int begin = 0;
      for (size_t i = 0; i < runs.size() && begin < units.last; i++) {
        if (runs[i].thread != owner) continue;
        const Units own{std::max(units.first - begin, 0),
                        std::min(units.last - begin, runs[i].units)};
        if (own.first < own.last) run_units(nodes(i), runs[i].grain, own);
        begin += runs[i].units;
      }
    });
  }
  void run_units(const Nodes& nodes, const Grain& grain, Units units) const {
    const BlockKernels& plan = plans[nodes.block];
    if (plan.n > 1) return some(nodes, NodeShares(nodes.n, 1, grain), 0, units);
    const KernelInfo& k = plan.kernels[0];
    const KernelShares shares(k, nodes.n, 1, grain);
    KernelCall own = call(k, nodes);
    for (int u = units.first; u < units.last; u++) own.run(shares.unit(0, u));
  }

  // One, if none of these batches is worth a hand-over.
  int threads_for(const std::vector<Batch>& batches, int threads) const {
    auto worth = [&](const Batch& b) { return sharing.worth(b.block, part_size(b.block, b.n)); };
    return std::any_of(batches.begin(), batches.end(), worth) ? threads : 1;
  }

  // How many of n nodes of a batch run together.
  int64_t part_size(int block, int64_t n) const {
    int64_t scratch = blocks[block].scratch;
    if (scratch == 0) return n;
    return std::min<int64_t>(n, std::max<int64_t>(1, kScratchFloats / scratch));
  }
  int64_t parts(const Batch& b) const {
    const int64_t size = part_size(b.block, b.n);
    return (b.n + size - 1) / size;
  }

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
};

}  // namespace acrobat
