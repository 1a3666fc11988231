// Python's math on numbers. The functions are compiled once, in src/mathematics.cc: in a program,
// the C++ compiler would fold calls on constants, and round differently from the library.
#pragma once

#include <cstdint>

namespace acrobat {

double math_acos(double a);
double math_acosh(double a);
double math_asin(double a);
double math_asinh(double a);
double math_atan(double a);
double math_atanh(double a);
double math_cos(double a);
double math_cosh(double a);
double math_degrees(double a);
double math_erf(double a);
double math_erfc(double a);
double math_exp(double a);
double math_expm1(double a);
double math_fabs(double a);
double math_log(double a);
double math_log10(double a);
double math_log1p(double a);
double math_log2(double a);
double math_radians(double a);
double math_sin(double a);
double math_sinh(double a);
double math_sqrt(double a);
double math_tan(double a);
double math_tanh(double a);
double math_atan2(double a, double b);
double math_copysign(double a, double b);
double math_fmod(double a, double b);
double math_pow(double a, double b);

inline bool math_isnan(double a) { return __builtin_isnan(a) != 0; }
inline bool math_isinf(double a) { return __builtin_isinf(a) != 0; }
inline bool math_isfinite(double a) { return __builtin_isfinite(a) != 0; }

// `a ** b`.
int64_t int_pow(int64_t a, int64_t b);
double float_pow(double a, double b);
// `round(a)`, and `round(a, digits)` for digits >= 0.
int64_t round_whole(double a);
double round_to(double a, int64_t digits);

}  // namespace acrobat
