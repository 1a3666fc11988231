// Linearisation of trees: nodes are numbered and grouped by height, and every level becomes a dense
// batch (Cortex: dynamic batching); leaves, which have no children to read, form a separate kind of
// level (leaf specialisation). Nothing recurses: trees may be as deep as memory allows.
//
// `G` is generated and describes the model:
//   kChildren, kStates, kMessages      per node: children, state tensors, messages to the parent
//   kNodeTag, kChildField[c]           the constructor with children, and the fields that hold them
//   kUnroll                            levels between two barriers
//   kLeafBlock                         -1 if the leaves' states are rows of weights
//   leaf(const Word*, int64_t* out)    the leaf block's gathered rows, or the states' offsets
//   kLeafState[s]                      where state s lies in a leaf's record
//   kNodeBlock, kNodeState[s]          the nodes' block, and where state s lies in its record
//   kNodeOperands, kNodeOperand[j]     the node block's operand j: {child, is message, number}
//   kMessageBlock[c], kMessageOperands[c], kMessageOperand[c][j], kMessageAt[c][m]
//                                      the messages that a node computes if it is child c
//   kRootState[r]                      the state that is the instance's result r
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan.h"

namespace cortex {

struct NodeOperand {
  int child;
  bool message;
  int number;
};

template <class G>
class Trees {
 public:
  void lay_out(const Inputs& in, int threads, Plan& plan, Word* results) {
    number(in);
    measure();
    assign(threads);
    arrange(plan, threads);
    fill(plan, in.n);
    for (size_t i = 0; i < in.n; i++) {
      for (int r = 0; r < acrobat::kResults; r++) {
        results[i * acrobat::kResults + r].h = at(state_[i * G::kStates + G::kRootState[r]]);
      }
    }
  }

 private:
  static constexpr uint32_t kNone = ~0u;

  struct Node {
    const Word* record;
    uint32_t parent, children;  // the first child
    uint32_t height, thread, rank;
  };

  // Numbers the nodes breadth-first, roots first: children are consecutive and follow their parent.
  void number(const Inputs& in) {
    nodes_.clear();
    for (size_t i = 0; i < in.n; i++) nodes_.push_back({in.arguments[i].p, kNone, kNone, 0, 0, 0});
    for (size_t i = 0; i < nodes_.size(); i++) {
      const Word* record = nodes_[i].record;
      if (record[0].i != G::kNodeTag) continue;
      nodes_[i].children = static_cast<uint32_t>(nodes_.size());
      for (int field : G::kChildField) {
        nodes_.push_back({record[1 + field].p, static_cast<uint32_t>(i), kNone, 0, 0, 0});
      }
    }
  }

  // Computes the height of every node, and the number of nodes per height. A leaf has height 0.
  void measure() {
    level_.assign(1, 0);
    for (size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      if (node.children != kNone) {
        for (int c = 0; c < G::kChildren; c++) {
          node.height = std::max(node.height, nodes_[node.children + c].height + 1);
        }
        if (node.height >= level_.size()) level_.resize(node.height + 1, 0);
      }
      level_[node.height]++;
    }
  }

  // Assigns a thread to every inner node if levels are unrolled: a node runs on its parent's thread
  // if both are in the same step; the others are distributed evenly.
  void assign(int threads) {
    if (G::kUnroll == 1 || threads == 1) return;
    load_.assign(level_.size() * threads, 0);
    for (Node& node : nodes_) {
      if (node.height == 0) continue;
      uint32_t* load = &load_[static_cast<size_t>(node.height) * threads];
      bool follows = node.parent != kNone && step(nodes_[node.parent]) == step(node);
      node.thread = follows ? nodes_[node.parent].thread
                            : static_cast<uint32_t>(std::min_element(load, load + threads) - load);
      load[node.thread]++;
    }
  }
  static uint32_t step(const Node& node) { return (node.height - 1) / G::kUnroll; }

  // Adds the batches. A bucket is a level, or a thread's partition of a level.
  void arrange(Plan& plan, int threads) {
    const bool unrolled = G::kUnroll > 1 && threads > 1;
    per_level_ = unrolled ? threads : 1;
    count_.assign(level_.size() * per_level_, 0);
    sent_.assign(count_.size() * G::kChildren, 0);
    for (Node& node : nodes_) {
      size_t b = bucket(node);
      node.rank = count_[b]++;
      if (node.parent != kNone) sent_[b * G::kChildren + slot(node)]++;
    }
    batch_.assign(count_.size(), 0);
    message_.assign(sent_.size(), 0);
    if (level_[0] > 0) {
      if (G::kLeafBlock >= 0) batch_[0] = add(plan, G::kLeafBlock, count_[0]);
      messages(plan, 0);
      plan.end_shared_step();
    }
    const size_t height = level_.size() - 1;
    for (size_t low = 1; low <= height; low += G::kUnroll) {
      size_t high = std::min(height, low + G::kUnroll - 1);
      std::vector<size_t> own;
      for (int t = 0; t < per_level_; t++) {
        for (size_t level = low; level <= high; level++) {
          size_t b = level * per_level_ + t;
          if (count_[b] > 0) batch_[b] = add(plan, G::kNodeBlock, count_[b]);
          messages(plan, b);
        }
        own.push_back(plan.schedule.batches.size());
      }
      if (unrolled) {
        plan.steps.push_back({false, own.back(), own});
      } else {
        plan.end_shared_step();
      }
    }
  }

