// From the graph to batches: a counting sort by (phase, depth, block), whose histogram the graph
// already holds, and the resolution of every operand to an offset in the arena. A program with
// tensor-dependent decisions flushes several times: each flush schedules the nodes recorded since
// the previous one, up to a phase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../graph/graph.h"
#include "../graph/placement.h"
#include "../graph/signals.h"
#include "arena.h"
#include "batch.h"
#include "choice.h"
#include "lookahead.h"

namespace acrobat {

struct Schedule {
  std::vector<Batch> batches;  // of the current flush
  Flat<int32_t> offsets;
  Flat<int64_t> location;  // of every node's record in floats, -1 if it is not scheduled yet
  int64_t floats = 0;      // used in the arena
  int64_t spare = 0;       // of these, the room that batches have left
  int64_t n_batches = 0;   // of all flushes
  std::vector<Batch>* history = nullptr;  // all batches in order, if they are asked for
  Signals* signals = nullptr;             // of the call

  // `start` is the first free float of the arena, `inputs` is where the tensors of instances begin,
  // `numbers` where the numbers that became tensors do.
  void reset(int64_t inputs, int64_t start, int64_t numbers) {
    location.clear();
    int64_t* where = location.grow(kReservedNodes);
    where[kWeightNode] = 0;
    where[kInputNode] = inputs;
    where[kScalarNode] = numbers;
    deferred_.clear();
    aside_.clear();
    next_ = kReservedNodes;
    next_arg_ = 0;
    floats = start;
    spare = 0;
    n_batches = 0;
  }

  // Reserved nodes are always computed; their location may be negative, before the arena's base.
  // Nodes since the last flush are not, even if they have a place.
  bool computed(uint32_t node) const {
    return node < kReservedNodes || (node < next_ && location[node] >= 0);
  }
  int64_t resolve(Handle h) const { return location[node_of(h)] + offset_of(h); }

  // Schedules the nodes that `flush` takes and that are not scheduled yet, as `advice` says, which
  // gets what is found; an order or lookahead has to pay at these `costs`.
  void build(Graph& graph, const BlockInfo* blocks, const Flush& flush, const Costs& costs,
             Advice& advice, Placement& placement) {
    if (placement.mode != Placement::Mode::kOff) {
      if (list_filled(graph, placement, blocks, advice)) return;
      unplace(placement);
      graph.count_all();
    }
    take(graph, blocks, flush);
    depth_at_.clear();
    const Scheduler scheduler = advice.scheduler;
    if (scheduler == Scheduler::kLookahead) look_ahead(graph, blocks, flush.last);
    if (scheduler == Scheduler::kAuto) choose(graph, blocks, flush, costs, advice);
    if (scheduler == Scheduler::kRuntimeDepth) assign_depths(graph, blocks);
    if (scheduler == Scheduler::kAgenda) assign_agenda(graph, blocks);
    if (advice.places && advice.order == nullptr && !advice.looked) advice.make_rooms(graph.count);
    batches.clear();
    offsets.clear();
    size_t first = 0;
    places_.resize(graph.count.size());
    for (uint32_t p = 0; p <= flush.last; p++) {
      auto& count = graph.count[p];
      places_[p].resize(count.size());
      signals->in_stretches(0, count.size(), [&](size_t b, size_t end) {
        for (; b < end; b++) {
          uint32_t n = count[b];
          if (n == 0) continue;
          int block = static_cast<int>(b % graph.n_blocks);
          const BlockInfo& info = blocks[block];
          places_[p][b] = {floats, info.record, first, n, info.operands, info.gathered_rows};
          size_t depth = b / graph.n_blocks;
          if (!depth_at_.empty()) depth = depth_at_[depth];
          batches.push_back({block, n, floats, first, (uint64_t{p} << 32) + depth + 1, n});
          floats += n * info.record;
          first += static_cast<size_t>(n) * (info.operands + info.gathered_rows);
          Arena::require(floats);
          count[b] = 0;
        }
      });
    }
    n_batches += static_cast<int64_t>(batches.size());
    if (history) history->insert(history->end(), batches.begin(), batches.end());
    cluster(graph, blocks, first);
    // A kernel's last, padded column may read one vector past the end.
    offsets.grow(first + 16);
    if (!whole_) {
      signals->in_stretches(0, taken_.size(), [&](size_t i, size_t end) {
        for (; i < end; i++) place(graph, taken_[i].first, &graph.args[taken_[i].second]);
      });
      return;
    }
    const int64_t* arg = graph.args.size() > 0 ? &graph.args[first_arg_] : nullptr;
    signals->in_stretches(first_, next_, [&](size_t i, size_t end) {
      for (; i < end; i++) arg = place(graph, i, arg);
    });
  }

