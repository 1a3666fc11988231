// A copy of the instances' tensors on the GPU, so that they need not be sent for every run.
#pragma once

#include <memory>
#include <utility>

#include "gpu.h"

namespace acrobat::cuda {

class InputCopy {
 public:
  // Returns null if there is no memory for it. Needs the context.
  static std::shared_ptr<InputCopy> make(std::shared_ptr<Gpu> gpu, size_t bytes) {
    auto made = std::make_shared<InputCopy>(std::move(gpu));
    const Driver& driver = made->gpu_->driver;
    Result r = driver.cuMemAlloc(&made->at_, bytes);
    if (r == kOutOfMemory) return nullptr;
    driver.check(r, "taking memory for tensors of the instances");
    return made;
  }

  explicit InputCopy(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~InputCopy() {
    Gpu::Use use(*gpu_);
    if (at_ != 0) gpu_->driver.cuMemFree(at_);
  }
  InputCopy(const InputCopy&) = delete;
  InputCopy& operator=(const InputCopy&) = delete;

  Address at() const { return at_; }

 private:
  std::shared_ptr<Gpu> gpu_;
  Address at_ = 0;
};

}  // namespace acrobat::cuda
