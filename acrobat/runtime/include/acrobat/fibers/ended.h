// The nodes of instances that have ended, among those recorded since the last flush: nobody will
// read them any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace acrobat {

class EndedNodes {
 public:
  // From node `first` on it is this instance that records, until another one does.
  void recording(size_t first, int64_t instance) {
    if (stretches_.empty() || stretches_.back().second != instance) {
      stretches_.push_back({first, instance});
    }
  }
  void end(int64_t instance) { ended_.push_back(instance); }

  // At a flush, of the `n` nodes that there are: [begin, end) of each stretch, none unless they are
  // `wanted`. Valid until the next call.
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
