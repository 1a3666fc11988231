// The backward pass of a mini-batch: the forward schedule in reverse, batch by batch. No new graph
// is recorded.
//
//   [values | gradients of weights | taken along the way: records of adjoints, sums ...]
//            ^ shift
//
// The adjoint of a batch writes its contributions to the gradients of its operands into records of
// its own. The gradient of a value that is used once is read there; a value with several users gets
// a location where the contributions are summed (contributions.h), in the order in which the nodes
// run. Threads divide the summing by addresses, not by nodes: no addition is lost, and their order
// does not depend on the number of threads. Nodes on which no result depends are left out, because
// 0 times what they computed need not be 0.
//
// Batches of one depth do not read each other, so neither do their adjoints: they run concurrently
// where that pays, as in the forward pass, and their contributions are summed afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../cpu/executor.h"
#include "../cpu/pieces.h"
#include "../graph/graph.h"
#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "../schedule/trace.h"
#include "arena_rows.h"
#include "contributions.h"
#include "node_order.h"
#include "nodes.h"
#include "sums.h"
#include "tables.h"

namespace acrobat {

// The gradient of a tensor of a result.
struct Seed {
  int64_t place, size;
  const float* gradient;
};

class Walk {
 public:
  int64_t shift = 0, floats = 0;
  std::vector<BlockNodes> nodes;  // per block

  // `batches`: all batches of the forward run, in order.
  Walk(const Graph& graph, const Schedule& schedule, std::span<const Batch> batches,
       const BlockInfo* blocks, std::span<const TrainedBlock> trained,
       std::span<ArenaWeight> weights)
      : graph_(graph),
        schedule_(schedule),
        batches_(batches),
        blocks_(blocks),
        trained_(trained),
        shift_of_weights_(align(schedule.floats)),
        weights_(weights, shift_of_weights_),
        order_(graph, schedule, batches, blocks),
        contributions_(graph, trained, floats) {
    shift = floats = shift_of_weights_;
    if (!weights.empty()) {
      const ArenaWeight& last = weights.back();
      floats += align(last.at + last.width * last.rows);
    }
    nodes.resize(trained.size());
    for (size_t b = 0; b < trained.size(); b++) {
      nodes[b].arguments.resize(static_cast<size_t>(arguments_of(static_cast<int>(b))));
      nodes[b].gradients.resize(static_cast<size_t>(trained[b].n_outputs));
    }
  }

  // Plans which batches of which nodes run. CapacityError if offsets cannot address what they need.
  void plan(std::span<const Seed> seeds, Signals& signals) {
    live_.assign(graph_.bucket.size(), 0);
    for (const Seed& seed : seeds) {
      seeds_at_.push_back(floats);
      floats += align(seed.size);
      contribute(seed.place, seed.size, seeds_at_.back());
    }
    n_of_seeds_ = additions_.size();
    size_t unseen = 0;  // nodes since the last check for signals
    for (size_t b = batches_.size(); b-- > 0;) {
      plan_batch(b);
      if ((unseen += batches_[b].n) > kLook) unseen = 0, signals.look();
    }
    weights_.finish();
    Arena::require(floats);
    offsets_.resize(offsets_.size() + 16);  // a kernel may read a vector past the last
  }

