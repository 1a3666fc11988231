// The backward pass of a mini-batch, as planned (backward_plan.h).
//
// Batches of one depth do not read each other, so neither do their adjoints: they run concurrently
// where that pays, as in the forward pass, and their contributions are summed afterwards. Threads
// divide the summing by addresses, not by nodes: no addition is lost, and their order does not
// depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "../cpu/executor.h"
#include "../cpu/pieces.h"
#include "backward_plan.h"
#include "sums.h"

namespace acrobat {

class Walk {
 public:
  explicit Walk(const BackwardPlan& plan) : plan_(plan) {}

  // Runs what was planned, in an arena with room for `floats`.
  void run(std::span<const Seed> seeds, float* arena, const Executor& executor, PoolTurn& turn,
           Executor::Scratch& scratch) {
    ThreadPool& pool = turn.pool();
    for (size_t i = 0; i < seeds.size(); i++) {
      std::copy_n(seeds[i].gradient, seeds[i].size, arena + plan_.seeds_at[i]);
    }
    const Addition zeros = plan_.cleared();
    if (zeros.width > 0) add(zeros, arena);
    add({plan_.additions.data(), plan_.n_of_seeds}, arena);
    float* temporaries = scratch.aligned(executor.scratch_floats(plan_.adjoints));
    scratch.runs.assign(plan_.adjoints.size(), {});
    if (pool.size() > 1) executor.partitioner.assign(plan_.adjoints, scratch.runs);
    auto nodes_of = [&](size_t j) {
      const Batch& b = plan_.adjoints[j];
      return Nodes{b.block, b.n,  arena + b.record, temporaries, plan_.offsets.data() + b.first,
                   b.room,  arena};
    };
    for (size_t first = 0, last; first < plan_.groups.size(); first = last) {
      if (first > 0) turn.look();
      // Adjoints that take long run one after the other, in pieces.
      const bool in_pieces = has_long(plan_.groups[first], executor);
      last = in_pieces ? first + 1 : end_of_piece(first, executor);
      for (size_t i = plan_.groups[first].adjoint; in_pieces && i < plan_.groups[first].adjoint_end;
           i++) {
        executor.run_long(nodes_of(i), turn, arena);
      }
      pool.run([&](Worker& worker) {
        for (size_t at = first; at < last; at++) {
          const BackwardPlan::Group& g = plan_.groups[at];
          for (size_t i = g.adjoint; !in_pieces && i < g.adjoint_end;) {
            i = executor.run_next({plan_.adjoints.data(), g.adjoint_end}, scratch.runs, i, worker,
                                  arena, nodes_of);
          }
          add_shared({&plan_.additions[g.addition], g.addition_end - g.addition}, g.floats, arena,
                     worker);
        }
      });
    }
  }

 private:
  bool has_long(const BackwardPlan::Group& g, const Executor& executor) const {
    return std::any_of(plan_.adjoints.begin() + static_cast<std::ptrdiff_t>(g.adjoint),
                       plan_.adjoints.begin() + static_cast<std::ptrdiff_t>(g.adjoint_end),
                       [&](const Batch& b) { return executor.is_long(b); });
  }

  // The end of the groups from number `first` on that run before the next check for signals.
  size_t end_of_piece(size_t first, const Executor& executor) const {
    const std::span<const Batch> all(plan_.adjoints);
    const size_t from = plan_.groups[first].adjoint;
    if (from == all.size()) return plan_.groups.size();
    if (executor.is_long(all[from])) return first + 1;  // a later group's: this one has none
    const size_t end = from + executor.piece_at(all, from).size();
    size_t last = first + 1;
    while (last < plan_.groups.size() && plan_.groups[last].adjoint_end <= end) last++;
    return last;
  }

  const BackwardPlan& plan_;
};

}  // namespace acrobat
