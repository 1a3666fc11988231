// Thresholds of decisions.
#pragma once

#include <string>
#include <vector>

#include "arrays.h"

// float64 numbers, each stored as the sum of two float32 numbers in separate arrays.
inline std::vector<double> doubles(const Arrays& arrays, const std::string& name) {
  const Array &high = arrays[name + ".high"], &low = arrays[name + ".low"];
  std::vector<double> found(high.f.begin(), high.f.end());
  for (size_t i = 0; i < found.size(); i++) found[i] += low.f[i];
  return found;
}
