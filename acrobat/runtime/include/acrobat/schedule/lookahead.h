// Lookahead: schedules the finished graph, for programs whose inline depth is far from its bound.
//
// A block needs at least as many batches as its longest chain has nodes. A batch of the block
// shortens that chain only if it contains every node that begins a longest chain. So the next block
// to run is one for which all of these nodes are ready: every such batch lowers the bound on the
// remaining batches by one, and if there always is such a block, the schedule is optimal. (Chen et
// al. 2023, ED-Batch, give a sufficient condition of the same kind.) If there is none, the block
// whose ready nodes have the largest sum of heights runs, as in weighted majority merge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../graph/graph.h"
#include "../graph/signals.h"

namespace acrobat {

class Lookahead {
 public:
  // Where a node runs: the depth of its batch, and its rank in the batch.
  struct Place {
    uint32_t depth, rank;
  };

  // Begins a graph of `nodes` nodes that have at most `operands` operands in total. The nodes are
  // added one by one, each after its operands.
  void begin(int blocks, size_t nodes, size_t operands) {
    kind_of_.assign(static_cast<size_t>(blocks), -1);
    block_.clear(), nodes_.clear(), edges_.clear(), places_.clear(), order_.clear();
    node_ = nodes_.grow(nodes);
    edge_ = edges_.grow(operands);
    n_ = n_edges_ = 0;
  }
  void add(uint32_t block) {
    int& kind = kind_of_[block];
    if (kind < 0) {
      kind = static_cast<int>(block_.size());
      block_.push_back(block);
    }
    node_[n_++] = {static_cast<uint16_t>(kind), 0, n_edges_, kNone, 0};
  }
  // Adds an operand of the node that was added last: the number of an earlier node.
  void operand(uint32_t from) {
    edge_[n_edges_] = {from, node_[from].users};
    node_[from].users = n_edges_++;
    node_[n_ - 1].missing++;
  }

  // Whether an order can be found; not for graphs or programs so large that it would cost too much.
  bool fits() const { return block_.size() < kMostKinds && n_ * lanes() < kMostLanes; }

  // Finds places for all nodes with as few batches as it can; returns the number of batches.
  int64_t order(Signals& signals) {
    place_ = places_.grow(n_);
    find_heights();
    const size_t kinds = block_.size();
    by_block_.resize(kinds);
    std::iota(by_block_.begin(), by_block_.end(), 0);
    std::ranges::sort(by_block_, {}, [&](size_t kind) { return block_[kind]; });
    ready_.resize(std::max(ready_.size(), kinds));
    ready_top_.assign(kinds, 0);
    // Batches of the same depth do not read each other, and their blocks ascend.
    since_.assign(kinds, 0);
    uint32_t depth = 0;
    int64_t last = -1, batches = 0;
    size_t unseen = 0;  // nodes since the last check for signals
    for (uint32_t i = 0; i < n_; i++) {
      if (node_[i].missing == 0) make_ready(i, 0);
    }
    for (size_t left = n_; left > 0; batches++) {
      const size_t kind = next();
      if (since_[kind] > depth || block_[kind] <= last) depth++;
      last = block_[kind];
      order_.push_back(static_cast<uint32_t>(last));
      taken_.clear();
      std::swap(taken_, ready_[kind]);
      left -= taken_.size();
      if ((unseen += taken_.size()) > kLook) unseen = 0, signals.look();
      uint32_t* at_height = &left_at_[first_[kind]];
      uint32_t rank = 0;
      for (uint32_t i : taken_) {
        place_[i] = {depth, rank++};
        at_height[node_[i].height]--;
      }
      while (top_[kind] > 0 && at_height[top_[kind]] == 0) top_[kind]--;
      ready_top_[kind] = 0;
      for (uint32_t i : taken_) {
        for (uint32_t e = node_[i].users; e != kNone; e = edge_[e].next) {
          const uint32_t user = user_[e];
          if (--node_[user].missing == 0) make_ready(user, depth + 1);
        }
      }
    }
    return batches;
  }

  uint32_t block(size_t i) const { return static_cast<uint32_t>(block_[node_[i].kind]); }
  Place place(size_t i) const { return place_[i]; }
  // The blocks of the batches, in order.
  const std::vector<uint32_t>& blocks() const { return order_; }

