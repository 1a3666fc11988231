// The packed calling convention of TVM's kernels, declared here so that a program builds without
// TVM's headers (tvm/ffi/c_api.h: TVMFFIAny is 16 bytes; an int has type index 1, an opaque
// pointer 4).
#pragma once

#include <cstdint>

namespace acrobat {

struct PackedArg {
  int32_t type;
  uint32_t padding;
  union {
    int64_t i;
    const void* p;
  };
};
static_assert(sizeof(PackedArg) == 16);

using PackedKernel = int (*)(void*, const PackedArg*, int32_t, PackedArg*);

inline PackedArg packed(const void* p) {
  PackedArg a{4, 0, {}};
  a.p = p;
  return a;
}
inline PackedArg packed(int64_t i) {
  PackedArg a{1, 0, {}};
  a.i = i;
  return a;
}

}  // namespace acrobat
