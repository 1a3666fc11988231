// Python's arithmetic on int64_t and double. An integer that does not fit into 64 bits is a fault.
#pragma once

#include <compare>
#include <cstdint>

#include "faults.h"

namespace acrobat {

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) fail_overflow("+");
  return result;
}
inline int64_t checked_sub(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result)) fail_overflow("-");
  return result;
}
inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) fail_overflow("*");
  return result;
}
inline int64_t checked_neg(int64_t a) {
  if (a == INT64_MIN) fail_overflow("-");
  return -a;
}
inline int64_t checked_abs(int64_t a) {
  if (a == INT64_MIN) fail_overflow("abs");
  return a < 0 ? -a : a;
}

// Python's << and >>: by any number of bits that is not negative.
inline int64_t shift_left(int64_t a, int64_t bits) {
  if (bits < 0) fail_instance("negative shift count");
  if (a == 0) return 0;
  if (bits > 62 && !(a == -1 && bits == 63)) fail_overflow("<<");
  const auto result = static_cast<int64_t>(static_cast<uint64_t>(a) << bits);
  if (result >> bits != a) fail_overflow("<<");
  return result;
}
inline int64_t shift_right(int64_t a, int64_t bits) {
  if (bits < 0) fail_instance("negative shift count");
  return a >> (bits > 63 ? 63 : bits);
}

// Python's // and %: rounded towards minus infinity. Division by -1 is special because the
// processor traps when it divides the least integer by it.
inline int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) fail_instance("integer division by zero");
  if (b == -1) {
    if (a == INT64_MIN) fail_overflow("//");
    return -a;
  }
  const int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
inline int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0) fail_instance("integer division by zero");
  if (b == -1) return 0;
  const int64_t r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}

// The same for doubles, from the exact remainder: floor(a / b) may be one too large.
inline double float_floor_mod(double a, double b) {
  if (b == 0) fail_instance("float division by zero");
  const double r = __builtin_fmod(a, b);
  if (r == 0) return __builtin_copysign(0.0, b);
  return (b < 0) != (r < 0) ? r + b : r;
}
inline double float_floor_div(double a, double b) {
  if (b == 0) fail_instance("float division by zero");
  const double r = __builtin_fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= 1.0;
  if (q == 0) return __builtin_copysign(0.0, a / b);
  const double whole = __builtin_floor(q);
  return q - whole > 0.5 ? whole + 1.0 : whole;
}
inline double true_div(double a, double b) {
  if (b == 0) fail_instance("division by zero");
  return a / b;
}

// The quotient of two integers, rounded once, although a double may hold neither of them exactly.
inline double int_true_div(int64_t a, int64_t b) {
  if (b == 0) fail_instance("division by zero");
  constexpr int64_t kExact = int64_t{1} << 53;
  if (a == 0 || (-kExact <= a && a <= kExact && -kExact <= b && b <= kExact)) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
  __extension__ typedef unsigned __int128 Wide;
  const uint64_t dividend = a < 0 ? 0 - static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
  const uint64_t divisor = b < 0 ? 0 - static_cast<uint64_t>(b) : static_cast<uint64_t>(b);
  // Shift the dividend up as far as possible, so that the quotient has at least 64 bits.
  const int shift = 64 + __builtin_clzll(dividend);
  const Wide shifted = static_cast<Wide>(dividend) << shift;
  Wide quotient = shifted / divisor;
  // Shift it down to 63 bits, more than a double has; the last is a sticky bit for those cut off.
  bool more = shifted % divisor != 0;
  int exponent = -shift;
  for (; quotient >> 63 != 0; exponent++) {
    more = more || (quotient & 1) != 0;
    quotient >>= 1;
  }
  const auto magnitude = static_cast<double>(static_cast<int64_t>(quotient | (more ? 1 : 0)));
  const double result = __builtin_ldexp(magnitude, exponent);
  return (a < 0) != (b < 0) ? -result : result;
}

// Compares exactly, although a double may not be able to hold the integer.
inline std::partial_ordering compare(int64_t a, double b) {
  if (b != b) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = __builtin_trunc(b);
  const auto order = a <=> static_cast<int64_t>(whole);
  if (order != 0) return order;
  return whole <=> b;
}

// Python's int(): rounds towards zero.
inline int64_t to_int(double a) {
  if (!(a >= -0x1p63 && a < 0x1p63)) fail_instance("int() of a number that no int64 holds");
  return static_cast<int64_t>(a);
}

// The number of items of range(start, stop, step), and the item at index `i`, which is within the
// bounds of an int64 even if i * step is not.
inline uint64_t range_length(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) fail_instance("range() with step 0");
  const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
  const auto by = static_cast<uint64_t>(step);
  if (step > 0) return start < stop ? (to - from - 1) / by + 1 : 0;
  return start > stop ? (from - to - 1) / (0 - by) + 1 : 0;
}
inline int64_t range_count(int64_t start, int64_t stop, int64_t step) {
  const uint64_t length = range_length(start, stop, step);
  if (length > INT64_MAX) fail_instance("range() of more items than an int64 counts");
  return static_cast<int64_t>(length);
}
template <class Number>  // int64_t or uint64_t
int64_t range_item(int64_t start, Number i, int64_t step) {
  const auto from = static_cast<uint64_t>(start), by = static_cast<uint64_t>(step);
  return static_cast<int64_t>(from + static_cast<uint64_t>(i) * by);
}

}  // namespace acrobat
