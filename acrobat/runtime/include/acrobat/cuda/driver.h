// The CUDA driver API, opened when a program for a GPU is created. The parts of cuda.h that we use
// are declared here, so that programs build without a toolkit and run where there is no driver.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "../schedule/arena.h"

namespace acrobat::cuda {

using Result = int;
using Address = unsigned long long;     // CUdeviceptr
using Allocation = unsigned long long;  // CUmemGenericAllocationHandle
using DriverContext = void*;
using Module = void*;
using Function = void*;
using Stream = void*;
using Event = void*;

constexpr Result kSuccess = 0, kOutOfMemory = 2;
constexpr unsigned kStreamNonBlocking = 1, kHostDeviceMap = 2;
constexpr int kMaxDynamicSharedBytes = 8;  // a function's attribute
// A device's attributes.
constexpr int kMultiprocessors = 16, kComputeMajor = 75, kCooperativeLaunch = 95,
              kVirtualMemory = 102;

// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc.
struct Location {
  int type = 1, id = 0;  // a device
};
struct AllocationProperties {
  int type = 1, handle_types = 0;  // page-locked there, for this process
  Location location;
  void* win32 = nullptr;
  unsigned char flags[8] = {};
};
struct Access {
  Location location;
  int flags = 3;  // read and write
};
static_assert(sizeof(AllocationProperties) == 32 && sizeof(Access) == 12);

// CUlaunchAttribute, CUlaunchConfig.
struct LaunchAttribute {
  int id = 6;  // programmatic stream serialization
  int free = 0, allowed = 1;
  unsigned char rest[60] = {};
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned n;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// The functions by their names in the library.
#define ACROBAT_CUDA_FUNCTIONS(F)                                                               \
  F(cuInit, "cuInit", (unsigned))                                                               \
  F(cuGetErrorName, "cuGetErrorName", (Result, const char**))                                   \
  F(cuGetErrorString, "cuGetErrorString", (Result, const char**))                               \
  F(cuDeviceGet, "cuDeviceGet", (int*, int))                                                    \
  F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, int))                             \
  F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (DriverContext*, int))                \
  F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int))                           \
  F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (DriverContext))                                   \
  F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (DriverContext*))                                    \
  F(cuCtxSynchronize, "cuCtxSynchronize", ())                                                   \
  F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t*, size_t*))                                        \
  F(cuMemAlloc, "cuMemAlloc_v2", (Address*, size_t))                                            \
  F(cuMemFree, "cuMemFree_v2", (Address))                                                       \
  F(cuMemHostAlloc, "cuMemHostAlloc", (void**, size_t, unsigned))                               \
  F(cuMemFreeHost, "cuMemFreeHost", (void*))                                                    \
  F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (Address*, void*, unsigned))     \
  F(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                             \
    (size_t*, const AllocationProperties*, int))                                                \
  F(cuMemAddressReserve, "cuMemAddressReserve",                                                 \
    (Address*, size_t, size_t, Address, unsigned long long))                                    \
  F(cuMemAddressFree, "cuMemAddressFree", (Address, size_t))                                    \
  F(cuMemCreate, "cuMemCreate",                                                                 \
    (Allocation*, size_t, const AllocationProperties*, unsigned long long))                     \
  F(cuMemRelease, "cuMemRelease", (Allocation))                                                 \
  F(cuMemMap, "cuMemMap", (Address, size_t, size_t, Allocation, unsigned long long))            \
  F(cuMemUnmap, "cuMemUnmap", (Address, size_t))                                                \
  F(cuMemSetAccess, "cuMemSetAccess", (Address, size_t, const Access*, size_t))                 \
  F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (Address, const void*, size_t))                            \
  F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, Address, size_t))                                  \
  F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (Address, const void*, size_t, Stream))          \
  F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, Address, size_t, Stream))                \
  F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (Address, Address, size_t, Stream))              \
  F(cuStreamCreate, "cuStreamCreate", (Stream*, unsigned))                                      \
  F(cuStreamDestroy, "cuStreamDestroy_v2", (Stream))                                            \
  F(cuStreamSynchronize, "cuStreamSynchronize", (Stream))                                       \
  F(cuEventCreate, "cuEventCreate", (Event*, unsigned))                                         \
  F(cuEventDestroy, "cuEventDestroy_v2", (Event))                                               \
  F(cuEventRecord, "cuEventRecord", (Event, Stream))                                            \
  F(cuEventElapsedTime, "cuEventElapsedTime", (float*, Event, Event))                           \
  F(cuModuleLoad, "cuModuleLoad", (Module*, const char*))                                       \
  F(cuModuleLoadData, "cuModuleLoadData", (Module*, const void*))                               \
  F(cuModuleUnload, "cuModuleUnload", (Module))                                                 \
  F(cuModuleGetFunction, "cuModuleGetFunction", (Function*, Module, const char*))               \
  F(cuFuncSetAttribute, "cuFuncSetAttribute", (Function, int, int))                             \
  F(cuLaunchKernel, "cuLaunchKernel",                                                           \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,    \
     void**, void**))                                                                           \
  F(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",                                     \
    (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream,    \
     void**))                                                                                   \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
    (int*, Function, int, size_t))