  // Runs what was planned, in an arena with room for `floats`.
  void run(std::span<const Seed> seeds, float* arena, const Executor& executor, PoolTurn& turn,
           Executor::Scratch& scratch) {
    ThreadPool& pool = turn.pool();
    for (size_t i = 0; i < seeds.size(); i++) {
      std::copy_n(seeds[i].gradient, seeds[i].size, arena + seeds_at_[i]);
    }
    const Addition zeros = contributions_.cleared();
    if (zeros.width > 0) add(zeros, arena);
    add({additions_.data(), n_of_seeds_}, arena);
    float* temporaries = scratch.aligned(executor.scratch_floats(adjoints_));
    scratch.runs.assign(adjoints_.size(), {});
    if (pool.size() > 1) executor.partitioner.assign(adjoints_, scratch.runs);
    auto nodes_of = [&](size_t j) {
      const Batch& b = adjoints_[j];
      return Nodes{b.block, b.n,  arena + b.record, temporaries, offsets_.data() + b.first,
                   b.room,  arena};
    };
    for (size_t first = 0, last; first < groups_.size(); first = last) {
      if (first > 0) turn.look();
      // Adjoints that take long run one after the other, in pieces.
      const bool in_pieces = has_long(groups_[first], executor);
      last = in_pieces ? first + 1 : end_of_piece(first, executor);
      for (size_t i = groups_[first].adjoint; in_pieces && i < groups_[first].adjoint_end; i++) {
        executor.run_long(nodes_of(i), turn, arena);
      }
      pool.run([&](Worker& worker) {
        for (size_t at = first; at < last; at++) {
          const Group& g = groups_[at];
          for (size_t i = g.adjoint; !in_pieces && i < g.adjoint_end;) {
            i = executor.run_next({adjoints_.data(), g.adjoint_end}, scratch.runs, i, worker, arena,
                                  nodes_of);
          }
          add_shared({&additions_[g.addition], g.addition_end - g.addition}, g.floats, arena,
                     worker);
        }
      });
    }
  }

  // Adds the planned batches to a trace, before they run (walk_trace.h).
  void note(Trace& trace) const;

  int64_t n_nodes() const {
    int64_t n = 0;
    for (const Step& s : steps_) n += s.n;
    return n;
  }
  int64_t n_batches() const { return static_cast<int64_t>(steps_.size()); }

 private:
  // A batch that runs, and where its adjoint's records begin.
  struct Step {
    int block;
    uint32_t n;
    int64_t record;
  };

  // Batches whose adjoints run concurrently, [adjoint, adjoint_end) of `adjoints_`, and the sums
  // after them, [addition, addition_end) of `additions_`, of `floats` floats in total.
  struct Group {
    size_t adjoint, adjoint_end, addition, addition_end;
    int64_t floats = 0;
  };

  static constexpr size_t kLook = size_t{1} << 14;

  bool has_long(const Group& g, const Executor& executor) const {
    return std::any_of(adjoints_.begin() + static_cast<std::ptrdiff_t>(g.adjoint),
                       adjoints_.begin() + static_cast<std::ptrdiff_t>(g.adjoint_end),
                       [&](const Batch& b) { return executor.is_long(b); });
  }

  // The end of the groups from number `first` on that run before the next check for signals.
  size_t end_of_piece(size_t first, const Executor& executor) const {
    const std::span<const Batch> all(adjoints_);
    const size_t from = groups_[first].adjoint;
    if (from == all.size()) return groups_.size();
    if (executor.is_long(all[from])) return first + 1;  // a later group's: this one has none
    const size_t end = from + executor.piece_at(all, from).size();
    size_t last = first + 1;
    while (last < groups_.size() && groups_[last].adjoint_end <= end) last++;
    return last;
  }

  int arguments_of(int block) const {
    return blocks_[block].operands + blocks_[block].gathered_rows;
  }
  int adjoint(const Step& s) const { return trained_[static_cast<size_t>(s.block)].adjoint; }

  // Adds the contribution at `from` to the gradient of the value at `place` in the arena. Before
  // the first record lie weights and tensors of instances, and before these the numbers.
  void contribute(int64_t place, int64_t width, int64_t from) {
    if (batches_.empty() || place < batches_.front().record) {
      if (place >= 0 && place < schedule_.location[kInputNode]) {
        weights_.add(place, width, from, additions_);
      }
      return;
    }
    const size_t b = order_.batch_of(place);
    const int64_t start = place - batches_[b].record;
    const int64_t record = blocks_[batches_[b].block].record;
    const uint32_t node = order_.node(b, static_cast<size_t>(start / record));
    contribute(node, start % record, width, from);
  }
  void contribute(uint32_t node, int64_t start, int64_t width, int64_t from) {
    live_[node] = 1;
    contributions_.add(node, static_cast<int>(graph_.block_of(node)), start, width, from,
                       additions_);
  }

  // Whether batch `number` may run concurrently with the next one, which comes before it in the
  // backward pass: in the forward run both had the same depth in the same flush. Hoisted batches
  // are excluded, because others of their depth may read them.
  bool joins(size_t number) const {
    if (number + 1 >= batches_.size()) return false;
    const Batch &here = batches_[number], &behind = batches_[number + 1];
    const bool flushed = behind.first == 0;  // its arguments are the first of a flush
    return here.step != 0 && here.step == behind.step && !flushed && !blocks_[here.block].hoisted &&
           !blocks_[behind.block].hoisted;
  }

