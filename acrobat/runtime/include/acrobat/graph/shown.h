// Numbers formatted as by Python's `str`.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace acrobat {

// The shortest digits that parse to `a` again; with an exponent below 1e-4 and from 1e16 on.
inline std::string shown(double a) {
  if (std::isnan(a)) return "nan";
  if (std::isinf(a)) return a < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, a, std::chars_format::scientific);
  std::string text(buffer, end.ptr);  // -d.ddde+xx
  const size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16) return text;
  const std::string sign = text[0] == '-' ? "-" : "";
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace acrobat
