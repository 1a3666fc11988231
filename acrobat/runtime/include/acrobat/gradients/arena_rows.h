// The gradients of weights that lie in the arena. Of a table that is read by rows, only the rows
// that were read are written and returned: a mini-batch reads a few hundred of many thousands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "contributions.h"

namespace acrobat {

// A weight in the arena: `rows` rows of `width` floats from float `at` on. A backward run fills in
// which rows have a gradient, in ascending order, and whether more than single rows were read. A
// `constant`, like the zeros of a first state or those that fill up a sum, has no gradient.
struct ArenaWeight {
  int64_t at, width, rows, constant;
  const int64_t* touched;
  int64_t n_touched;
  int64_t whole;
};

class ArenaRows {
 public:
  // The gradient of a value lies `shift` floats after the value.
  ArenaRows(std::span<ArenaWeight> weights, int64_t shift) : weights_(weights), shift_(shift) {
    for (const ArenaWeight& w : weights_) seen_.emplace_back(static_cast<size_t>(w.rows), 0);
    touched_.resize(weights_.size());
  }

  // Adds the contribution at `from` to the gradient of the `width` floats from `place` on: appends
  // what has to be done for it to `additions`. The first contribution to a row is stored.
  void add(int64_t place, int64_t width, int64_t from, std::vector<Addition>& additions) {
    auto after = std::upper_bound(weights_.begin(), weights_.end(), place,
                                  [](int64_t p, const ArenaWeight& w) { return p < w.at; });
    const auto n = static_cast<size_t>(after - weights_.begin()) - 1;
    ArenaWeight& w = weights_[n];
    if (w.constant) return;
    const int64_t first = (place - w.at) / w.width;
    const int64_t start = place - w.at - first * w.width;  // in its row
    const bool one = start == 0 && width == w.width;
    const int64_t last = one ? first : std::min(first + (start + width - 1) / w.width, w.rows - 1);
    if (last > first) w.whole = 1;
    const int64_t to = shift_ + place;
    for (int64_t row = first; row <= last; row++) {
      uint8_t& seen = seen_[n][static_cast<size_t>(row)];
      if (seen) continue;
      seen = 1;
      touched_[n].push_back(row);
      if (one) return additions.push_back({to, Addition::kNothing, from, width});
      const int64_t at = shift_ + w.at + row * w.width;
      additions.push_back({at, Addition::kNothing, Addition::kNothing, w.width});
    }
    additions.push_back({to, to, from, width});
  }

  // Fills in which rows have a gradient.
  void finish() {
    for (size_t n = 0; n < weights_.size(); n++) {
      std::sort(touched_[n].begin(), touched_[n].end());
      weights_[n].touched = touched_[n].data();
      weights_[n].n_touched = static_cast<int64_t>(touched_[n].size());
    }
  }

 private:
  std::span<ArenaWeight> weights_;
  int64_t shift_;
  std::vector<std::vector<uint8_t>> seen_;
  std::vector<std::vector<int64_t>> touched_;
};

}  // namespace acrobat
