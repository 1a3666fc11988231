// Repacks the weights before a step, in the order in which kernels read them: the work that
// acrobat/kernels/printers/cpu/pack.py describes, done by all threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../cpu/thread_pool.h"

namespace acrobat {

// to[r * width + c] = from[r * row_stride + c * column_stride], for all `rows` and `columns`;
// mirrored in acrobat/backward/packing.py.
struct Piece {
  const float* from;
  int64_t row_stride, column_stride;
  float* to;
  int64_t rows, columns, width;
};

inline void pack(const Piece& p) {
  if (p.column_stride == 1) {
    for (int64_t r = 0; r < p.rows; r++) {
      std::memcpy(p.to + r * p.width, p.from + r * p.row_stride,
                  static_cast<size_t>(p.columns) * sizeof(float));
    }
    return;
  }
  // Transpose some rows at a time, so that whole cache lines are used on either side.
  constexpr int64_t kAtOnce = 16;
  for (int64_t first = 0; first < p.rows; first += kAtOnce) {
    const int64_t n = std::min(kAtOnce, p.rows - first);
    const float* from = p.from + first * p.row_stride;
    float* to = p.to + first * p.width;
    for (int64_t c = 0; c < p.columns; c++) {
      for (int64_t r = 0; r < n; r++) {
        to[r * p.width + c] = from[r * p.row_stride + c * p.column_stride];
      }
    }
  }
}

// A chunk is a piece.
struct Pieces {
  int n, threads, at_once = 1, least = 1;
  int first(int owner) const { return n / threads * owner + std::min(owner, n % threads); }
  int chunks(int owner) const { return first(owner + 1) - first(owner); }
  int chunks() const { return n; }
};

inline void pack_all(const Piece* pieces, int n, ThreadPool& pool) {
  if (n == 0) return;
  pool.run([&](Worker& worker) {
    const Pieces shares{n, worker.threads()};
    worker.run_partitioned(shares, [&](int owner, Chunks some) {
      for (int i = some.first; i < some.last; i++) pack(pieces[shares.first(owner) + i]);
    });
  });
}

}  // namespace acrobat