struct Driver {
#define ACROBAT_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters = nullptr;
  ACROBAT_CUDA_FUNCTIONS(ACROBAT_CUDA_MEMBER)
#undef ACROBAT_CUDA_MEMBER
  // Null before CUDA 11.8.
  Result (*cuLaunchKernelEx)(const LaunchConfig*, Function, void**, void**) = nullptr;

  // Opens the library (`ACROBAT_LIBCUDA`, else the system's), which stays open. Throws if there is
  // none or a function is missing.
  Driver() {
    const char* chosen = std::getenv("ACROBAT_LIBCUDA");
    const char* path = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw DeviceFault(std::string("there is no NVIDIA driver: ") + dlerror());
    }
    auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function != nullptr) return;
      throw DeviceFault(std::string(path) + " has no " + name +
                        ": the driver is older than CUDA 11.0; install a newer one");
    };
#define ACROBAT_CUDA_FIND(name, symbol, parameters) find(name, symbol);
    ACROBAT_CUDA_FUNCTIONS(ACROBAT_CUDA_FIND)
#undef ACROBAT_CUDA_FIND
    cuLaunchKernelEx =
        reinterpret_cast<decltype(cuLaunchKernelEx)>(dlsym(library, "cuLaunchKernelEx"));
    check(cuInit(0), "initialising the driver");
  }

  void check(Result r, const char* what) const {
    if (r != kSuccess) fail(r, what);
  }

  // Errors of a kernel or of the device that the context does not survive.
  static bool sticky(Result r) {
    constexpr Result kUncorrectable = 214, kNvlink = 220, kIllegalAddress = 700, kTimeout = 702,
                     kAssert = 710, kFirstTrap = 714, kLaunchFailed = 719;
    return r == kUncorrectable || r == kNvlink || r == kIllegalAddress || r == kTimeout ||
           r == kAssert || (r >= kFirstTrap && r <= kLaunchFailed);
  }

  // Throws the exception for `r`: CapacityError if memory was short, else DeviceFault. `more` is
  // added to the message of an error that the context does not survive.
  [[noreturn]] void fail(Result r, const std::string& what, const char* more = "") const {
    const char *name = nullptr, *text = nullptr;
    cuGetErrorName(r, &name);
    cuGetErrorString(r, &text);
    std::string message = "CUDA: " + what +
                          " failed: " + (name != nullptr ? name : "error " + std::to_string(r)) +
                          (text != nullptr ? std::string(" (") + text + ")" : "");
    if (r == kOutOfMemory) throw CapacityError(message);
    if (sticky(r))
      message += std::string(more) + "; this process can use the GPU no more: start a new one";
    throw DeviceFault(message);
  }
};

}  // namespace acrobat::cuda
