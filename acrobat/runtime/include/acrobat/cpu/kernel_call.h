// A call of a kernel for nodes of a batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../graph/graph.h"
#include "kernels.h"
#include "partition.h"

namespace acrobat {

// Nodes of a batch: where their records are, and the offsets of their operands.
struct Nodes {
  int block;
  int64_t n;
  float* out;
  float* temporaries;
  const int32_t* offsets;
  int64_t stride;         // between the offsets of one operand and the next
  const float* operands;  // the base of the offsets

  Nodes slice(int64_t begin, int64_t end, const BlockInfo& info) const {
    return {block,
            end - begin,
            out + begin * info.record,
            temporaries + begin * info.scratch,
            offsets + begin,
            stride,
            operands};
  }
};

// A kernel with its arguments for some nodes.
class KernelCall {
 public:
  // `weights`: packed weights and vectors, in kernel order. `tables`: indexed by the table numbers
  // of sources.
  KernelCall(const KernelInfo& k, const Nodes& nodes, const float* const* weights,
             const float* const* tables)
      : k_(k), tables_(tables) {
    args_[0] = packed(static_cast<const void*>(nodes.out));
    args_[1] = packed(static_cast<const void*>(nodes.temporaries));
    args_[5] = packed(static_cast<const void*>(weights[k.weights]));
    args_[6] = packed(static_cast<const void*>(weights[k.vectors]));
    for (int i = 0; i < k.operands; i++) {
      const auto& source = k.source[i];
      const float* base = source.table >= 0 ? tables[source.table] : nodes.operands;
      const int32_t* offsets = nodes.offsets + source.argument * nodes.stride;
      args_[7 + 2 * i] = packed(static_cast<const void*>(base + source.start));
      args_[8 + 2 * i] = packed(static_cast<const void*>(offsets));
    }
  }

  void run(const KernelChunk& chunk) {
    if (k_.n_chosen == 0) return tiles(chunk);
    for (int64_t row = chunk.first_row; row < chunk.last_row;) {
      const int64_t node = row / k_.rows, last = (chunk.last_row + k_.rows - 1) / k_.rows;
      const int64_t next = end_of_cluster(node, last);
      for (int i = 0; i < k_.n_chosen; i++) point_to(k_.chosen[i], node);
      KernelChunk cluster = chunk;
      cluster.first_row = row;
      cluster.last_row = row = std::min(next * k_.rows, chunk.last_row);
      tiles(cluster);
    }
  }

 private:
  void tiles(const KernelChunk& chunk) {
    for (int64_t first = chunk.first_row; first < chunk.last_row; first += k_.rows_at_once) {
      const int64_t last = std::min(chunk.last_row, first + k_.rows_at_once);
      for (int jo = chunk.first_block; jo < chunk.last_block; jo++) {
        args_[4] = packed(static_cast<int64_t>(jo));
        for (int64_t row = first; row < last;) {
          auto [height, tiles] = next_tiles(k_, last - row);
          args_[2] = packed(row);
          args_[3] = packed(tiles);
          PackedArg result{};
          k_.variant[height](nullptr, args_, 7 + 2 * k_.operands, &result);
          row += tiles * height;
        }
      }
    }
  }

  const int32_t* offsets(const ChosenMatrix& of) const {
    return static_cast<const int32_t*>(args_[8 + 2 * of.operand].p);
  }

  // The first node after `node`, up to `last`, that chose other matrices.
  int64_t end_of_cluster(int64_t node, int64_t last) const {
    int64_t end = last;
    for (int i = 0; i < k_.n_chosen; i++) {
      const int32_t* at = offsets(k_.chosen[i]);
      int64_t next = node + 1;
      while (next < end && at[next] == at[node]) next++;
      end = next;
    }
    return end;
  }

  void point_to(const ChosenMatrix& of, int64_t node) {
    args_[7 + 2 * of.operand] = packed(static_cast<const void*>(
        tables_[k_.source[of.operand].table] + offsets(of)[node] / of.width * of.floats));
  }

  const KernelInfo& k_;
  const float* const* tables_;
  PackedArg args_[7 + 2 * kMaxOperands];
};

}  // namespace acrobat
