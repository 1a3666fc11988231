// The gradients of weights that all nodes share: for every product of a block, one X^T @ DY over
// all nodes of the mini-batch, whose rows are read where they lie.
//
// Rows are processed in blocks. A block is first copied into the order in which tiles of the result
// read it, unless the rows of a node are many and close together; then the tiles, one thread each,
// run through it. The order of additions does not depend on the threads.
//
// The first product that fills a whole weight is stored, not added: zeroing all gradients first
// would be one more pass over them.
#pragma once

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../cpu/pool_turn.h"
#include "../cpu/thread_pool.h"
#include "even.h"
#include "nodes.h"
#include "tables.h"
#include "vectors.h"

namespace acrobat {

class Products {
 public:
  Products(const float* arena, std::span<const WeightOut> outs)
      : arena_(arena), outs_(outs), written_(outs.size(), 0) {}

  void run(const TrainedBlock& block, const BlockNodes& nodes, PoolTurn& turn) {
    if (nodes.size() == 0) return;
    ThreadPool& pool = turn.pool();
    std::vector<const NodeSum*> sums;
    for (int i = 0; i < block.n_sums; i++) sums.push_back(&block.sums[i]);
    for (int i = 0; i < block.n_products; i++) {
      const Product& p = block.products[i];
      auto found = std::find_if(sums.begin(), sums.end(), [&](const NodeSum* s) {
        return s->rows == p.right && s->size == p.right.width;
      });
      Target total{};
      if (found != sums.end()) {
        total = target((*found)->weight, true, pool);
        sums.erase(found);
      }
      const WeightOut& whole = outs_[static_cast<size_t>(p.weight)];
      const bool fills =
          p.out == 0 && p.right.width == p.stride && int64_t{p.left.width} * p.stride == whole.size;
      product(p, target(p.weight, fills, pool), total, nodes, turn);
    }
    for (const NodeSum* s : sums) sum(*s, target(s->weight, true, pool), nodes, turn);
  }

  // To be called after all blocks: zeroes the gradients that none of them has written.
  void finish(ThreadPool& pool) {
    for (size_t w = 0; w < outs_.size(); w++) target(static_cast<int>(w), false, pool);
  }

 private:
  // A tile of the result is kTall x kWide, with two vectors to a row, so that its accumulators fill
  // the registers. kRows rows are copied at a time.
#if defined(__AVX512F__) || defined(__aarch64__)
  static constexpr int kTall = 12;
#else
  static constexpr int kTall = 6;
#endif
  static constexpr int kWide = 2 * kLanes;
  static constexpr size_t kRows = 256;
  // Floating-point operations between two checks for signals.
  static constexpr int64_t kPieceWork = int64_t{1} << 30;

  // sum + x * y as one operation, twice as fast and rounded once. The compiler's flags forbid it to
  // contract the two by itself.
  static Vector add_product(Vector sum, float x, Vector y) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(_mm512_set1_ps(x), y, sum);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(_mm256_set1_ps(x), y, sum);
#elif defined(__aarch64__)
    return vfmaq_n_f32(sum, y, x);
#else
    return sum + x * y;
#endif
  }

  // Where a product or a sum is added, or, if it is the first one, stored.
  struct Target {
    float* to;
    bool stores;

    void put(int64_t at, const float* from, int64_t n, bool first) const {
      stores&& first ? store_all(to + at, from, n) : add_all(to + at, from, n);
    }
  };

  // `fills`: the caller writes all of the weight. If it writes only a part, zeros come first.
  Target target(int weight, bool fills, ThreadPool& pool) {
    const WeightOut& out = outs_[static_cast<size_t>(weight)];
    uint8_t& written = written_[static_cast<size_t>(weight)];
    const bool stores = fills && !written;
    if (!fills && !written) clear(out, pool);
    written = 1;
    return {out.to, stores};
  }

  static void clear(const WeightOut& out, ThreadPool& pool) {
    constexpr int64_t kFloats = 1 << 13;
    const int pieces = static_cast<int>((out.size + kFloats - 1) / kFloats);
    auto piece = [&](int i) {
      const int64_t first = i * kFloats;
      std::fill_n(out.to + first, std::min(kFloats, out.size - first), 0.0f);
    };
    // A few pieces are not worth waking the other threads.
    if (pieces <= 2) {
      for (int i = 0; i < pieces; i++) piece(i);
      return;
    }
    pool.run([&](Worker& worker) { each(worker, pieces, piece); });
  }

