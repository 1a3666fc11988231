// Python's math on numbers: the C library's functions, with faults of the instance where Python
// raises errors.
#include "acrobat/graph/mathematics.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "acrobat/errors.h"
#include "acrobat/graph/faults.h"
#include "acrobat/graph/numbers.h"
#include "acrobat/graph/shown.h"

namespace acrobat {

namespace {

[[noreturn]] void fail_math(const char* name, const std::string& args, bool too_large) {
  throw InstanceFault(std::string("math.") + name + " of " + args +
                      (too_large ? " is too large for a float" : " is no number"));
}

// An infinite result of a finite argument is too large (if it `may_be_large`), or a pole.
double checked(const char* name, double a, double result, bool may_be_large) {
  if (std::isnan(result) && !std::isnan(a)) fail_math(name, shown(a), false);
  if (std::isinf(result) && std::isfinite(a)) fail_math(name, shown(a), may_be_large);
  return result;
}
double checked(const char* name, double a, double b, double result, bool may_be_large) {
  const bool given = !std::isnan(a) && !std::isnan(b);
  if (std::isnan(result) && given) fail_math(name, shown(a) + ", " + shown(b), false);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    fail_math(name, shown(a) + ", " + shown(b), may_be_large);
  }
  return result;
}

constexpr double kPi = 3.141592653589793238462643383279502884197;

}  // namespace

double math_acos(double a) { return checked("acos", a, std::acos(a), false); }
double math_acosh(double a) { return checked("acosh", a, std::acosh(a), false); }
double math_asin(double a) { return checked("asin", a, std::asin(a), false); }
double math_asinh(double a) { return checked("asinh", a, std::asinh(a), false); }
double math_atan(double a) { return checked("atan", a, std::atan(a), false); }
double math_atanh(double a) { return checked("atanh", a, std::atanh(a), false); }
double math_cos(double a) { return checked("cos", a, std::cos(a), false); }
double math_cosh(double a) { return checked("cosh", a, std::cosh(a), true); }
double math_erf(double a) { return checked("erf", a, std::erf(a), false); }
double math_erfc(double a) { return checked("erfc", a, std::erfc(a), false); }
double math_exp(double a) { return checked("exp", a, std::exp(a), true); }
double math_expm1(double a) { return checked("expm1", a, std::expm1(a), true); }
double math_fabs(double a) { return checked("fabs", a, std::fabs(a), false); }
double math_log(double a) { return checked("log", a, std::log(a), false); }
double math_log10(double a) { return checked("log10", a, std::log10(a), false); }
double math_log1p(double a) { return checked("log1p", a, std::log1p(a), false); }
double math_log2(double a) { return checked("log2", a, std::log2(a), false); }
double math_sin(double a) { return checked("sin", a, std::sin(a), false); }
double math_sinh(double a) { return checked("sinh", a, std::sinh(a), true); }
double math_sqrt(double a) { return checked("sqrt", a, std::sqrt(a), false); }
double math_tan(double a) { return checked("tan", a, std::tan(a), false); }
double math_tanh(double a) { return checked("tanh", a, std::tanh(a), false); }
double math_degrees(double a) { return a * (180.0 / kPi); }
double math_radians(double a) { return a * (kPi / 180.0); }
double math_atan2(double a, double b) { return std::atan2(a, b); }
double math_copysign(double a, double b) { return std::copysign(a, b); }
double math_fmod(double a, double b) { return checked("fmod", a, b, std::fmod(a, b), false); }
double math_pow(double a, double b) { return checked("pow", a, b, std::pow(a, b), a != 0); }

int64_t int_pow(int64_t a, int64_t b) {
  if (b < 0) fail_instance("a negative power of an int is a float: `float(n) ** m`");
  int64_t result = 1;
  for (;; a = checked_mul(a, a)) {
    bool fits = true;
    if (b & 1) fits = !__builtin_mul_overflow(result, a, &result);
    if (!fits) fail_overflow("**");
    b >>= 1;
    if (b == 0) return result;
    int64_t square;
    if (__builtin_mul_overflow(a, a, &square)) fail_overflow("**");
  }
}

double float_pow(double a, double b) {
  const double result = std::pow(a, b);
  if (!std::isfinite(a) || !std::isfinite(b)) return result;
  if (a == 0 && b < 0) fail_instance("0.0 to a negative power");
  if (std::isnan(result)) fail_instance("a negative number to a fractional power is complex");
  if (std::isinf(result)) fail_instance("the result of `**` is too large for a float");
  return result;
}

int64_t round_whole(double a) { return to_int(std::nearbyint(a)); }

double round_to(double a, int64_t digits) {
  if (!std::isfinite(a) || digits > 330) return a;
  std::string text(400 + static_cast<size_t>(digits), '\0');
  std::snprintf(text.data(), text.size(), "%.*f", static_cast<int>(digits), a);
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace acrobat
