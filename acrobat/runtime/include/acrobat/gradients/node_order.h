// The nodes of a forward run in the order of their records, which the backward pass needs to find
// the node that a place in the arena belongs to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../graph/graph.h"
#include "../schedule/schedule.h"

namespace acrobat {

class NodeOrder {
 public:
  // `batches`: all batches of the forward run, in order.
  NodeOrder(const Graph& graph, const Schedule& schedule, std::span<const Batch> batches,
            const BlockInfo* blocks)
      : batches_(batches) {
    size_t n = 0;
    for (const Batch& b : batches_) {
      first_.push_back(n);
      n += b.n;
    }
    order_.resize(n);
    size_t arguments = 0;
    for (size_t i = kReservedNodes; i < graph.bucket.size(); i++) {
      const BlockInfo& block = blocks[graph.block_of(i)];
      const size_t at = arguments;
      arguments += static_cast<size_t>(block.operands + block.gathered_rows);
      const int64_t place = schedule.location[i];
      // A block without outputs has no records to tell its nodes apart by, and no gradients.
      if (place < 0 || block.record == 0) continue;
      const size_t b = batch_of(place);
      const int64_t rank = (place - batches_[b].record) / blocks[batches_[b].block].record;
      order_[first_[b] + static_cast<size_t>(rank)] = {static_cast<uint32_t>(i), at};
    }
  }

  // A node, and where its arguments begin in those of the graph.
  struct Node {
    uint32_t number;
    size_t argument;
  };

  // The nodes of a batch, by rank.
  std::span<const Node> of(size_t batch) const {
    return {order_.data() + first_[batch], batches_[batch].n};
  }

  // The batch that the record at `place` belongs to.
  size_t batch_of(int64_t place) const {
    auto after = std::upper_bound(batches_.begin(), batches_.end(), place,
                                  [](int64_t p, const Batch& b) { return p < b.record; });
    return static_cast<size_t>(after - batches_.begin()) - 1;
  }

 private:
  std::span<const Batch> batches_;
  std::vector<size_t> first_;  // per batch, where its nodes begin in `order_`
  std::vector<Node> order_;    // nodes in the order of their records
};

}  // namespace acrobat
