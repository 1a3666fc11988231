// What a call did, and the clock that its times come from.
#pragma once

#include <chrono>
#include <cstdint>

namespace acrobat {

// Counts for a static block: its nodes, its batches, and its batches of a single node.
struct BlockCounts {
  int64_t nodes, batches, alone;
};

struct Profile {
  double graph_ms = 0, schedule_ms = 0, copy_ms = 0, kernel_ms = 0;
  int64_t n_nodes = 0, n_batches = 0, n_kernel_calls = 0;
  int64_t min_batches = 0, n_syncs = 0, peak_bytes = 0, spare_bytes = 0;
  BlockCounts* blocks = nullptr;  // the caller's array
  uint8_t* doubtful = nullptr;    // likewise, per instance (graph/context.h), or null
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
