// The backward run of a mini-batch: the forward schedule walked backwards, batch by batch. Nothing
// is recorded anew.
//
//   [values | gradients, at the same offsets | records of adjoints ...]
//            ^ shift
//
// The gradient of what lies at an address lies `shift` floats further on, so that a view is an
// address there, too. The adjoint of a batch writes what it has for the operands of its nodes to
// records of its own; then these are added where they belong, in the order of the nodes. Threads
// share that by addresses, not by nodes: no addition is lost, and none depends on how many threads
// there are. Nodes on which no result depends are left out, for 0 times what they computed need not
// be 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../cpu/executor.h"
#include "../graph/graph.h"
#include "../schedule/arena.h"
#include "../schedule/schedule.h"
#include "../schedule/trace.h"
#include "arena_rows.h"
#include "nodes.h"
#include "tables.h"
#include "vectors.h"

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

  // `batches`: all of the forward run, in order.
  Walk(const Graph& graph, const Schedule& schedule, std::span<const Batch> batches,
       const BlockInfo* blocks, std::span<const TrainedBlock> trained,
       std::span<ArenaWeight> weights)
      : weights_(weights),
        graph_(graph),
        schedule_(schedule),
        batches_(batches),
        blocks_(blocks),
        trained_(trained) {
    shift = floats = (schedule.floats + 15) / 16 * 16;
    floats += shift;
    nodes.resize(trained.size());
    for (size_t b = 0; b < trained.size(); b++) {
      nodes[b].arguments.resize(static_cast<size_t>(arguments_of(static_cast<int>(b))));
    }
    find_nodes();
  }

  // Which batches of which nodes run; CapacityError if offsets cannot address what they need.
  void plan(std::span<const Seed> seeds) {
    live_.assign(graph_.bucket.size(), 0);
    for (const Seed& seed : seeds) {
      mark(seed.place);
      weights_.touch(seed.place, seed.size);
    }
    for (size_t b = batches_.size(); b-- > 0;) plan_batch(b);
    Arena::require(floats);
    offsets_.resize(offsets_.size() + 16);  // a kernel may read a vector past the last
  }

  // Runs what was planned, in an arena with room for `floats`.
  void run(std::span<const Seed> seeds, float* arena, const Executor& executor, ThreadPool& pool,
           Executor::Scratch& scratch) {
    clear(arena + shift);
    weights_.begin(arena + shift);
    for (const Seed& seed : seeds) {
      if (seed.place < 0) continue;  // a number
      add_all(arena + shift + seed.place, seed.gradient, seed.size);
    }
    Schedule sizes;
    for (const Step& s : steps_) {
      if (adjoint(s) >= 0) sizes.batches.push_back({adjoint(s), s.n, 0, 0});
    }
    float* temporaries = scratch.aligned(executor.scratch_floats(sizes));
    pool.run([&](Worker& worker) {
      for (const Step& s : steps_) {
        if (adjoint(s) >= 0) {
          executor.run_partitioned({adjoint(s), s.n, arena + s.record, temporaries,
                                    offsets_.data() + s.first, s.n, arena},
                                   worker, arena);
        }
        add_to_operands(s, arena, worker);
      }
    });
  }

  // Says which batches run, before they do.
  void note(Trace& trace) const {
    trace.turn();
    auto step = steps_.begin();
    std::vector<uint32_t> of;
    for (size_t number = batches_.size(); number-- > 0;) {
      of.clear();
      for (size_t r = 0; r < batches_[number].n; r++) {
        const uint32_t node = order_[first_[number] + r];
        if (live_[node]) of.push_back(node);
      }
      if (of.empty()) continue;
      const Step& s = *step++;
      if (adjoint(s) >= 0) trace.went_back(adjoint(s), batches_[number].step, s.record, of);
    }
  }

  int64_t n_nodes() const {
    int64_t n = 0;
    for (const Step& s : steps_) n += s.n;
    return n;
  }
  int64_t n_batches() const { return static_cast<int64_t>(steps_.size()); }

 private:
  // A batch that runs: its nodes begin at `node` in `nodes`, the offsets of the adjoint's arguments
  // at `first`, the adjoint's records at `record`.
  struct Step {
    int block;
    uint32_t n;
    size_t node, first;
    int64_t record;
  };

  int arguments_of(int block) const {
    return blocks_[block].operands + blocks_[block].gathered_rows;
  }
  int adjoint(const Step& s) const { return trained_[static_cast<size_t>(s.block)].adjoint; }

  // The batch in which the record at `place` is.
  size_t batch_of(int64_t place) const {
    auto after = std::upper_bound(batches_.begin(), batches_.end(), place,
                                  [](int64_t p, const Batch& b) { return p < b.record; });
    return static_cast<size_t>(after - batches_.begin()) - 1;
  }

  // Every batch's nodes in the order of their records, and where each node's arguments are.
  void find_nodes() {
    size_t n = 0;
    for (const Batch& b : batches_) {
      first_.push_back(n);
      n += b.n;
    }
    order_.resize(n);
    argument_.resize(graph_.bucket.size());
    size_t at = 0;
    for (size_t i = kReservedNodes; i < graph_.bucket.size(); i++) {
      argument_[i] = at;
      at += static_cast<size_t>(arguments_of(static_cast<int>(graph_.block_of(i))));
      const int64_t place = schedule_.location[i];
      // A block that puts nothing out has no records to tell its nodes by, and no gradients.
      if (place < 0 || blocks_[graph_.block_of(i)].record == 0) continue;
      const size_t b = batch_of(place);
      const int64_t rank = (place - batches_[b].record) / blocks_[batches_[b].block].record;
      order_[first_[b] + static_cast<size_t>(rank)] = static_cast<uint32_t>(i);
    }
  }

  // Something depends on what lies at `place`; before the first record are weights and inputs.
  void mark(int64_t place) {
    if (batches_.empty() || place < batches_.front().record) return;
    const size_t b = batch_of(place);
    const int64_t rank = (place - batches_[b].record) / blocks_[batches_[b].block].record;
    live_[order_[first_[b] + static_cast<size_t>(rank)]] = 1;
  }

  void plan_batch(size_t number) {
    const Batch& batch = batches_[number];
    const TrainedBlock& t = trained_[static_cast<size_t>(batch.block)];
    BlockNodes& own = nodes[static_cast<size_t>(batch.block)];
    const int64_t record = t.adjoint < 0 ? 0 : blocks_[t.adjoint].record;
    const size_t node = own.size();
    const int64_t first_record = floats;
    for (size_t r = 0; r < batch.n; r++) {
      const size_t i = order_[first_[number] + r];
      if (!live_[i]) continue;
      const int64_t* args = own.arguments.empty() ? nullptr : &graph_.args[argument_[i]];
      for (int g = 0; g < t.n_operands; g++) live_[node_of(args[t.operands[g].operand])] = 1;
      own.records.push_back(schedule_.location[i]);
      own.adjoints.push_back(floats);
      floats += record;
      for (int j = 0; j < blocks_[batch.block].operands; j++) {
        own.arguments[static_cast<size_t>(j)].push_back(schedule_.resolve(args[j]));
      }
      for (int g = 0; g < t.n_operands; g++) {
        const OperandGradient& of = t.operands[g];
        weights_.touch(own.arguments[static_cast<size_t>(of.operand)].back(), of.width);
      }
      for (size_t j = static_cast<size_t>(blocks_[batch.block].operands); j < own.arguments.size();
           j++) {
        own.arguments[j].push_back(args[j]);
      }
    }
    const size_t n = own.size() - node;
    if (n == 0) return;
    steps_.push_back({batch.block, static_cast<uint32_t>(n), node, offsets_.size(), first_record});
    if (t.adjoint < 0) return;
    for (int a = 0; a < t.n_reads; a++) {
      for (size_t i = node; i < own.size(); i++) {
        offsets_.push_back(static_cast<int32_t>(own.offset(t.reads[a], i, shift)));
      }
    }
    for (int a = 0; a < t.n_rows; a++) {
      const auto& rows =
          own.arguments[static_cast<size_t>(blocks_[batch.block].operands + t.rows[a])];
      for (size_t i = node; i < own.size(); i++) offsets_.push_back(static_cast<int32_t>(rows[i]));
    }
  }

  // Makes the gradients zero of what is added to: inputs, and outputs of nodes that run.
  void clear(float* gradients) const {
    const int64_t inputs = weights_.end();
    const int64_t records = batches_.empty() ? shift : batches_.front().record;
    std::memset(gradients + inputs, 0, static_cast<size_t>(records - inputs) * sizeof(float));
    for (size_t b = 0; b < trained_.size(); b++) {
      const size_t bytes = static_cast<size_t>(trained_[b].own_floats) * sizeof(float);
      for (int64_t record : nodes[b].records) std::memset(gradients + record, 0, bytes);
    }
  }

  // The threads' shares of memory: stripes of 64 floats in turn.
  static constexpr int64_t kStripe = 64;
  // So many floats are worth handing to other threads.
  static constexpr int64_t kWorth = 1 << 13;

  struct Stripes {
    int threads, at_once = 1, least = 1;
    int chunks(int) const { return 1; }
    int chunks() const { return threads; }
  };

  void add_to_operands(const Step& s, float* arena, Worker& worker) const {
    const TrainedBlock& t = trained_[static_cast<size_t>(s.block)];
    int64_t work = 0;
    for (int g = 0; g < t.n_operands; g++) work += int64_t{s.n} * t.operands[g].width;
    if (work == 0) return;
    if (worker.threads() == 1) return add_stripes(s, arena, 0, 1);
    if (work < kWorth) {
      worker.alone([&] { add_stripes(s, arena, 0, 1); });
      return;
    }
    worker.run_partitioned(Stripes{worker.threads()}, [&](int owner, Chunks) {
      add_stripes(s, arena, owner, worker.threads());
    });
  }

  void add_stripes(const Step& s, float* arena, int owner, int owners) const {
    const TrainedBlock& t = trained_[static_cast<size_t>(s.block)];
    const BlockNodes& own = nodes[static_cast<size_t>(s.block)];
    for (int g = 0; g < t.n_operands; g++) {
      const OperandGradient& gradient = t.operands[g];
      const auto& places = own.arguments[static_cast<size_t>(gradient.operand)];
      for (size_t i = s.node; i < s.node + s.n; i++) {
        if (places[i] < 0) continue;  // a number of the program's
        const float* from = arena + own.offset(gradient.from, i, shift);
        const int64_t first = places[i] + shift, end = first + gradient.width;
        if (owners == 1) {
          add_all(arena + first, from, gradient.width);
          continue;
        }
        for (int64_t at = first; at < end;) {
          const int64_t next = std::min(end, (at / kStripe + 1) * kStripe);
          if (at / kStripe % owners == owner) add_all(arena + at, from + (at - first), next - at);
          at = next;
        }
      }
    }
  }

  ArenaRows weights_;
  const Graph& graph_;
  const Schedule& schedule_;
  std::span<const Batch> batches_;
  const BlockInfo* blocks_;
  std::span<const TrainedBlock> trained_;
  std::vector<size_t> first_;     // per batch, its nodes in `order_`
  std::vector<uint32_t> order_;   // nodes in the order of their records
  std::vector<size_t> argument_;  // per node
  std::vector<uint8_t> live_;     // per node
  std::vector<Step> steps_;
  std::vector<int32_t> offsets_;
};

}  // namespace acrobat
