// What a program is told when it is made.
#pragma once

#include <cstdint>

namespace acrobat {

struct Config {
  int threads;
  int scheduler, gather_fusion, fibers;
  int64_t stack_bytes;
  const float* const* packed;
  const float* const* tables;
  const float* const* weight_rows;
  const int64_t* weight_row_floats;
  int n_weight_rows;
  int64_t weight_floats;  // all weight rows together, aligned
};

}  // namespace acrobat
