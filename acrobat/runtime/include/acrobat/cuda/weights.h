// A program's weights on a GPU, uploaded once: packed for the kernels, tables that are read by row,
// and a copy of the weights that an arena begins with, from which every new arena gets its own.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu.h"
#include "kernels.h"

namespace acrobat::cuda {

class Weights {
 public:
  Weights(std::shared_ptr<Gpu> gpu, const Config& config) : gpu_(std::move(gpu)) {
    Gpu::Use use(*gpu_);
    struct Upload {
      const float* from;
      int64_t floats;
      int64_t at;
    };
    std::vector<Upload> uploads;
    int64_t floats = 0;
    auto add = [&](const float* from, int64_t n) {
      uploads.push_back({from, n, floats});
      floats += (n + kAligned - 1) / kAligned * kAligned;
    };
    for (int i = 0; i < 2 * config.n_kernels; i++) add(config.packed[i], config.packed_floats[i]);
    for (int i = 0; i < config.n_tables; i++) add(config.tables[i], config.table_floats[i]);
    arena_weights_ = floats;
    int64_t at = floats;
    for (int i = 0; i < config.n_arena_weights; i++) {
      uploads.push_back({config.arena_weights[i], config.arena_weight_sizes[i], at});
      at += align(config.arena_weight_sizes[i]);
    }
    floats += config.arena_weight_floats;
    tables_ = 2 * static_cast<size_t>(config.n_kernels);
    if (floats == 0) {  // kernels still ask where theirs begin
      at_.assign(uploads.size(), 0);
      return;
    }
    const Driver& driver = gpu_->driver;
    Result r = driver.cuMemAlloc(&base_, static_cast<size_t>(floats) * sizeof(float));
    if (r == kOutOfMemory) lack_memory(*gpu_, "the weights need", floats * 4, "on the GPU", "");
    driver.check(r, "taking memory for the weights");
    for (const Upload& u : uploads) {
      at_.push_back(base_ + u.at * sizeof(float));
      if (u.floats == 0 || r != kSuccess) continue;
      r = driver.cuMemcpyHtoD(at_.back(), u.from, static_cast<size_t>(u.floats) * sizeof(float));
    }
    // A copy may return after the weights have been read but before they have arrived, and the
    // streams of calls do not wait for the default stream.
    Result done = driver.cuStreamSynchronize(nullptr);
    if (r == kSuccess) r = done;
    if (r == kSuccess) return;
    driver.cuMemFree(base_);
    driver.fail(r, "copying weights to the GPU");
  }
  ~Weights() {
    Gpu::Use use(*gpu_);
    if (base_ != 0) gpu_->driver.cuMemFree(base_);
  }
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  Address packed(int kernel) const { return at_[2 * static_cast<size_t>(kernel)]; }
  Address vectors(int kernel) const { return at_[2 * static_cast<size_t>(kernel) + 1]; }
  Address table(int number) const { return at_[tables_ + static_cast<size_t>(number)]; }
  // The weights that are read through references, as they lie at the beginning of an arena.
  Address arena_weights() const {
    return base_ + static_cast<Address>(arena_weights_) * sizeof(float);
  }

 private:
  static constexpr int64_t kAligned = 64;  // floats: what the driver aligns allocations to

  std::shared_ptr<Gpu> gpu_;
  Address base_ = 0;
  int64_t arena_weights_ = 0;
  size_t tables_ = 0;
  std::vector<Address> at_;
};

}  // namespace acrobat::cuda
