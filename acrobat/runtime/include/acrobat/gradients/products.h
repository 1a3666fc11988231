// The gradients of weights that all nodes share: for every product of a block one X^T @ DY over all
// nodes of the mini-batch, whose rows are read where they lie.
//
// A block of rows is copied together in the order in which tiles of the result read it; then the
// tiles, each by one thread, run through it. What is added in which order does not depend on who
// does it.
#pragma once

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../cpu/thread_pool.h"
#include "nodes.h"
#include "tables.h"

namespace acrobat {

class Products {
 public:
  Products(const float* arena, int64_t shift, float* const* outs)
      : arena_(arena), shift_(shift), outs_(outs) {}

  void run(const TrainedBlock& block, const BlockNodes& nodes, ThreadPool& pool) {
    if (nodes.size() == 0) return;
    for (int i = 0; i < block.n_products; i++) product(block.products[i], nodes, pool);
    for (int i = 0; i < block.n_sums; i++) sum(block.sums[i], nodes, pool);
  }

 private:
  // A tile of the result is kTall x kWide; rows that are copied together.
  static constexpr int kTall = 6, kWide = 16;
  static constexpr size_t kRows = 256;
#if defined(__aarch64__)
  static constexpr int kLanes = 4;
#else
  static constexpr int kLanes = 8;
#endif
  static constexpr int kVectors = kWide / kLanes;  // of a row of a tile
  using Vector [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;

  static Vector load(const float* from) {
    Vector v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  // sum + x * y as one operation, which the compiler's flags forbid it to make by itself: twice as
  // fast, and rounded once.
  static Vector add_product(Vector sum, float x, Vector y) {
#if defined(__FMA__)
    return _mm256_fmadd_ps(_mm256_set1_ps(x), y, sum);
#elif defined(__aarch64__)
    return vfmaq_n_f32(sum, y, x);
#else
    return sum + x * y;
#endif
  }

  struct Even {
    int n, threads, at_once = 1, least = 1;
    int chunks(int owner) const { return (n * (owner + 1)) / threads - (n * owner) / threads; }
    int chunks() const { return n; }
    int first(int owner) const { return (n * owner) / threads; }
  };

  template <class F>
  static void each(Worker& worker, int n, F&& f) {
    const Even parts{n, worker.threads()};
    worker.run_partitioned(parts, [&](int owner, Chunks some) {
      for (int i = some.first; i < some.last; i++) f(parts.first(owner) + i);
    });
  }

  // The floats of row r of all rows of all nodes.
  const float* row(const RowsOf& of, const BlockNodes& nodes, size_t r) const {
    const auto count = static_cast<size_t>(of.count);
    return nodes.at(of.source, r / count, shift_, arena_) +
           static_cast<int64_t>(r % count) * of.stride;
  }

  // Columns [c, c + width) of rows [from, from + n), row by row, zeros behind the last column.
  template <int width>
  void copy(const RowsOf& of, const BlockNodes& nodes, size_t from, size_t n, float* to) const {
    const int tiles = (of.width + width - 1) / width;
    for (size_t r = 0; r < n; r++) {
      const float* source = row(of, nodes, from + r);
      for (int t = 0; t < tiles; t++) {
        float* at = to + (static_cast<size_t>(t) * kRows + r) * width;
        const int some = std::min(width, of.width - t * width);
        if (some == width) {
          std::memcpy(at, source + t * width, width * sizeof(float));
        } else {
          for (int i = 0; i < width; i++) at[i] = i < some ? source[t * width + i] : 0.0f;
        }
      }
    }
  }

  void product(const Product& p, const BlockNodes& nodes, ThreadPool& pool) {
    const int tall = (p.left.width + kTall - 1) / kTall, wide = (p.right.width + kWide - 1) / kWide;
    left_.resize(static_cast<size_t>(tall) * kTall * kRows);
    right_.resize(static_cast<size_t>(wide) * kWide * kRows);
    const size_t rows = nodes.size() * static_cast<size_t>(p.left.count);
    constexpr int kPieces = 8;  // of a block of rows, to be copied by different threads
    pool.run([&](Worker& worker) {
      for (size_t from = 0; from < rows; from += kRows) {
        const size_t n = std::min(kRows, rows - from);
        each(worker, kPieces, [&](int piece) {
          const size_t a = n * static_cast<size_t>(piece) / kPieces;
          const size_t b = n * static_cast<size_t>(piece + 1) / kPieces;
          if (a == b) return;
          copy<kTall>(p.left, nodes, from + a, b - a, left_.data() + a * kTall);
          copy<kWide>(p.right, nodes, from + a, b - a, right_.data() + a * kWide);
        });
        each(worker, wide, [&](int j) {
          for (int i = 0; i < tall; i++) tile(p, i, j, n);
        });
      }
    });
  }

  void tile(const Product& p, int i, int j, size_t n) const {
    const float* x = left_.data() + static_cast<size_t>(i) * kTall * kRows;
    const float* y = right_.data() + static_cast<size_t>(j) * kWide * kRows;
    Vector sums[kTall][kVectors] = {};
    for (size_t r = 0; r < n; r++, x += kTall, y += kWide) {
      Vector row[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; v++) row[v] = load(y + v * kLanes);
#pragma GCC unroll 6
      for (int k = 0; k < kTall; k++) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; v++) sums[k][v] = add_product(sums[k][v], x[k], row[v]);
      }
    }
    float* out = outs_[p.weight] + p.out;
    const int height = std::min(kTall, p.left.width - i * kTall);
    const int width = std::min(kWide, p.right.width - j * kWide);
    for (int k = 0; k < height; k++) {
      float* to = out + int64_t{i * kTall + k} * p.stride + j * kWide;
      const auto* from = reinterpret_cast<const float*>(sums[k]);
      for (int c = 0; c < width; c++) to[c] += from[c];
    }
  }

  // Threads take columns, 64 at a time, of all nodes.
  void sum(const NodeSum& s, const BlockNodes& nodes, ThreadPool& pool) const {
    constexpr int64_t kColumns = 64;
    const int pieces = static_cast<int>((s.size + kColumns - 1) / kColumns);
    pool.run([&](Worker& worker) {
      each(worker, pieces, [&](int piece) {
        const int64_t first = piece * kColumns, n = std::min(kColumns, s.size - first);
        float* out = outs_[s.weight] + first;
        float total[kColumns] = {};
        for (size_t i = 0; i < nodes.size(); i++) {
          const float* from = nodes.at(s.rows.source, i, shift_, arena_) + first;
          for (int64_t c = 0; c < n; c++) total[c] += from[c];
        }
        for (int64_t c = 0; c < n; c++) out[c] += total[c];
      });
    });
  }

  const float* arena_;
  int64_t shift_;
  float* const* outs_;
  std::vector<float> left_, right_;
};

}  // namespace acrobat
