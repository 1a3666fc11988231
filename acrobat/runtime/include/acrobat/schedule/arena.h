// Memory of one mini-batch: a large reservation of addresses, backed by pages as they are touched,
// reused by later calls once no result points into it.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "../errors.h"
#include "../limits.h"

namespace acrobat {

// Throws if `bytes` more for `what` cannot be had.
void require_memory(int64_t bytes, const char* what);

class Arena {
 public:
  // Numbers that the program turns into tensors lie behind everything else; a GPU's pages (2 MiB)
  // are either theirs or others'.
  static constexpr int64_t kScalarBase = kArenaFloats;

  Arena() {
    void* at = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<float*>(at);
    // Kernels read rows from all over it: 2 MiB pages where the system grants them.
    madvise(at, bytes(), MADV_HUGEPAGE);
  }
  ~Arena() { munmap(base_, bytes()); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  float* base() { return base_; }
  bool weights_placed = false;

  // Throws if the system cannot back the first `floats`; later calls have them.
  void provide(int64_t floats) {
    if (floats <= provided_) return;
    require_memory((floats - provided_) * 4, "its tensors");
    provided_ = floats;
  }

  // Throws if `floats` are more than offsets can address.
  static void require(int64_t floats) {
    if (floats <= kArenaFloats) return;
    throw CapacityError("the mini-batch needs " + std::to_string(floats >> 18) +
                        " MiB for its tensors, and one call can address " +
                        std::to_string(kArenaFloats >> 18) + " MiB; pass fewer instances per call");
  }

 private:
  // Kernels may read a vector past a row.
  static size_t bytes() { return (kArenaFloats + kMaxScalars + 1024) * sizeof(float); }
  float* base_;
  int64_t provided_ = 0;
};

// Hands out arenas that nobody uses. Thread-safe. Must outlive what it hands out, which holds it.
class ArenaPool : public std::enable_shared_from_this<ArenaPool> {
 public:
  std::shared_ptr<Arena> take() {
    std::unique_ptr<Arena> arena;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        arena = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!arena) arena = std::make_unique<Arena>();
    auto pool = shared_from_this();
    return std::shared_ptr<Arena>(arena.release(), [pool](Arena* a) {
      std::lock_guard<std::mutex> lock(pool->mutex_);
      pool->free_.emplace_back(a);
    });
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> free_;
};

}  // namespace acrobat
