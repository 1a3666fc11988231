// Results of a mini-batch that stay on a GPU: the basis of Python's DeviceMemory and DeviceArray
// (runtime/device_array.py). Needs the GIL, except where it says otherwise.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../python/convert.h"
#include "../python/results.h"
#include "arena.h"
#include "copy_runs.h"

namespace acrobat::cuda {

// The results of one mini-batch: where they lie, in the order in which they were made.
class ResultMemory {
 public:
  ResultMemory(std::shared_ptr<DeviceArenaPool> pool, std::shared_ptr<DeviceArena> arena,
               int64_t used)
      : pool_(std::move(pool)), arena_(std::move(arena)), used_(used) {}

  // Adds a tensor; returns the float at which it begins once all of them are copied to the host.
  int64_t add(int64_t offset, int64_t floats) {
    int64_t start = total_;
    runs_.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(start),
                     static_cast<uint32_t>(floats)});
    total_ += floats;
    return start;
  }
  int64_t total() const { return total_; }
  Address address(int64_t offset) const { return arena_->at(offset); }
  int ordinal() const { return arena_->gpu().ordinal; }
  // From now on others may use the memory without our knowledge.
  void note_export() { arena_->exported = true; }

  // Without the GIL: copies all tensors to `to`, one after the other, in one transfer. The results
  // are complete, so the only stream to wait for is the one on which others may have changed them:
  // the default stream, in whose order the copy is done.
  void copy_to_host(float* to) {
    std::lock_guard<std::mutex> lock(mutex_);
    const Gpu& gpu = arena_->gpu();
    Gpu::Use use(gpu);
    int64_t together = used_ + static_cast<int64_t>(runs_.size() * sizeof(Run) / sizeof(float));
    if (runs_.size() == 1 || !provide(together + total_)) {
      for (const Run& run : runs_) copy(to + run.to, arena_->at(run.from), run.length);
      return;
    }
    const Driver& driver = gpu.driver;
    driver.check(driver.cuMemcpyHtoD(arena_->at(used_), runs_.data(), runs_.size() * sizeof(Run)),
                 "copying where results lie");
    gpu.copy_runs.launch(driver, arena_->at(together), arena_->at(0), arena_->at(used_),
                         runs_.size(), nullptr);
    copy(to, arena_->at(together), total_);
  }

 private:
  // Whether there is room to gather the results; if not, they are copied one by one.
  bool provide(int64_t floats) {
    if (floats > kArenaFloats) return false;
    try {
      pool_->provide(*arena_, floats, 0);
    } catch (const CapacityError&) {
      return false;
    }
    return true;
  }
  void copy(float* to, Address from, int64_t floats) const {
    const Driver& driver = arena_->gpu().driver;
    driver.check(driver.cuMemcpyDtoH(to, from, static_cast<size_t>(floats) * sizeof(float)),
                 "copying results to the host");
  }

  std::shared_ptr<DeviceArenaPool> pool_;
  std::shared_ptr<DeviceArena> arena_;
  int64_t used_;
  std::vector<Run> runs_;
  int64_t total_ = 0;
  std::mutex mutex_;
};

// Held in a capsule, so that Python and exported tensors can share it.
using SharedResults = std::shared_ptr<ResultMemory>;

// Makes DeviceArrays of tensors.
class DeviceTensors {
 public:
  // `memory` is a callable: memory(capsule) -> DeviceMemory.
  DeviceTensors(std::shared_ptr<DeviceArenaPool> pool, std::shared_ptr<DeviceArena> arena,
                int64_t used, PyObject* memory)
      : results_(std::make_shared<ResultMemory>(std::move(pool), std::move(arena), used)) {
    PyObject* capsule = PyCapsule_New(new SharedResults(results_), nullptr, destroy<SharedResults>);
    if (capsule != nullptr) memory_ = PyObject_CallFunction(memory, "N", capsule);
  }
  ~DeviceTensors() { Py_XDECREF(memory_); }
  DeviceTensors(const DeviceTensors&) = delete;
  DeviceTensors& operator=(const DeviceTensors&) = delete;

  // A shared tensor needs no copy here: DeviceArray says that nobody may write to it.
  PyObject* make(int64_t offset, const FieldType& type, bool /*shared*/) {
    if (memory_ == nullptr) return nullptr;
    PyObject* shape = PyTuple_New(type.rank);
    for (int i = 0; shape != nullptr && i < type.rank; i++) {
      PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(type.dims[i]));
    }
    if (shape == nullptr) return nullptr;
    return PyObject_CallMethod(memory_, "tensor", "LKN",
                               static_cast<long long>(results_->add(offset, type.size())),
                               results_->address(offset), shape);
  }

 private:
  SharedResults results_;
  PyObject* memory_ = nullptr;
};

}  // namespace acrobat::cuda