  // Nodes that are placed while they are recorded (placed.h).
  void make_room(Placement& placement, const BlockInfo* blocks, int n_blocks, Advice& advice);
  bool list_filled(const Graph& graph, Placement& placement, const BlockInfo* blocks,
                   const Advice& advice);
  void unplace(Placement& placement) {
    placement.mode = Placement::Mode::kOff;
    next_ = kReservedNodes;
    trim(next_);
  }

  static int64_t min_batches(const Graph& graph, const BlockInfo* blocks);  // bound.h

 private:
  // Where the records and the offsets of a batch begin, and what the pass over the nodes needs to
  // know about its block.
  struct Place {
    int64_t record, width;  // of the first record, and floats of each
    size_t first;
    uint32_t n;
    int operands, rows;
  };
  struct Choice {
    uint64_t first;  // the first of the choices in the high half, the node in the low half
    const int64_t* args;
  };
  using Pending = std::pair<size_t, size_t>;  // node, where its arguments begin

  // Decides which nodes this flush takes: all since the last one (`whole_`), or, if some are for a
  // later one, a list in order of creation.
  void take(Graph& graph, const BlockInfo* blocks, const Flush& flush) {
    first_ = next_, first_arg_ = next_arg_;
    next_ = graph.bucket.size();
    next_arg_ = graph.args.size();
    std::fill_n(location.grow(next_ - first_), next_ - first_, int64_t{-1});
    whole_ = deferred_.empty() && flush.last + 1 == graph.count.size() && flush.ended.empty() &&
             !(flush.is_last && !aside_.empty());
    if (whole_) return;
    size_t at = first_arg_, n_aside = aside_.size();
    auto ended = flush.ended.begin();
    for (size_t i = first_; i < next_; i++) {
      const BlockInfo& info = blocks[graph.bucket[i] % graph.n_blocks];
      while (ended != flush.ended.end() && ended->second <= i) ++ended;
      bool aside = ended != flush.ended.end() && ended->first <= i && !info.once;
      (aside ? aside_ : deferred_).push_back({i, at});
      at += static_cast<size_t>(info.operands + info.gathered_rows);
    }
    if (aside_.size() > n_aside) {
      // Nodes that are set aside leave gaps in the ranks of the others.
      for (size_t i = n_aside; i < aside_.size(); i++) counted(graph, aside_[i].first) = 0;
      for (auto [node, arg] : deferred_) counted(graph, node) = 0;
      for (auto [node, arg] : deferred_) graph.rank[node] = counted(graph, node)++;
    }
    taken_.clear();
    auto later = [&](const Pending& p) { return graph.phase_of(p.first) > flush.last; };
    std::copy_if(deferred_.begin(), deferred_.end(), std::back_inserter(taken_),
                 [&](const Pending& p) { return !later(p); });
    std::erase_if(deferred_, [&](const Pending& p) { return !later(p); });
    if (flush.is_last && !aside_.empty()) {
      for (auto [node, arg] : aside_) graph.rank[node] = counted(graph, node)++;
      taken_.insert(taken_.end(), aside_.begin(), aside_.end());
      std::sort(taken_.begin(), taken_.end());
      aside_.clear();
    }
  }

  // The number of nodes in the bucket of a node.
  static uint32_t& counted(Graph& graph, size_t node) {
    return graph.count[graph.phase_of(node)][graph.bucket[node]];
  }

  const int64_t* place(const Graph& graph, size_t node, const int64_t* arg) {
    const Place& p = places_[graph.phase_of(node)][graph.bucket[node]];
    int64_t* const records = &location[0];
    const uint32_t rank = graph.rank[node];
    const size_t n = p.n;
    const int operands = p.operands, rows = p.rows;
    int32_t* out = &offsets[p.first + rank];
    records[node] = p.record + rank * p.width;
    for (int j = 0; j < operands; j++, out += n) {
      const Handle h = *arg++;
      *out = static_cast<int32_t>(records[node_of(h)] + offset_of(h));
    }
    for (int j = 0; j < rows; j++, out += n) *out = static_cast<int32_t>(*arg++);
    return arg;
  }