  // The floats of row r, counted across the rows of all nodes.
  const float* row(const RowsOf& of, const BlockNodes& nodes, size_t r) const {
    const auto count = static_cast<size_t>(of.count);
    return nodes.at(of.source, r / count, arena_) + static_cast<int64_t>(r % count) * of.stride;
  }

  // Copies rows [from, from + n) by tiles of `width` columns, row by row, with zeros after the last
  // column. Some rows at a time: they often lie whole pages apart, where the cache holds few lines.
  template <int width>
  void copy(const RowsOf& of, const BlockNodes& nodes, size_t from, size_t n, float* to) const {
    constexpr size_t kAtOnce = 8;
    const int whole = of.width / width, rest = of.width % width;
    for (size_t first = 0; first < n; first += kAtOnce) {
      const size_t some = std::min(kAtOnce, n - first);
      const float* sources[kAtOnce];
      for (size_t r = 0; r < some; r++) sources[r] = row(of, nodes, from + first + r);
      float* at = to + first * width;
      for (int t = 0; t < whole; t++, at += kRows * width) {
        for (size_t r = 0; r < some; r++) {
          std::memcpy(at + r * width, sources[r] + t * width, width * sizeof(float));
        }
      }
      if (rest == 0) continue;
      for (size_t r = 0; r < some; r++, at += width) {
        const float* source = sources[r] + whole * width;
        for (int i = 0; i < width; i++) at[i] = i < rest ? source[i] : 0.0f;
      }
    }
  }

  // `total`, if given, gets the sum of the rows on the right: the gradient of a bias is that of
  // what it was added to, summed, and these rows are being read anyway.
  void product(const Product& p, const Target& to, const Target& total, const BlockNodes& nodes,
               PoolTurn& turn) {
    const int tall = (p.left.width + kTall - 1) / kTall, wide = (p.right.width + kWide - 1) / kWide;
    const bool copied = !in_place(p.left) || !in_place(p.right);
    if (copied) {
      left_.resize(static_cast<size_t>(tall) * kTall * kRows);
      right_.resize(static_cast<size_t>(wide) * kWide * kRows);
    }
    const auto count = static_cast<size_t>(p.left.count);
    const size_t rows = nodes.size() * count;
    // Whole nodes, if their rows are read in place.
    const size_t at_once = copied ? kRows : 2 * kRows / count * count;
    // The least number of pieces of work on a block of rows, for the threads to share.
    constexpr int kPieces = 8;
    const int high = std::min(tall, (kPieces + wide - 1) / wide);
    const int64_t work = int64_t{2} * tall * kTall * wide * kWide * static_cast<int64_t>(at_once);
    const size_t piece = at_once * static_cast<size_t>(std::max<int64_t>(1, kPieceWork / work));
    auto job = [&](Worker& worker, size_t first, size_t last) {
      for (size_t from = first; from < last; from += at_once) {
        const size_t n = std::min(at_once, last - from);
        if (copied) {
          each(worker, kPieces, [&](int piece) {
            const size_t a = n * static_cast<size_t>(piece) / kPieces;
            const size_t b = n * static_cast<size_t>(piece + 1) / kPieces;
            if (a == b) return;
            copy<kTall>(p.left, nodes, from + a, b - a, left_.data() + a * kTall);
            copy<kWide>(p.right, nodes, from + a, b - a, right_.data() + a * kWide);
          });
        }
        each(worker, wide * high, [&](int piece) {
          const int j = piece / high, part = piece % high;
          const bool narrow = p.right.width - j * kWide <= kLanes;
          for (int i = tall * part / high; i < tall * (part + 1) / high; i++) {
            Runs runs{1, n, kTall, kWide, nullptr, from};
            if (!copied) runs = {n / count, count, p.left.stride, p.right.stride, &nodes, from};
            narrow ? tile<1>(p, to, i, j, runs) : tile<2>(p, to, i, j, runs);
          }
          if (total.to != nullptr && part == 0) add_rows(p, j, from, n, copied, nodes, total);
        });
      }
    };
    for (size_t first = 0; first < rows; first += piece) {
      turn.look();
      const size_t last = std::min(rows, first + piece);
      turn.pool().run([&](Worker& worker) { job(worker, first, last); });
    }
  }

