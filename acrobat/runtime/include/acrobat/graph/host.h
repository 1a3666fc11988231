// What a program leaves to Python: functions of strings, and lookups in tables of the module.
#pragma once

#include "../limits.h"

namespace acrobat {

// `args` and `result` are kinds as those of a `FieldType`, i f b s.
struct HostFunction {
  const char* args;
  char result;
};

constexpr int kMostHostArguments = 4;

// The calls of one mini-batch (python/host_calls.h).
class HostCalls;

}  // namespace acrobat