  template <class F>
  void each_taken(const Graph& graph, const BlockInfo* blocks, F&& f) {
    if (!whole_) {
      signals->in_stretches(0, taken_.size(), [&](size_t i, size_t end) {
        for (; i < end; i++) f(taken_[i].first, taken_[i].second);
      });
      return;
    }
    size_t at = first_arg_;
    signals->in_stretches(first_, next_, [&](size_t i, size_t end) {
      for (; i < end; i++) {
        f(i, at);
        const BlockInfo& info = blocks[graph.bucket[i] % graph.n_blocks];
        at += static_cast<size_t>(info.operands + info.gathered_rows);
      }
    });
  }

  // Puts a node at a depth: sets its bucket, and its rank in it.
  static void put(Graph& graph, size_t node, uint32_t depth) {
    int block = static_cast<int>(graph.bucket[node] % graph.n_blocks);
    auto& count = graph.count[graph.phase_of(node)];
    size_t b = static_cast<size_t>(depth) * graph.n_blocks + block;
    if (b >= count.size()) graph.widen(count, b);
    graph.bucket[node] = static_cast<uint32_t>(b);
    graph.rank[node] = count[b]++;
  }
  void clear_counts(Graph& graph, const BlockInfo* blocks) {
    each_taken(graph, blocks, [&](size_t node, size_t) { counted(graph, node) = 0; });
  }

  // Depth from the finished graph: one more than the deepest operand (DyNet's depth-based
  // batching). Operands come before their users in order of creation, so one pass is enough.
  void assign_depths(Graph& graph, const BlockInfo* blocks) {
    depth_.resize(graph.bucket.size());
    clear_counts(graph, blocks);
    each_taken(graph, blocks, [&](size_t node, size_t arg) {
      uint32_t d = 0;
      for (int j = 0; j < blocks[graph.bucket[node] % graph.n_blocks].operands; j++) {
        uint32_t operand = node_of(graph.args[arg + static_cast<size_t>(j)]);
        if (!computed(operand)) d = std::max(d, depth_[operand] + 1);
      }
      depth_[node] = d;
      put(graph, node, d);
    });
  }

  // Makes nodes of a batch that chose the same matrix of a table neighbours. `size`: the number of
  // offsets of all batches.
  void cluster(Graph& graph, const BlockInfo* blocks, size_t size);

  // DyNet's agenda: of the blocks that have nodes whose operands are done, run the one whose
  // waiting nodes have the least average depth (Neubig et al. 2017, section 3.2). A step of the
  // agenda takes the place of the depth.
  void assign_agenda(Graph& graph, const BlockInfo* blocks);

  // Depths by `Lookahead`, for all phases together (ahead.h).
  void look_ahead(Graph& graph, const BlockInfo* blocks, uint32_t last);
  void add_taken(const Graph& graph, const BlockInfo* blocks);
  void put_ahead(Graph& graph, const BlockInfo* blocks, uint32_t last);

  // Keeps inline depth, unless something else is advised and pays (follow.h).
  void choose(Graph& graph, const BlockInfo* blocks, const Flush& flush, const Costs& costs,
              Advice& advice);
  void look(Graph& graph, const BlockInfo* blocks, const Flush& flush, const Costs& costs,
            Advice& advice, bool always);
  int64_t find_places(Graph& graph, const BlockInfo* blocks, const Order& order);
  void follow(Graph& graph, uint32_t last, Advice& advice);

  // Forgets the places of nodes from `n` on.
  void trim(size_t n) {
    location.clear();
    location.grow(n);
  }
  static size_t block_at(const Order* order, size_t position, size_t n_blocks);

  // In floats. With more, there is so much to compute that a pass over the nodes hardly counts.
  static constexpr int64_t kMostRoom = int64_t{16} << 20;
  // With fewer batches there is nothing to gain.
  static constexpr int64_t kFew = 6;

  bool whole_ = true;
  size_t first_ = 0, first_arg_ = 0, next_ = 0, next_arg_ = 0;
  std::vector<Pending> deferred_, aside_, taken_;
  std::vector<std::vector<Place>> places_;
  std::vector<uint32_t> depth_;
  // By position of the order that was followed, if any: the depth of its batch. By bucket: how many
  // nodes it has by the order, and from which position on they may run.
  std::vector<uint32_t> depth_at_, ordered_, reads_;
  Lookahead lookahead_;
  Flat<uint32_t> position_;
  Flat<Choice> choices_;
};

}  // namespace acrobat
