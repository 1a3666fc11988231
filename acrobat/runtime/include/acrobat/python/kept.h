// What a device caches with prepared instances that are run again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace acrobat {

// Of a type that the device knows. Thread-safe: several calls may run the same instances.
class Kept {
 public:
  // Whether the run that begins is the second one, which is to make it: instances that are run
  // once cost nothing, and only one of several runs at a time takes the memory.
  bool is_due() { return runs_.fetch_add(1) == 1; }

  std::shared_ptr<void> get() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return it_;
  }
  // Complete, for any run to read; or null: it is given up, and lasts until its last reader ends.
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
