// Calls kernels of one row each (kKernels, of a file that is made for them): operands come from the
// standard input, kernel by kernel, what they compute goes to the standard output.
#include "pointwise.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

using namespace acrobat;

extern "C" void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char**, int32_t) {
  std::fprintf(stderr, "kernel fault: %s\n", kind);
  std::abort();
}

static float* zeros(int64_t floats) {
  auto* at = new (std::align_val_t(64)) float[static_cast<size_t>(floats) + 16];
  std::fill_n(at, floats + 16, 0.0f);
  return at;
}

int main() {
  for (const Kernel& k : kKernels) {
    float* operands = zeros(k.operands * k.slot);
    float* out = zeros(k.slot);
    const auto n = static_cast<size_t>(k.floats);
    PackedArg args[16];
    args[0] = packed(static_cast<const void*>(out));
    args[2] = packed(int64_t{0});
    args[3] = packed(int64_t{1});
    args[1] = args[5] = args[6] = packed(static_cast<const void*>(zeros(0)));
    for (int i = 0; i < k.operands; i++) {
      if (std::fread(operands + i * k.slot, sizeof(float), n, stdin) != n) std::abort();
      args[7 + 2 * i] = packed(static_cast<const void*>(operands));
      args[8 + 2 * i] = packed(static_cast<const void*>(new int32_t(i * k.slot)));
    }
    for (int64_t block = 0; block < k.column_blocks; block++) {
      args[4] = packed(block);
      PackedArg result{};
      if (k.function(nullptr, args, 7 + 2 * k.operands, &result) != 0) std::abort();
    }
    std::fwrite(out, sizeof(float), n, stdout);
  }
  return 0;
}
