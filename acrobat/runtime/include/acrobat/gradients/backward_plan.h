// The plan of the backward pass of a mini-batch: the forward schedule in reverse, batch by batch.
// No new graph is recorded.
//
//   [values | gradients of weights | taken along the way: records of adjoints, sums ...]
//            ^ shift
//
// The adjoint of a batch writes its contributions to the gradients of its operands into records of
// its own. The gradient of a value that is used once is read there; a value with several users gets
// a location where the contributions are summed (contributions.h), in the order in which the nodes
// run. Nodes on which no result depends are left out, because 0 times what they computed need not
// be 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../graph/graph.h"
#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "arena_rows.h"
#include "contributions.h"
#include "node_order.h"
#include "nodes.h"
#include "tables.h"

namespace acrobat {

// The gradient of a tensor of a result.
struct Seed {
  int64_t place, size;
  const float* gradient;
};

class BackwardPlan {
 public:
  // Batches whose adjoints run concurrently, [adjoint, adjoint_end) of `adjoints`, and the sums
  // after them, [addition, addition_end) of `additions`, of `floats` floats in total.
  struct Group {
    size_t adjoint, adjoint_end, addition, addition_end;
    int64_t floats = 0;
  };

  int64_t shift = 0, floats = 0;
  std::vector<BlockNodes> nodes;  // per block
  // The gradient of every seed is copied to `seeds_at`; the first `n_of_seeds` additions come
  // before all batches.
  std::vector<int64_t> seeds_at;
  size_t n_of_seeds = 0;
  std::vector<Batch> adjoints;  // with the number of the group as their step
  std::vector<Group> groups;
  std::vector<Addition> additions;
  std::vector<int32_t> offsets;

  // `batches`: all batches of the forward run, in order.
  BackwardPlan(const Graph& graph, const Schedule& schedule, std::span<const Batch> batches,
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
    std::vector<size_t> counts(trained.size());
    for (const Batch& b : batches) counts[static_cast<size_t>(b.block)] += b.n;
    size_t n_offsets = 0;
    for (size_t b = 0; b < trained.size(); b++) {
      const auto arguments = static_cast<size_t>(arguments_of(static_cast<int>(b)));
      nodes[b].make_room(counts[b], arguments, static_cast<size_t>(trained[b].n_outputs));
      n_offsets += counts[b] * static_cast<size_t>(trained[b].n_reads + trained[b].n_rows);
    }
    offsets.reserve(n_offsets + kPast);
    additions.reserve(graph.n_nodes());
  }

  // Plans which batches of which nodes run. CapacityError if offsets cannot address what they need.
  void make(std::span<const Seed> seeds, Signals& signals) {
    live_.assign(graph_.bucket.size(), 0);
    for (const Seed& seed : seeds) {
      seeds_at.push_back(floats);
      floats += align(seed.size);
      contribute(seed.place, seed.size, seeds_at.back());
    }
    n_of_seeds = additions.size();
    size_t unseen = 0;  // nodes since the last check for signals
    for (size_t b = batches_.size(); b-- > 0;) {
      plan_batch(b);
      if ((unseen += batches_[b].n) > kLook) unseen = 0, signals.look();
    }
    weights_.finish();
    Arena::require(floats);
    offsets.resize(offsets.size() + kPast);
  }

  // The floats that have to be cleared first, if any.
  Addition cleared() const { return contributions_.cleared(); }

  // Adds the planned batches to a trace, before they run (plan_trace.h).
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

  static constexpr size_t kLook = size_t{1} << 14;
  static constexpr size_t kAhead = 8;  // nodes
  static constexpr size_t kPast = 16;  // offsets: a kernel may read a vector past the last

  int arguments_of(int block) const {
    return blocks_[block].operands + blocks_[block].gathered_rows;
  }
  const int64_t* arguments_of(const NodeOrder::Node& n) const { return &graph_.args[n.argument]; }
  int adjoint(const Step& s) const { return trained_[static_cast<size_t>(s.block)].adjoint; }

  // Adds the contribution at `from` to the gradient of the value at `place` in the arena. Before
  // the first record lie weights and tensors of instances, and before these the numbers.
  void contribute(int64_t place, int64_t width, int64_t from) {
    if (batches_.empty() || place < batches_.front().record) {
      if (place >= 0 && place < schedule_.location[kInputNode]) {
        weights_.add(place, width, from, additions);
      }
      return;
    }
    const size_t b = order_.batch_of(place);
    const int64_t start = place - batches_[b].record;
    const int64_t record = blocks_[batches_[b].block].record;
    const auto rank = static_cast<size_t>(start / record);
    contribute(order_.of(b)[rank].number, start % record, width, from);
  }
  void contribute(uint32_t node, int64_t start, int64_t width, int64_t from) {
    live_[node] = 1;
    contributions_.add(node, static_cast<int>(graph_.block_of(node)), start, width, from,
                       additions);
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
    const size_t node = own.size(), added = additions.size();
    const int64_t first_record = floats;
    const std::span<const NodeOrder::Node> all = order_.of(number);
    for (const NodeOrder::Node& n : all) floats += live_[n.number] ? record : 0;
    int64_t at = first_record;
    for (size_t r = 0; r < all.size(); r++) {
      // The next nodes of a batch are often of other instances, and not in the cache.
      if (operands > 0 && r + kAhead < all.size()) {
        const int64_t* next = arguments_of(all[r + kAhead]);
        for (int j = 0; j < operands; j += 8) __builtin_prefetch(next + j);
      }
      const uint32_t i = all[r].number;
      if (!live_[i]) continue;
      const int64_t* args = own.arguments.empty() ? nullptr : arguments_of(all[r]);
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
          weights_.add(offset_of(h), of.width, from, additions);
        }
      }
    }
    const size_t n = own.size() - node;
    if (n == 0) return;
    steps_.push_back({batch.block, static_cast<uint32_t>(n), first_record});
    const bool joined = !groups.empty() && last_ == number + 1 && joins(number);
    last_ = number;
    if (!joined) groups.push_back({adjoints.size(), adjoints.size(), added, added});
    Group& group = groups.back();
    group.addition_end = additions.size();
    for (size_t a = added; a < additions.size(); a++) group.floats += additions[a].width;
    if (t.adjoint < 0) return;
    adjoints.push_back({t.adjoint, static_cast<uint32_t>(n), first_record, offsets.size(),
                        groups.size(), static_cast<uint32_t>(n)});
    group.adjoint_end = adjoints.size();
    for (int a = 0; a < t.n_reads; a++) {
      for (size_t i = node; i < own.size(); i++) {
        offsets.push_back(static_cast<int32_t>(own.offset(t.reads[a], i)));
      }
    }
    for (int a = 0; a < t.n_rows; a++) {
      const auto& rows = own.arguments[static_cast<size_t>(operands + t.rows[a])];
      for (size_t i = node; i < own.size(); i++) offsets.push_back(static_cast<int32_t>(rows[i]));
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
  std::vector<uint8_t> live_;  // per node
  std::vector<Step> steps_;
  size_t last_ = 0;  // the batch of the last step
};

}  // namespace acrobat
