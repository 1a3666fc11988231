// The configuration that a program is created with (in Python: runtime/structures.py).
#pragma once

#include <cstdint>

namespace acrobat {

struct Config {
  int threads;
  int scheduler, gather_fusion, fibers;
  int64_t stack_bytes;
  const float* const* packed;  // of every kernel: its weights and its vectors
  const float* const* tables;  // weights that kernels read by row
  // Weights that are read through references: every arena begins with them.
  const float* const* arena_weights;
  const int64_t* arena_weight_sizes;
  int n_arena_weights;
  int64_t arena_weight_floats;  // of all of them together, each aligned
  // Counts how often the numbers behind these pointers have changed, which is only between calls.
  const int64_t* weights_version;
};

}  // namespace acrobat
