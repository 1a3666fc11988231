// The resources of a call on a GPU: a stream, and page-locked memory that copies go through and
// kernels write to.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "gpu.h"
#include "input_copy.h"

namespace acrobat::cuda {

// Page-locked memory of the host that the GPU can access, too. It must not change while a copy is
// in progress.
class Pinned {
 public:
  explicit Pinned(Gpu& gpu) : gpu_(gpu) {}
  ~Pinned() {
    Gpu::Use use(gpu_);
    release();
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  // Makes room for `bytes`; the previous contents are lost.
  char* provide(size_t bytes) {
    if (bytes <= bytes_) return static_cast<char*>(at_);
    release();
    size_t size = std::max(2 * bytes, size_t{64} << 10);
    Result r = gpu_.driver.cuMemHostAlloc(&at_, size, kHostDeviceMap);
    if (r != kSuccess) {
      at_ = nullptr;
      gpu_.driver.fail(r, "taking " + std::to_string(size) + " bytes of page-locked memory");
    }
    gpu_.driver.check(gpu_.driver.cuMemHostGetDevicePointer(&on_gpu_, at_, 0),
                      "asking where the GPU has page-locked memory");
    bytes_ = size;
    return static_cast<char*>(at_);
  }
  const char* at() const { return static_cast<const char*>(at_); }
  // Its address for kernels.
  Address on_gpu() const { return on_gpu_; }

 private:
  void release() {
    if (at_ != nullptr) gpu_.driver.cuMemFreeHost(at_);
    at_ = nullptr;
    bytes_ = 0;
  }

  Gpu& gpu_;
  void* at_ = nullptr;
  Address on_gpu_ = 0;
  size_t bytes_ = 0;
};

struct Lane {
  explicit Lane(std::shared_ptr<Gpu> gpu)
      : gpu(std::move(gpu)),
        numbers(std::make_unique_for_overwrite<float[]>(kMaxScalars)),
        up(*this->gpu),
        down(*this->gpu) {
    Gpu::Use use(*this->gpu);
    const Driver& driver = this->gpu->driver;
    try {
      driver.check(driver.cuStreamCreate(&stream, kStreamNonBlocking), "creating a stream");
      driver.check(driver.cuEventCreate(&begin, 0), "creating an event");
      driver.check(driver.cuEventCreate(&end, 0), "creating an event");
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~Lane() {
    Gpu::Use use(*gpu);
    destroy();
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  std::shared_ptr<Gpu> gpu;
  Stream stream = nullptr;
  Event begin = nullptr, end = nullptr;   // around the kernels of a computation
  std::unique_ptr<float[]> numbers;       // numbers that the program turned into tensors
  int64_t numbers_there = 0;              // how many of them the GPU has
  bool inputs_there = false;              // whether the arena has the tensors of the instances
  bool keeps_inputs = false;              // whether this call makes a copy of them
  std::shared_ptr<InputCopy> input_copy;  // the copy that is being made or read
  Pinned up, down;

 private:
  void destroy() {
    const Driver& driver = gpu->driver;
    if (begin != nullptr) driver.cuEventDestroy(begin);
    if (end != nullptr) driver.cuEventDestroy(end);
    if (stream != nullptr) driver.cuStreamDestroy(stream);
  }
};

}  // namespace acrobat::cuda