  // Whether the rows of a node are so many and lie so close together that they are read in place.
  static bool in_place(const RowsOf& of) {
    return of.count >= 32 && of.count <= static_cast<int>(kRows) && of.stride <= 128 &&
           of.source.place != Place::kRow;
  }

  // The rows that a tile goes through: `n` runs of `rows` rows, with these strides in floats, from
  // row `from` of `nodes` on, or, if that is null, from the copies.
  struct Runs {
    size_t n, rows;
    int64_t left_stride, right_stride;
    const BlockNodes* nodes;
    size_t from;
  };

  // Computes the first `vectors` vectors of the tile's columns.
  template <int vectors>
  void tile(const Product& p, const Target& to, int i, int j, const Runs& runs) const {
    const int64_t at = p.out + int64_t{i} * kTall * p.stride + j * kWide;
    const float* out = to.to + at;
    const int height = std::min(kTall, p.left.width - i * kTall);
    const int width = std::min(kWide, p.right.width - j * kWide);
    for (int k = 0; k < height; k++) {
      __builtin_prefetch(out + int64_t{k} * p.stride, 1);
      __builtin_prefetch(out + int64_t{k} * p.stride + width - 1, 1);
    }
    const int64_t left_stride = runs.left_stride, right_stride = runs.right_stride;
    Vector sums[kTall][vectors] = {};
    for (size_t run = 0; run < runs.n; run++) {
      const float *x, *y;
      if (runs.nodes == nullptr) {
        x = left_.data() + static_cast<size_t>(i) * kTall * kRows;
        y = right_.data() + static_cast<size_t>(j) * kWide * kRows;
      } else {
        x = row(p.left, *runs.nodes, runs.from + run * runs.rows) + i * kTall;
        y = row(p.right, *runs.nodes, runs.from + run * runs.rows) + j * kWide;
      }
      for (size_t r = 0; r < runs.rows; r++, x += left_stride, y += right_stride) {
        Vector of_row[vectors];
        for (int v = 0; v < vectors; v++) of_row[v] = load(y + v * kLanes);
#pragma GCC unroll 12
        for (int k = 0; k < kTall; k++) {
          for (int v = 0; v < vectors; v++) sums[k][v] = add_product(sums[k][v], x[k], of_row[v]);
        }
      }
    }
    for (int k = 0; k < height; k++) {
      to.put(at + int64_t{k} * p.stride, reinterpret_cast<const float*>(sums[k]), width,
             runs.from == 0);
    }
  }

  // Sums the rows on the right, in the columns of tile j.
  void add_rows(const Product& p, int j, size_t from, size_t n, bool copied,
                const BlockNodes& nodes, const Target& total) const {
    const float* y = right_.data() + static_cast<size_t>(j) * kWide * kRows;
    Vector sums[2] = {};
    for (size_t r = 0; r < n; r++, y += kWide) {
      if (!copied) y = row(p.right, nodes, from + r) + j * kWide;
      sums[0] += load(y);
      sums[1] += load(y + kLanes);
    }
    const int width = std::min(kWide, p.right.width - j * kWide);
    total.put(int64_t{j} * kWide, reinterpret_cast<const float*>(sums), width, from == 0);
  }

  // Sums over all nodes; threads share the columns, 64 at a time.
  void sum(const NodeSum& s, const Target& to, const BlockNodes& nodes, PoolTurn& turn) const {
    constexpr int64_t kColumns = 64;
    const int pieces = static_cast<int>((s.size + kColumns - 1) / kColumns);
    turn.look();
    turn.pool().run([&](Worker& worker) {
      each(worker, pieces, [&](int piece) {
        const int64_t first = piece * kColumns, n = std::min(kColumns, s.size - first);
        float total[kColumns] = {};
        for (size_t i = 0; i < nodes.size(); i++) {
          const float* from = nodes.at(s.rows.source, i, arena_) + first;
          add_all(total, from, n);
        }
        to.put(first, total, n, true);
      });
    });
  }

  const float* arena_;
  std::span<const WeightOut> outs_;
  std::vector<uint8_t> written_;  // per weight, whether its gradient has been written
  std::vector<float> left_, right_;
};

}  // namespace acrobat
