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

// Among how many threads a kernel is partitioned, and by what: its blocks of columns, of which a
// thread reads its own part of the weights, batch after batch; or its rows.
struct Split {
  int owners = 1;
  bool by_columns = false;
};

// How fine a partition is: the rows or nodes of each owner form `groups`, whose sizes are multiples
// of `tile`; for `at_once` and `least` see `Worker::run_partitioned`.
struct Grain : Split {
  int groups = 0, at_once = 1, least = 1, tile = 1;
};

// Rows that a thread's part begins at multiples of: tiles of a single height begin at its multiples
// only.
inline int64_t row_unit(const KernelInfo& k) {
  return k.variant[1] != nullptr ? std::min(4, k.usual_tile) : k.usual_tile;
}

// A kernel over n nodes for at most `most` threads, none of which is left without work: by columns
// where all get about as many, else by rows; by whatever occupies more where neither is enough.
inline Split split_among(const KernelInfo& k, int64_t n, int most) {
  const int blocks = k.column_blocks;
  if (blocks % most == 0 || blocks >= 4 * most) return {most, true};
  const int64_t units = std::max<int64_t>(n * k.rows / row_unit(k), 1);
  if (units >= most) return {most, false};
  const int deepest = (blocks + most - 1) / most;  // blocks of the thread that has most
  if (units * deepest >= blocks) return {static_cast<int>(units), false};
  return {(blocks + deepest - 1) / deepest, true};
}

// A kernel, partitioned. A chunk is a group of rows for one block of columns; all blocks of a
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

// Nodes that go through all kernels of a block, partitioned. A chunk is a group of nodes.
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
