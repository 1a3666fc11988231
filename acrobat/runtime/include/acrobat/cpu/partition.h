// How the rows and column blocks of a kernel, or the nodes of a batch, are partitioned: among the
// threads, for each thread into chunks, and rows into tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels.h"

namespace acrobat {

// A chunk of a kernel: rows times blocks of columns.
struct KernelChunk {
  int64_t first_row, last_row;
  int first_block, last_block;
};

// Everything of a kernel over n nodes.
inline KernelChunk all_of(const KernelInfo& k, int64_t n) {
  return {0, n * k.rows, 0, k.column_blocks};
}

// The next entry of the tile plan for `left` rows (calling_convention.py: tile_plan gives the
// reasons): as many of the usual tiles as possible, but a rest of less than `join` rows is taken
// together with one more, and a rest that no tile has the height of is split in two.
inline std::pair<int, int64_t> next_tiles(const KernelInfo& k, int64_t left) {
  int64_t usual = k.usual_tile, full = left / usual, rest = left % usual;
  if (full > 0 && rest > 0 && rest < k.join) full--, rest += usual;
  if (full > 0) return {static_cast<int>(usual), full};
  if (rest > kMaxTile || k.variant[rest] == nullptr) rest = (rest + 1) / 2;
  return {static_cast<int>(rest), 1};
}

// Where group i of `groups` of about one size begins in [first, last): at a multiple of `tile`.
inline int64_t group_begin(int64_t first, int64_t last, int i, int groups, int64_t tile) {
  if (i == 0) return first;
  if (i == groups) return last;
  return first + (last - first) * i / groups / tile * tile;
}

// How fine a partition is: a thread's rows or nodes form `groups`, whose sizes are multiples of
// `tile`; for `at_once` and `least` see `Worker::run_partitioned`.
struct Grain {
  int groups = 0, at_once = 1, least = 1, tile = 1;
};

// A kernel, partitioned. A chunk is a group of rows for one block of columns; all blocks of a
// group come before the next group.
struct KernelPartition : Grain {
  const KernelInfo* k;
  int64_t rows;
  int threads;
  bool by_columns;  // a thread reads its own part of the weights, batch after batch

  KernelPartition(const KernelInfo& k, int64_t n, int threads, const Grain& grain)
      : Grain(grain),
        k(&k),
        rows(n * k.rows),
        threads(threads),
        by_columns(k.column_blocks % threads == 0 || k.column_blocks >= 4 * threads) {}

  int chunks(int owner) const { return groups * (block(owner + 1) - block(owner)); }
  int chunks() const { return groups * k->column_blocks * (by_columns ? 1 : threads); }

  KernelChunk chunk(int owner, int i) const {
    const int first = by_columns ? block(owner) : 0;
    const int blocks = by_columns ? block(owner + 1) - first : k->column_blocks;
    const int group = i / blocks, b = first + i % blocks;
    return {row(owner, group), row(owner, group + 1), b, b + 1};
  }

 private:
  int block(int owner) const {
    return by_columns ? k->column_blocks * owner / threads : k->column_blocks * owner;
  }
  int64_t row(int owner, int group) const {
    if (by_columns) return group_begin(0, rows, group, groups, k->usual_tile);
    // Tiles of a single height begin at its multiples only.
    const int64_t grain = k->variant[1] ? std::min(4, k->usual_tile) : k->usual_tile;
    return group_begin(group_begin(0, rows, owner, threads, grain),
                       group_begin(0, rows, owner + 1, threads, grain), group, groups,
                       k->usual_tile);
  }
};

// Nodes that go through all kernels of a block, partitioned. A chunk is a group of nodes.
struct NodePartition : Grain {
  int64_t n;
  int threads;

  NodePartition(int64_t n, int threads, const Grain& grain)
      : Grain(grain), n(n), threads(threads) {}

  int chunks(int) const { return groups; }
  int chunks() const { return groups * threads; }
  int64_t begin(int owner, int i) const {
    return group_begin(n * owner / threads, n * (owner + 1) / threads, i, groups, tile);
  }
};

}  // namespace acrobat
