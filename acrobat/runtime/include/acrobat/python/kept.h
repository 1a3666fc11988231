// What a device caches for prepared instances that are run again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace acrobat {

// An object of a type that the device knows. Thread-safe: several calls may run the same instances.
class Kept {
 public:
  // Whether the run that begins is the second one, which has to make the object: instances that are
  // run only once cost nothing, and only one of several concurrent runs takes the memory.
  bool is_due() { return runs_.fetch_add(1) == 1; }

  std::shared_ptr<void> get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return it_;
  }
  // Sets the object, complete and ready for any run to read; or null, to give it up. An object that
  // was given up lasts until its last reader ends.
  void set(std::shared_ptr<void> it) {
    std::lock_guard<std::mutex> lock(mutex_);
    it_.swap(it);
  }

 private:
  std::atomic<uint64_t> runs_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<void> it_;
};

}  // namespace acrobat
