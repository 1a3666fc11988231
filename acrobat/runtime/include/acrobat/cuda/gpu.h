// One GPU, used through the process's primary context. The CUDA runtime of other libraries uses the
// same context, so their pointers are valid here and ours there.
#pragma once

#include <cstdint>
#include <string>

#include "copy_runs.h"
#include "driver.h"

namespace acrobat::cuda {

class Gpu {
 public:
  explicit Gpu(int ordinal) : ordinal(ordinal) {
    driver.check(driver.cuDeviceGet(&device_, ordinal), "finding the GPU");
    if (attribute(kVirtualMemory) == 0) {
      throw DeviceFault("GPU " + std::to_string(ordinal) +
                        " cannot map memory to reserved addresses, which mini-batches that grow "
                        "while they run need; use target='cpu'");
    }
    driver.check(driver.cuDevicePrimaryCtxRetain(&context_, device_), "creating a context");
    // Kernels for sm_90 and later are made for an early start (kernels/printers/cuda/emit.py).
    begins_early_ = driver.cuLaunchKernelEx != nullptr && attribute(kComputeMajor) >= 9;
  }
  ~Gpu() {
    {
      Use use(*this);
      copy_runs.unload(driver);
    }
    driver.cuDevicePrimaryCtxRelease(device_);
  }
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // Makes the context current in the calling thread for as long as this object lives.
  class Use {
   public:
    explicit Use(const Gpu& gpu) : driver_(gpu.driver) {
      pushed_ = driver_.cuCtxPushCurrent(gpu.context_) == kSuccess;
    }
    ~Use() {
      DriverContext popped;
      if (pushed_) driver_.cuCtxPopCurrent(&popped);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const Driver& driver_;
    bool pushed_;
  };

  int attribute(int number) const {
    int value = 0;
    driver.check(driver.cuDeviceGetAttribute(&value, number, device_),
                 "asking what the GPU can do");
    return value;
  }

  // Whether a kernel may begin before the previous one in its stream has ended.
  bool begins_early() const { return begins_early_; }

  int64_t free_bytes() const {
    size_t free = 0, total = 0;
    driver.check(driver.cuMemGetInfo(&free, &total), "asking for the free memory");
    return static_cast<int64_t>(free);
  }

  const Driver driver;
  const int ordinal;
  const CopyRuns copy_runs;

 private:
  int device_ = 0;
  DriverContext context_ = nullptr;
  bool begins_early_ = false;
};

// Throws CapacityError: `what` takes `bytes` for `purpose`, and so much is not free.
[[noreturn]] inline void lack_memory(const Gpu& gpu, const char* what, int64_t bytes,
                                     const char* purpose, const char* advice) {
  throw CapacityError(std::string(what) + " " + std::to_string((bytes + (1 << 20) - 1) >> 20) +
                      " MiB " + purpose + ", and " + std::to_string(gpu.free_bytes() >> 20) +
                      " MiB are free there" + advice);
}

}  // namespace acrobat::cuda
