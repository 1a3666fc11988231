// Where the gradients of nodes' outputs are, while the backward pass is planned.
//
// Every use of an output contributes to its gradient, and the contribution lies in the record of
// the user's adjoint. For an output that is used once, the contribution is the gradient, read in
// place: nothing is copied, zeroed or added. From the second use on there is a separate location,
// in which the first two contributions are summed and to which the others are added. Users are
// planned before what they use, so a node's gradients are known when it is reached.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "../graph/graph.h"
#include "../limits.h"
#include "tables.h"

namespace acrobat {

// to[i] = a[i] + b[i], for `width` floats of the arena; kNothing stands for zeros. `to` may be `a`.
struct Addition {
  static constexpr int64_t kNothing = -1;
  int64_t to, a, b, width;
};

class Contributions {
 public:
  // `floats`: the first free float of the arena, advanced by what is taken.
  Contributions(const Graph& graph, std::span<const TrainedBlock> trained, int64_t& floats)
      : trained_(trained), floats_(floats) {
    first_.resize(graph.bucket.size());
    size_t n = 0;
    for (size_t i = kReservedNodes; i < graph.bucket.size(); i++) {
      first_[i] = n;
      n += static_cast<size_t>(trained[graph.block_of(i)].n_outputs);
    }
    gradients_.assign(n, {});
    for (const TrainedBlock& t : trained) {
      for (int o = 0; o < t.n_outputs; o++) most_ = std::max(most_, t.outputs[o].size);
    }
  }

  // Adds the contribution of `width` floats at `from` to the gradient of the floats from `start` on
  // of a node of block `block`: appends what has to be done for it to `additions`.
  void add(size_t node, int block, int64_t start, int64_t width, int64_t from,
           std::vector<Addition>& additions) {
    const TrainedBlock& t = trained_[static_cast<size_t>(block)];
    Gradient* const of = &gradients_[first_[node]];
    for (int o = 0; o < t.n_outputs; o++) {
      const Output& output = t.outputs[o];
      const int64_t begin = std::max(start, output.start);
      const int64_t end = std::min(start + width, output.start + output.size);
      if (begin >= end) continue;
      add(of[o], output.size, begin - output.start, end - begin, from + (begin - start), additions);
    }
  }

  // Returns where the gradient of a node's output is.
  int64_t place(size_t node, int output) {
    const int64_t at = gradients_[first_[node] + static_cast<size_t>(output)].at;
    return at == Addition::kNothing ? zeros() : at;
  }

  // The floats that have to be cleared, if any: the gradient of all unused outputs of nodes that
  // run.
  Addition cleared() const {
    const bool any = zeros_ != Addition::kNothing;
    return {zeros_, Addition::kNothing, Addition::kNothing, any ? most_ : 0};
  }

 private:
  struct Gradient {
    int64_t at = Addition::kNothing;
    bool own = false;  // in a place of its own, not in a user's record
  };

  void add(Gradient& g, int64_t size, int64_t start, int64_t width, int64_t from,
           std::vector<Addition>& additions) {
    const bool all = width == size;
    if (all && g.at == Addition::kNothing) {
      g.at = from;
    } else if (g.own) {
      additions.push_back({g.at + start, g.at + start, from, width});
    } else {
      const int64_t before = g.at;
      g = {take(size), true};
      if (all) {
        additions.push_back({g.at, before, from, size});
      } else {
        additions.push_back({g.at, before, Addition::kNothing, size});
        additions.push_back({g.at + start, g.at + start, from, width});
      }
    }
  }

  int64_t take(int64_t size) {
    const int64_t at = floats_;
    floats_ += align(size);
    return at;
  }

  int64_t zeros() {
    if (zeros_ == Addition::kNothing) zeros_ = take(most_);
    return zeros_;
  }

  std::span<const TrainedBlock> trained_;
  int64_t& floats_;
  std::vector<size_t> first_;  // per node, where its outputs begin in `gradients_`
  std::vector<Gradient> gradients_;
  int64_t zeros_ = Addition::kNothing, most_ = 0;  // floats of the largest output
};

}  // namespace acrobat
