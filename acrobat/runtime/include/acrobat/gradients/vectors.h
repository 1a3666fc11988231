// Loops over floats, vectorised by hand: with -O2 g++ does not vectorise a loop of unknown length.
#pragma once

#include <cstdint>
#include <cstring>

namespace acrobat {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__aarch64__)
inline constexpr int kLanes = 4;
#else
inline constexpr int kLanes = 8;
#endif
using Vector [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof(v)); }

// to[i] += from[i]
inline void add_all(float* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(to + i) + load(from + i));
  for (; i < n; i++) to[i] += from[i];
}

// to[i] = from[i]
inline void store_all(float* to, const float* from, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
  for (; i < n; i++) to[i] = from[i];
}

// to[i] = a[i] + b[i], where null stands for zeros; `to` may be `a`.
inline void sum_all(float* to, const float* a, const float* b, int64_t n) {
  if (a == nullptr && b == nullptr) {
    std::memset(to, 0, static_cast<size_t>(n) * sizeof(float));
  } else if (a == nullptr || b == nullptr) {
    std::memcpy(to, a == nullptr ? b : a, static_cast<size_t>(n) * sizeof(float));
  } else {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) store(to + i, load(a + i) + load(b + i));
    for (; i < n; i++) to[i] = a[i] + b[i];
  }
}

}  // namespace acrobat
