// The persistent kernel: one launch runs a whole schedule, with as many thread blocks as the GPU
// holds at once.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "gpu.h"
#include "kernels.h"
#include "machine_code.h"
#include "modules.h"

namespace acrobat::cuda {

class PersistentKernel {
 public:
  // What an error of the GPU may mean (`await_others` in device_functions.py).
  static constexpr const char* kEndsItself =
      "; the persistent kernel ends so, too, if a thread block has waited for the others for some "
      "seconds: if that is what happened, use Options.gpu_mode='launches'";
  PersistentKernel(const std::shared_ptr<Gpu>& gpu, const PersistentKernelCode& code)
      : gpu_(*gpu),
        code_(gpu),
        threads_(static_cast<unsigned>(code.warps) * kWarp),
        shared_(static_cast<unsigned>(code.shared)) {
    Gpu::Use use(gpu_);
    if (gpu_.attribute(kCooperativeLaunch) == 0) {
      throw DeviceFault("GPU " + std::to_string(gpu_.ordinal) +
                        " has no cooperative launches, which Options.gpu_mode='persistent' needs; "
                        "use 'launches'");
    }
    function_ = code_.find(code.cubin, code.symbol, shared_, "the persistent kernel");
    int each = 0;
    const Driver& driver = gpu_.driver;
    driver.check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                     &each, function_, static_cast<int>(threads_), shared_),
                 "asking how many programs a multiprocessor holds");
    resident_ = int64_t{each} * gpu_.attribute(kMultiprocessors);
    if (resident_ == 0) {
      throw DeviceFault("GPU " + std::to_string(gpu_.ordinal) +
                        " has no room for the persistent kernel (" + std::to_string(shared_) +
                        " bytes of shared memory); use Options.gpu_mode='launches'");
    }
  }

  // Runs `steps` steps of a table; `tiles` is the most tiles between two grid barriers.
  void launch(Address table, size_t steps, int64_t tiles, Stream stream) const {
    auto programs = static_cast<unsigned>(std::clamp<int64_t>(tiles, 1, resident_));
    auto begin = int32_t{0}, end = static_cast<int32_t>(steps);
    Address null = 0;
    void* parameters[] = {&table, &begin, &end, &null, &null};
    const Driver& driver = gpu_.driver;
    Result r = driver.cuLaunchCooperativeKernel(function_, programs, 1, 1, threads_, 1, 1, shared_,
                                                stream, parameters);
    if (r != kSuccess) {
      driver.fail(r, "launching the persistent kernel with " + std::to_string(programs) +
                         " programs (" + std::to_string(shared_) + " bytes of shared memory)");
    }
  }

 private:
  const Gpu& gpu_;
  MachineCode code_;
  unsigned threads_, shared_;
  Function function_ = nullptr;
  int64_t resident_ = 0;  // programs that the GPU holds at once
};

}  // namespace acrobat::cuda
