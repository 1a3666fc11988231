// The kernels of a program with their variants, and the variants' machine code if kernels are
// launched one by one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu.h"
#include "kernels.h"
#include "machine_code.h"

namespace acrobat::cuda {

constexpr unsigned kWarp = 32;  // threads

struct Variant {
  Function function;  // null if the persistent kernel contains it
  int64_t least_rows, tile_rows;
  unsigned column_blocks, threads, shared;
  int kind;
};

struct LoadedKernel {
  std::string name;
  std::vector<Variant> variants;  // by ascending least_rows, the first's is 1

  // The last variant with no more than `rows` least_rows.
  const Variant& choose(int64_t rows) const {
    size_t i = variants.size() - 1;
    while (i > 0 && variants[i].least_rows > rows) i--;
    return variants[i];
  }
};

class Modules {
 public:
  Modules(std::shared_ptr<Gpu> gpu, const Config& config) : code_(gpu) {
    Gpu::Use use(*gpu);
    for (int i = 0; i < config.n_kernels; i++)
      load(config.kernels[i], config.persistent_kernel != nullptr);
  }

  const LoadedKernel& operator[](int number) const { return kernels_[static_cast<size_t>(number)]; }

 private:
  void load(const KernelCode& code, bool persistent) {
    LoadedKernel kernel{code.name, {}};
    for (int i = 0; i < code.n; i++) {
      const VariantCode& v = code.variants[i];
      auto shared = static_cast<unsigned>(v.shared);
      Function function =
          persistent ? nullptr : code_.find(v.cubin, v.symbol, shared, "kernel " + kernel.name);
      kernel.variants.push_back({function, v.least_rows, v.tile_rows,
                                 static_cast<unsigned>(v.column_blocks),
                                 static_cast<unsigned>(v.warps) * kWarp, shared, v.kind});
    }
    kernels_.push_back(std::move(kernel));
  }

  MachineCode code_;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace acrobat::cuda
