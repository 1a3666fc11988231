// A call of a kernel for nodes of a batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cut.h"
#include "graph.h"
#include "kernels.h"

namespace acrobat {

// Nodes of a batch: where their records are, and the offsets of their operands.
struct Nodes {
  int block;
  int64_t n;
  float* out;
  float* temporaries;
  const int32_t* offsets;
  int64_t stride;     // between the offsets of one operand and the next
  const float* rows;  // what offsets count from

  Nodes part(int64_t begin, int64_t end, const BlockInfo& info) const {
    return {block,
            end - begin,
            out + begin * info.record,
            temporaries + begin * info.scratch,
            offsets + begin,
            stride,
            rows};
  }
};

// A kernel with its arguments for some nodes.
class KernelCall {
 public:
  // `weights`: packed weights and vectors, in kernel order.
  KernelCall(const KernelInfo& k, const Nodes& nodes, const float* const* weights,
             const float* const* tables)
      : k_(k) {
    args_[0] = packed(static_cast<const void*>(nodes.out));
    args_[1] = packed(static_cast<const void*>(nodes.temporaries));
    args_[5] = packed(static_cast<const void*>(weights[k.weights]));
    args_[6] = packed(static_cast<const void*>(weights[k.vectors]));
    for (int i = 0; i < k.operands; i++) {
      const auto& source = k.source[i];
      const float* base = source.table >= 0 ? tables[source.table] : nodes.rows;
      const int32_t* offsets = nodes.offsets + source.argument * nodes.stride;
      args_[7 + 2 * i] = packed(static_cast<const void*>(base + source.start));
      args_[8 + 2 * i] = packed(static_cast<const void*>(offsets));
    }
  }

  void run(const Piece& piece) {
    for (int64_t first = piece.first_row; first < piece.last_row; first += k_.rows_at_once) {
      const int64_t last = std::min(piece.last_row, first + k_.rows_at_once);
      for (int jo = piece.first_block; jo < piece.last_block; jo++) {
        args_[4] = packed(static_cast<int64_t>(jo));
        for (int64_t row = first; row < last;) {
          auto [height, tiles] = next_tiles(last - row);
          args_[2] = packed(row);
          args_[3] = packed(tiles);
          PackedArg result{};
          k_.variant[height](nullptr, args_, 7 + 2 * k_.operands, &result);
          row += tiles * height;
        }
      }
    }
  }

 private:
  // The next entry of the tile plan for `left` rows (kernels/compiled.py: tile_plan, which says
  // why): as many of the usual tiles as possible, but a rest of less than 4 rows is taken together
  // with one more, and what is no tile's height is cut in two.
  std::pair<int, int64_t> next_tiles(int64_t left) const {
    int64_t usual = k_.usual_tile, full = left / usual, rest = left % usual;
    if (full > 0 && rest > 0 && rest < std::min<int64_t>(4, usual / 2)) full--, rest += usual;
    if (full > 0) return {static_cast<int>(usual), full};
    if (rest > kMaxTile || k_.variant[rest] == nullptr) rest = (rest + 1) / 2;
    return {static_cast<int>(rest), 1};
  }

  const KernelInfo& k_;
  PackedArg args_[7 + 2 * kMaxOperands];
};

}  // namespace acrobat