  // Adds the batches of messages that the nodes of a bucket compute for their parents.
  void messages(Plan& plan, size_t b) {
    for (int c = 0; c < G::kChildren; c++) {
      size_t m = b * G::kChildren + c;
      if (G::kMessageBlock[c] >= 0 && sent_[m] > 0) {
        message_[m] = add(plan, G::kMessageBlock[c], sent_[m]);
      }
    }
  }

  static size_t add(Plan& plan, int block, uint32_t n) {
    plan.add(block, n);
    return plan.schedule.batches.size() - 1;
  }

  // Determines the offsets of all states and operands, children before parents.
  void fill(Plan& plan, size_t instances) {
    state_.resize(nodes_.size() * G::kStates);
    sent_at_.resize(nodes_.size() * std::max(1, G::kMessages));
    std::fill(sent_.begin(), sent_.end(), 0);
    for (size_t i = nodes_.size(); i-- > 0;) {
      const Node& node = nodes_[i];
      const size_t b = bucket(node);
      int64_t* state = &state_[i * G::kStates];
      if (node.children == kNone) {
        fill_leaf(plan, i, instances, state);
      } else {
        const Batch& batch = plan.schedule.batches[batch_[b]];
        for (int j = 0; j < G::kNodeOperands; j++) {
          const NodeOperand& operand = G::kNodeOperand[j];
          size_t child = node.children + operand.child;
          plan.operand(batch, j, node.rank) =
              static_cast<int32_t>(operand.message ? sent_at_[child * G::kMessages + operand.number]
                                                   : state_[child * G::kStates + operand.number]);
        }
        int64_t record = Plan::record(batch, node.rank);
        for (int s = 0; s < G::kStates; s++) state[s] = record + G::kNodeState[s];
      }
      if (G::kMessages > 0 && node.parent != kNone) send(plan, i, b, state);
    }
  }

  void fill_leaf(Plan& plan, size_t i, size_t instances, int64_t* state) {
    const Node& node = nodes_[i];
    int64_t found[8];
    try {
      G::leaf(node.record, found);
    } catch (const acrobat::InstanceFault& fault) {
      size_t root = i;
      while (root >= instances) root = nodes_[root].parent;
      throw acrobat::InstanceFault("instances[" + std::to_string(root) + "]: " + fault.what());
    }
    if (G::kLeafBlock < 0) {
      std::copy_n(found, G::kStates, state);
      return;
    }
    const Batch& batch = plan.schedule.batches[batch_[0]];
    const int tables = acrobat::kBlockInfo[batch.block].gathered_rows;
    for (int j = 0; j < tables; j++) {
      plan.operand(batch, j, node.rank) = static_cast<int32_t>(found[j]);
    }
    int64_t record = Plan::record(batch, node.rank);
    for (int s = 0; s < G::kStates; s++) state[s] = record + G::kLeafState[s];
  }

  void send(Plan& plan, size_t i, size_t b, const int64_t* state) {
    const int c = slot(nodes_[i]);
    if (G::kMessageBlock[c] < 0) return;
    const size_t m = b * G::kChildren + c;
    const Batch& batch = plan.schedule.batches[message_[m]];
    const uint32_t rank = sent_[m]++;
    for (int j = 0; j < G::kMessageOperands[c]; j++) {
      plan.operand(batch, j, rank) = static_cast<int32_t>(state[G::kMessageOperand[c][j]]);
    }
    int64_t record = Plan::record(batch, rank);
    for (int k = 0; k < G::kMessages; k++) {
      sent_at_[i * G::kMessages + k] = record + G::kMessageAt[c][k];
    }
  }

  size_t bucket(const Node& node) const {
    return node.height == 0 ? 0 : static_cast<size_t>(node.height) * per_level_ + node.thread;
  }
  // The position of a node among the children of its parent.
  int slot(const Node& node) const {
    return static_cast<int>(&node - nodes_.data()) - static_cast<int>(nodes_[node.parent].children);
  }

  std::vector<Node> nodes_;
  std::vector<uint32_t> level_, load_;    // nodes per height; per height and thread
  std::vector<uint32_t> count_, sent_;    // nodes per bucket; per bucket and slot
  std::vector<size_t> batch_, message_;   // the batches of these nodes and messages
  std::vector<int64_t> state_, sent_at_;  // per node, offsets in the arena
  int per_level_ = 1;
};

}  // namespace cortex