  void plan_batch(size_t number) {
    const Batch& batch = batches_[number];
    const TrainedBlock& t = trained_[static_cast<size_t>(batch.block)];
    BlockNodes& own = nodes[static_cast<size_t>(batch.block)];
    const int64_t record = t.adjoint < 0 ? 0 : blocks_[t.adjoint].record;
    const int operands = blocks_[batch.block].operands;
    const size_t node = own.size(), added = additions_.size();
    const int64_t first_record = floats;
    for (size_t r = 0; r < batch.n; r++) floats += live_[order_.node(number, r)] ? record : 0;
    int64_t at = first_record;
    for (size_t r = 0; r < batch.n; r++) {
      const uint32_t i = order_.node(number, r);
      if (!live_[i]) continue;
      const int64_t* args = own.arguments.empty() ? nullptr : &graph_.args[order_.argument(i)];
      own.records.push_back(schedule_.location[i]);
      own.adjoints.push_back(at);
      at += record;
      for (int o = 0; o < t.n_outputs; o++) {
        own.gradients[static_cast<size_t>(o)].push_back(contributions_.place(i, o));
      }
      for (int j = 0; j < operands; j++) {
        own.arguments[static_cast<size_t>(j)].push_back(schedule_.resolve(args[j]));
      }
      for (size_t j = static_cast<size_t>(operands); j < own.arguments.size(); j++) {
        own.arguments[j].push_back(args[j]);
      }
      for (int g = 0; g < t.n_operands; g++) {
        const OperandGradient& of = t.operands[g];
        const Handle h = args[of.operand];
        const int64_t from = own.offset(of.from, own.size() - 1);
        if (node_of(h) >= kReservedNodes) {
          contribute(node_of(h), offset_of(h), of.width, from);
        } else if (node_of(h) == kWeightNode) {
          weights_.add(offset_of(h), of.width, from, additions_);
        }
      }
    }
    const size_t n = own.size() - node;
    if (n == 0) return;
    steps_.push_back({batch.block, static_cast<uint32_t>(n), first_record});
    const bool joined = !groups_.empty() && last_ == number + 1 && joins(number);
    last_ = number;
    if (!joined) groups_.push_back({adjoints_.size(), adjoints_.size(), added, added});
    Group& group = groups_.back();
    group.addition_end = additions_.size();
    for (size_t a = added; a < additions_.size(); a++) group.floats += additions_[a].width;
    if (t.adjoint < 0) return;
    adjoints_.push_back({t.adjoint, static_cast<uint32_t>(n), first_record, offsets_.size(),
                         groups_.size(), static_cast<uint32_t>(n)});
    group.adjoint_end = adjoints_.size();
    for (int a = 0; a < t.n_reads; a++) {
      for (size_t i = node; i < own.size(); i++) {
        offsets_.push_back(static_cast<int32_t>(own.offset(t.reads[a], i)));
      }
    }
    for (int a = 0; a < t.n_rows; a++) {
      const auto& rows = own.arguments[static_cast<size_t>(operands + t.rows[a])];
      for (size_t i = node; i < own.size(); i++) offsets_.push_back(static_cast<int32_t>(rows[i]));
    }
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::span<const Batch> batches_;
  const BlockInfo* blocks_;
  std::span<const TrainedBlock> trained_;
  int64_t shift_of_weights_;
  ArenaRows weights_;
  NodeOrder order_;
  Contributions contributions_;
  std::vector<uint8_t> live_;      // per node
  std::vector<int64_t> seeds_at_;  // per seed, where it is copied to
  size_t n_of_seeds_ = 0;          // additions that come before all batches
  std::vector<Step> steps_;
  size_t last_ = 0;              // the batch of the last step
  std::vector<Batch> adjoints_;  // with the number of the group as their step
  std::vector<Group> groups_;
  std::vector<Addition> additions_;
  std::vector<int32_t> offsets_;
};

}  // namespace acrobat
