// The machine code of a program's kernels, loaded into a GPU's context.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu.h"
#include "kernels.h"

namespace acrobat::cuda {

struct Variant {
  Function function;
  int64_t least_rows, tile_rows;
  unsigned column_blocks, threads, shared;
};

struct LoadedKernel {
  std::string name;
  std::vector<Variant> variants;  // by ascending least_rows, the first's is 1

  // The last variant whose least_rows are there.
  const Variant& choose(int64_t rows) const {
    size_t i = variants.size() - 1;
    while (i > 0 && variants[i].least_rows > rows) i--;
    return variants[i];
  }
};

class Modules {
 public:
  Modules(std::shared_ptr<Gpu> gpu, const Config& config) : gpu_(std::move(gpu)) {
    Gpu::Use use(*gpu_);
    try {
      for (int i = 0; i < config.n_kernels; i++) load(config.kernels[i]);
    } catch (...) {
      unload();
      throw;
    }
  }
  ~Modules() {
    Gpu::Use use(*gpu_);
    unload();
  }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  const LoadedKernel& operator[](int number) const { return kernels_[static_cast<size_t>(number)]; }

 private:
  // Without asking, a kernel may have this much.
  static constexpr int kSharedBytes = 48 << 10;
  static constexpr unsigned kWarp = 32;

  void load(const KernelCode& code) {
    const Driver& driver = gpu_->driver;
    LoadedKernel kernel{code.name, {}};
    for (int i = 0; i < code.n; i++) {
      const VariantCode& v = code.variants[i];
      auto [at, is_new] = modules_.try_emplace(v.cubin, nullptr);
      if (is_new) {
        Result r = driver.cuModuleLoad(&at->second, v.cubin);
        if (r != kSuccess) {
          std::string path = at->first;
          modules_.erase(at);
          driver.fail(r, "loading kernel " + kernel.name + " from " + path);
        }
      }
      Variant variant{nullptr,
                      v.least_rows,
                      v.tile_rows,
                      static_cast<unsigned>(v.column_blocks),
                      static_cast<unsigned>(v.warps) * kWarp,
                      static_cast<unsigned>(v.shared)};
      Result r = driver.cuModuleGetFunction(&variant.function, at->second, v.symbol);
      if (r != kSuccess) driver.fail(r, "finding " + std::string(v.symbol) + " in " + v.cubin);
      if (v.shared > kSharedBytes) {
        r = driver.cuFuncSetAttribute(variant.function, kMaxDynamicSharedBytes, v.shared);
        if (r != kSuccess) {
          driver.fail(r, "giving kernel " + kernel.name + " " + std::to_string(v.shared) +
                             " bytes of shared memory");
        }
      }
      kernel.variants.push_back(variant);
    }
    kernels_.push_back(std::move(kernel));
  }

  void unload() {
    for (auto& [path, module] : modules_) gpu_->driver.cuModuleUnload(module);
  }

  std::shared_ptr<Gpu> gpu_;
  std::map<std::string, Module> modules_;  // by path: variants may share a file
  std::vector<LoadedKernel> kernels_;
};

}  // namespace acrobat::cuda
