// How the rows and column blocks of a kernel, or the nodes of a batch, are partitioned: among
// threads, within a thread into chunks, and rows into tiles.
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

// All rows and column blocks of a kernel over n nodes.
inline KernelChunk all_of(const KernelInfo& k, int64_t n) {
  return {0, n * k.rows, 0, k.column_blocks};
}

// The next entry of the tile plan for `left` rows (for the reasons see tile_plan in
// calling_convention.py): as many usual tiles as possible, but a remainder of fewer than `join`
// rows is merged with one of them, and a remainder for which there is no tile height is split in
// two.
inline std::pair<int, int64_t> next_tiles(const KernelInfo& k, int64_t left) {
  int64_t usual = k.usual_tile, full = left / usual, rest = left % usual;
  if (full > 0 && rest > 0 && rest < k.join) full--, rest += usual;
  if (full > 0) return {static_cast<int>(usual), full};
  if (rest > kMaxTile || k.variant[rest] == nullptr) rest = (rest + 1) / 2;
  return {static_cast<int>(rest), 1};
}

// Where group i of `groups` groups of about equal size begins in [first, last): at a multiple of
// `tile` from `first`.
inline int64_t group_begin(int64_t first, int64_t last, int i, int groups, int64_t tile) {
  if (i == 0) return first;
  if (i == groups) return last;
  return first + (last - first) * i / groups / tile * tile;
}

// The number of threads that a kernel is partitioned among, and the way: by blocks of columns, so
// that a thread reads the same part of the weights batch after batch, or by rows.
struct Split {
  int owners = 1;
  bool by_columns = false;
};

// The granularity of a partition: the rows or nodes of each owner form `groups`, whose sizes are
// multiples of `tile`; for `at_once` and `least` see `Worker::run_partitioned`.
struct Grain : Split {
  int groups = 0, at_once = 1, least = 1, tile = 1;
};

// A thread's part begins at a multiple of this number of rows. If there is only one tile height,
// tiles must begin at its multiples.
inline int64_t row_unit(const KernelInfo& k) {
  return k.variant[1] != nullptr ? std::min(4, k.usual_tile) : k.usual_tile;
}

// Splits a kernel over n nodes among at most `most` threads, none of which is left without work: by
// columns if all threads get about equally many, else by rows; if neither occupies all threads, by
// whichever occupies more.
inline Split split_among(const KernelInfo& k, int64_t n, int most) {
  const int blocks = k.column_blocks;
  if (blocks % most == 0 || blocks >= 4 * most) return {most, true};
  const int64_t units = std::max<int64_t>(n * k.rows / row_unit(k), 1);
  if (units >= most) return {most, false};
  const int deepest = (blocks + most - 1) / most;  // blocks of the thread that has the most
  if (units * deepest >= blocks) return {static_cast<int>(units), false};
  return {(blocks + deepest - 1) / deepest, true};
}

// The partition of a kernel. A chunk is a group of rows for one block of columns; all blocks of a
// group come before the next group.
struct KernelPartition : Grain {
  const KernelInfo* k;
  int64_t rows;

  KernelPartition(const KernelInfo& k, int64_t n, const Grain& grain)
      : Grain(grain), k(&k), rows(n * k.rows) {}

  int chunks(int owner) const {
    return owner < owners ? groups * (block(owner + 1) - block(owner)) : 0;
  }
  int chunks() const { return groups * k->column_blocks * (by_columns ? 1 : owners); }

  KernelChunk chunk(int owner, int i) const {
    const int first = by_columns ? block(owner) : 0;
    const int blocks = by_columns ? block(owner + 1) - first : k->column_blocks;
    const int group = i / blocks, b = first + i % blocks;
    return {row(owner, group), row(owner, group + 1), b, b + 1};
  }

 private:
  int block(int owner) const {
    return by_columns ? k->column_blocks * owner / owners : k->column_blocks * owner;
  }
  int64_t row(int owner, int group) const {
    if (by_columns) return group_begin(0, rows, group, groups, k->usual_tile);
    const int64_t unit = row_unit(*k);
    return group_begin(group_begin(0, rows, owner, owners, unit),
                       group_begin(0, rows, owner + 1, owners, unit), group, groups, k->usual_tile);
  }
};

// The partition of nodes that go through all kernels of a block. A chunk is a group of nodes.
struct NodePartition : Grain {
  int64_t n;

  NodePartition(int64_t n, const Grain& grain) : Grain(grain), n(n) {}

  int chunks(int owner) const { return owner < owners ? groups : 0; }
  int chunks() const { return groups * owners; }
  int64_t begin(int owner, int i) const {
    return group_begin(n * owner / owners, n * (owner + 1) / owners, i, groups, tile);
  }
};

}  // namespace acrobat
