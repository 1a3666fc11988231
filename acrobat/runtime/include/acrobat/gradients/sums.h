// Sums of contributions to gradients, by one thread or by all. Threads divide them by addresses,
// not by nodes: no addition is lost, and their order does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "../cpu/work_stealing.h"
#include "contributions.h"
#include "vectors.h"

namespace acrobat {

// Performs floats [first, first + n) of an addition; without n, all from `first` on.
inline void add(const Addition& a, float* arena, int64_t first = 0, int64_t n = -1) {
  auto at = [&](int64_t place) { return place < 0 ? nullptr : arena + place + first; };
  sum_all(arena + a.to + first, at(a.a), at(a.b), n < 0 ? a.width : n);
}

inline void add(std::span<const Addition> additions, float* arena) {
  for (const Addition& a : additions) add(a, arena);
}

// A thread's share of memory: one of every `threads` stripes of 64 floats.
struct Stripes {
  static constexpr int64_t kStripe = 64;
  int threads, at_once = 1, least = 1;

  int chunks(int) const { return 1; }
  int chunks() const { return threads; }

  void add(std::span<const Addition> additions, float* arena, int owner) const {
    for (const Addition& a : additions) {
      for (int64_t at = a.to, end = a.to + a.width; at < end;) {
        const int64_t next = std::min(end, (at / kStripe + 1) * kStripe);
        if (at / kStripe % threads == owner) acrobat::add(a, arena, at - a.to, next - at);
        at = next;
      }
    }
  }
};

// The least number of floats worth sharing with other threads.
inline constexpr int64_t kWorthAdding = 1 << 13;

// Performs additions of `floats` floats in total; to be called by all threads of a job.
inline void add_shared(std::span<const Addition> additions, int64_t floats, float* arena,
                       Worker& worker) {
  if (floats == 0) return;
  if (worker.threads() == 1) return add(additions, arena);
  if (floats < kWorthAdding) return worker.alone([&] { add(additions, arena); });
  const Stripes stripes{worker.threads()};
  worker.run_partitioned(stripes, [&](int owner, Chunks) { stripes.add(additions, arena, owner); });
}

}  // namespace acrobat
