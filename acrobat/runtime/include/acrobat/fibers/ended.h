// The nodes of instances that have ended, among those recorded since the last flush: no node or
// decision will read them any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace acrobat {

class EndedNodes {
 public:
  // From node `first` on, nodes are recorded by this instance, until another one records.
  void recording(size_t first, int64_t instance) {
    if (stretches_.empty() || stretches_.back().second != instance) {
      stretches_.push_back({first, instance});
    }
  }
  void end(int64_t instance) { ended_.push_back(instance); }

  // Called at a flush, with `n` nodes in total: returns [begin, end) of each stretch of nodes of
  // ended instances, or none unless they are `wanted`. Valid until the next call.
  const std::vector<std::pair<size_t, size_t>>& take(size_t n, bool wanted) {
    nodes_.clear();
    std::sort(ended_.begin(), ended_.end());
    if (!wanted) ended_.clear();
    for (size_t i = 0; !ended_.empty() && i < stretches_.size(); i++) {
      if (!std::binary_search(ended_.begin(), ended_.end(), stretches_[i].second)) continue;
      size_t end = i + 1 < stretches_.size() ? stretches_[i + 1].first : n;
      if (end > stretches_[i].first) nodes_.push_back({stretches_[i].first, end});
    }
    ended_.clear();
    stretches_.clear();
    return nodes_;
  }

 private:
  std::vector<std::pair<size_t, int64_t>> stretches_;  // first node, instance
  std::vector<int64_t> ended_;
  std::vector<std::pair<size_t, size_t>> nodes_;
};

}  // namespace acrobat
