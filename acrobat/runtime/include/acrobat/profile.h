// What a call did, and the clock that its times come from.
#pragma once

#include <chrono>
#include <cstdint>

namespace acrobat {

// Of a static block: its nodes, its batches, and those of one node.
struct BlockCounts {
  int64_t nodes, batches, alone;
};

struct Profile {
  double graph_ms, schedule_ms, copy_ms, kernel_ms;
  int64_t n_nodes, n_batches, n_kernel_calls, min_batches, n_syncs, peak_bytes;
  BlockCounts* blocks;  // the caller's array
  uint8_t* doubtful;    // the same, by instance (graph/context.h), or null
};

class Timer {
 public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace acrobat
