// The tensors of a mini-batch's instances, one after the other. Needs the GIL.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../memory.h"
#include "../schedule/arena.h"
#include "arrays.h"

namespace acrobat {

// Appends them to `floats`, each where a row of the arena may begin. Throws CapacityError and
// std::bad_alloc.
class InputTensors {
 public:
  explicit InputTensors(std::vector<float>& floats) : floats_(floats) {}

  static constexpr int64_t kBeyond = -2;

  // Copies `size` values; returns where they are, or kBeyond if one is beyond float32.
  int64_t add(const ArrayPart& array, int64_t size) {
    const int64_t at = room(size);
    float* to = floats_.data() + at;
    const bool fits = array.is_float ? copy_all<float>(to, array, size)  //
                                     : copy_all<double>(to, array, size);
    return fits ? at : kBeyond;
  }

  // Returns where there are `size` zeros, in place of a tensor that is None.
  int64_t zeros(int64_t size) {
    if (zeros_ == kNone || n_zeros_ < size) {
      zeros_ = room(size);
      n_zeros_ = size;
      std::fill_n(floats_.begin() + zeros_, size, 0.0f);
    }
    return zeros_;
  }

 private:
  static constexpr int64_t kNone = -1;

  // Makes room for the floats of a tensor; returns where they go.
  int64_t room(int64_t floats) {
    auto at = static_cast<size_t>(align(static_cast<int64_t>(floats_.size())));
    auto end = at + static_cast<size_t>(floats);
    Arena::require(static_cast<int64_t>(end));
    if (end > floats_.capacity()) {
      size_t capacity = std::max(end, 2 * floats_.capacity());
      auto more = static_cast<int64_t>((capacity - floats_.capacity()) * sizeof(float));
      take_memory(more, "the tensors of its instances", more);
      floats_.reserve(capacity);
    }
    floats_.resize(end);
    return static_cast<int64_t>(at);
  }

  template <typename T>
  static bool copy_all(float* to, const ArrayPart& array, int64_t size) {
    if (array.is_dense(sizeof(T))) return copy_row<T>(to, array.data, size);
    return copy<T>(to, array.data, array, 0);
  }

  // Copies row by row, whatever the strides are; false if a number is beyond float32.
  template <typename T>
  static bool copy(float*& to, const char* from, const ArrayPart& array, int axis) {
    if (axis == array.rank) return copy_row<T>(to, from, 1);
    const npy_intp n = array.dims[axis], stride = array.strides[axis];
    if (axis == array.rank - 1 && stride == sizeof(T)) return copy_row<T>(to, from, n);
    for (npy_intp i = 0; i < n; i++) {
      if (!copy<T>(to, from + i * stride, array, axis + 1)) return false;
    }
    return true;
  }

  template <typename T>
  static bool copy_row(float*& to, const char* from, npy_intp n) {
    if constexpr (std::is_same_v<T, float>) {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
    } else {
      for (npy_intp i = 0; i < n; i++) {
        T number;
        std::memcpy(&number, from + i * sizeof(T), sizeof(T));
        to[i] = static_cast<float>(number);
        if (std::isinf(to[i]) && !std::isinf(number)) return false;
      }
    }
    to += n;
    return true;
  }

  std::vector<float>& floats_;
  int64_t zeros_ = kNone, n_zeros_ = 0;
};

}  // namespace acrobat
