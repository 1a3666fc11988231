// Runs the levels of a mini-batch on a GPU, all in one persistent kernel, with a grid barrier
// between levels. The kernel is `acrobat`'s (kernels/printers/cuda/persistent_kernel.py), which
// runs any schedule.
#pragma once

#include <acrobat/cuda/device.h>

#include <memory>
#include <utility>
#include <vector>

#include "plan.h"

namespace cortex {

class Gpu {
 public:
  using Config = acrobat::cuda::Config;
  using Memory = acrobat::cuda::DeviceArena;
  using Buffers = acrobat::cuda::Lane;

  explicit Gpu(const Config& config) : device_(config) {}

  // Every program of the grid computes a share of every level, so to the layout they are one
  // thread.
  static int threads() { return 1; }
  std::unique_ptr<Buffers> buffers() const { return device_.buffers(); }
  std::shared_ptr<Memory> take() const { return device_.take(); }

  void begin(acrobat::Context& cx, const Inputs& inputs, Memory& arena, Buffers& lane) const {
    device_.begin(cx, inputs, arena, lane);
  }

  void compute(acrobat::Context& cx, const std::vector<Plan::Step>&, const Inputs& inputs,
               Memory& arena, Buffers& lane, acrobat::Profile& profile,
               acrobat::Timer& timer) const {
    device_.compute(cx, inputs, arena, lane, {}, profile, timer);
    device_.finish(cx, inputs, arena, lane, profile, timer);
  }

  auto tensors(std::shared_ptr<Memory> arena, const Schedule& schedule) const {
    return device_.tensors(std::move(arena), schedule);
  }

 private:
  acrobat::cuda::Device device_;
};

}  // namespace cortex
