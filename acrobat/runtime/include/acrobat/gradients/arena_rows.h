// The gradients of weights that lie in the arena: of a table of which rows are read, only those
// rows are set to zero, added to, and given back. A mini-batch reads a few hundred of many
// thousands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace acrobat {

// A weight in the arena: `rows` rows of `width` floats from float `at` on. A backward run fills in
// which rows have a gradient, ascending, and whether more than single rows were read.
struct ArenaWeight {
  int64_t at, width, rows;
  const int64_t* touched;
  int64_t n_touched;
  int64_t whole;
};

class ArenaRows {
 public:
  explicit ArenaRows(std::span<ArenaWeight> weights) : weights_(weights) {
    for (const ArenaWeight& w : weights_) seen_.emplace_back(static_cast<size_t>(w.rows), 0);
    touched_.resize(weights_.size());
  }

  // There will be a gradient of `width` floats from `place` on, which may be of no weight.
  void touch(int64_t place, int64_t width) {
    if (weights_.empty() || place < 0 || place >= end()) return;
    auto after = std::upper_bound(weights_.begin(), weights_.end(), place,
                                  [](int64_t p, const ArenaWeight& w) { return p < w.at; });
    const auto n = static_cast<size_t>(after - weights_.begin()) - 1;
    ArenaWeight& w = weights_[n];
    const int64_t first = (place - w.at) / w.width;
    const int64_t last = std::min((place - w.at + width - 1) / w.width, w.rows - 1);
    if (last > first) w.whole = 1;
    for (int64_t row = first; row <= last; row++) {
      uint8_t& seen = seen_[n][static_cast<size_t>(row)];
      if (!seen) touched_[n].push_back(row);
      seen = 1;
    }
  }

  // Makes the gradients of these rows zero, in the memory of gradients, and says which they are.
  void begin(float* gradients) {
    for (size_t n = 0; n < weights_.size(); n++) {
      ArenaWeight& w = weights_[n];
      std::sort(touched_[n].begin(), touched_[n].end());
      for (int64_t row : touched_[n]) {
        std::memset(gradients + w.at + row * w.width, 0, static_cast<size_t>(w.width) * 4);
      }
      w.touched = touched_[n].data();
      w.n_touched = static_cast<int64_t>(touched_[n].size());
    }
  }

  // Behind the last weight.
  int64_t end() const {
    return weights_.empty() ? 0 : weights_.back().at + weights_.back().width * weights_.back().rows;
  }

 private:
  std::span<ArenaWeight> weights_;
  std::vector<std::vector<uint8_t>> seen_;
  std::vector<std::vector<int64_t>> touched_;
};

}  // namespace acrobat
