// Records in the trace of a call what its backward pass is going to do.
#pragma once

#include <cstdint>
#include <vector>

#include "../schedule/trace.h"
#include "backward_plan.h"

namespace acrobat {

inline void BackwardPlan::note(Trace& trace) const {
  trace.turn();
  auto step = steps_.begin();
  std::vector<uint32_t> of;
  for (size_t number = batches_.size(); number-- > 0;) {
    of.clear();
    for (size_t r = 0; r < batches_[number].n; r++) {
      const uint32_t node = order_.of(number)[r].number;
      if (live_[node]) of.push_back(node);
    }
    if (of.empty()) continue;
    const Step& s = *step++;
    if (adjoint(s) >= 0) trace.went_back(adjoint(s), batches_[number].step, s.record, of);
  }
}

}  // namespace acrobat