 private:
  struct Node {
    uint16_t kind, height;  // of the longest chain of its own block that begins with it
    uint32_t edges;         // the first of its operands
    uint32_t users;         // the first of a list of edges
    uint32_t missing;       // operands that are not computed yet
  };
  struct Edge {
    uint32_t from, next;
  };
  using Lane [[gnu::vector_size(16)]] = uint16_t;
  static constexpr size_t kLanes = sizeof(Lane) / sizeof(uint16_t);
  static constexpr size_t kMostKinds = 1024, kMostLanes = size_t{1} << 23;
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr size_t kLook = size_t{1} << 14;

  // Vectors per node for its heights: one height per kind.
  size_t lanes() const { return (block_.size() + kLanes - 1) / kLanes; }

  void find_heights() {
    heights_.clear(), users_.clear();
    user_ = users_.grow(n_edges_);
    const size_t n_lanes = lanes();
    Lane* const rows = heights_.grow(n_ * n_lanes);
    std::fill_n(rows, n_ * n_lanes, Lane{});
    top_.assign(block_.size(), 0);
    uint32_t end = n_edges_;
    for (size_t i = n_; i-- > 0;) {
      Node& node = node_[i];
      Lane* const row = rows + i * n_lanes;
      auto& own = reinterpret_cast<uint16_t*>(row)[node.kind];
      own = static_cast<uint16_t>(own + (own != UINT16_MAX));
      node.height = own;
      top_[node.kind] = std::max<uint32_t>(top_[node.kind], own);
      for (uint32_t e = node.edges; e < end; e++) {
        user_[e] = static_cast<uint32_t>(i);
        Lane* const to = rows + edge_[e].from * n_lanes;
        for (size_t l = 0; l < n_lanes; l++) to[l] = to[l] > row[l] ? to[l] : row[l];
      }
      end = node.edges;
    }
    first_.clear();
    uint32_t at = 0;
    for (uint32_t top : top_) first_.push_back(at), at += top + 1;
    left_at_.assign(at, 0);
    for (size_t i = 0; i < n_; i++) left_at_[first_[node_[i].kind] + node_[i].height]++;
  }

  void make_ready(uint32_t i, uint32_t depth) {
    const size_t kind = node_[i].kind;
    ready_[kind].push_back(i);
    ready_top_[kind] += node_[i].height == top_[kind];
    since_[kind] = depth;
  }

  // The kind to run next; of several candidates, the one with the lowest block number, so that
  // similar mini-batches get similar orders.
  size_t next() const {
    for (size_t kind : by_block_) {
      if (ready_top_[kind] > 0 && ready_top_[kind] == left_at_[first_[kind] + top_[kind]]) {
        return kind;
      }
    }
    size_t best = block_.size();
    uint64_t most = 0;
    for (size_t kind : by_block_) {
      uint64_t sum = 0;
      for (uint32_t i : ready_[kind]) sum += height_of(i);
      if (sum > most) best = kind, most = sum;
    }
    return best;
  }
  // The least number of batches that the node and everything that depends on it need.
  uint64_t height_of(uint32_t i) const {
    const auto* row = reinterpret_cast<const uint16_t*>(&heights_[i * lanes()]);
    uint64_t sum = 0;
    for (size_t kind = 0; kind < block_.size(); kind++) sum += row[kind];
    return sum;
  }

  std::vector<int> kind_of_;      // by block
  std::vector<int64_t> block_;    // by kind
  std::vector<size_t> by_block_;  // kinds
  std::vector<uint32_t> order_;
  Flat<Node> nodes_;
  Flat<Edge> edges_;
  Flat<uint32_t> users_;
  Flat<Place> places_;
  Flat<Lane> heights_;
  Node* node_ = nullptr;
  Edge* edge_ = nullptr;
  uint32_t* user_ = nullptr;
  Place* place_ = nullptr;
  uint32_t n_ = 0, n_edges_ = 0;
  // By kind: the largest height among the nodes left, how many nodes of that height are ready, the
  // depth at which the last node became ready, and where the kind's heights begin in `left_at_`,
  // which counts the nodes left by height.
  std::vector<uint32_t> top_, ready_top_, since_, first_, left_at_, taken_;
  std::vector<std::vector<uint32_t>> ready_;  // nodes, by kind
};

}  // namespace acrobat
