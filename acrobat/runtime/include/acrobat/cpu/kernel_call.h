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
  const float* operands;  // what offsets count from

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
      const float* base = source.table >= 0 ? tables[source.table] : nodes.operands;
      const int32_t* offsets = nodes.offsets + source.argument * nodes.stride;
      args_[7 + 2 * i] = packed(static_cast<const void*>(base + source.start));
      args_[8 + 2 * i] = packed(static_cast<const void*>(offsets));
    }
  }

  void run(const KernelChunk& chunk) {
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

 private:
  const KernelInfo& k_;
  PackedArg args_[7 + 2 * kMaxOperands];
};

}  // namespace acrobat
