// The memory of one mini-batch: an address range that grows with it, is backed by pages as they are
// touched, and is reused by later calls once no result points into it.
//
//   [numbers that became tensors | weights | tensors of the instances | records ...]
//                                ^ base, from which offsets count
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../errors.h"
#include "../forked.h"
#include "../limits.h"
#include "../memory.h"

namespace acrobat {

class Arena {
 public:
  // Where the numbers that the program turns into tensors begin. On a GPU, whose pages of 2 MiB
  // hold either numbers or other data, that is behind everything else (kScalarBase).
  static constexpr int64_t kNumbers = -kMaxScalars;
  static constexpr int64_t kScalarBase = kArenaFloats;

  Arena() {
    for (capacity_ = kFirst; capacity_ >= kLeast; capacity_ /= 2) {
      map_ = mmap(nullptr, bytes(capacity_), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (map_ != MAP_FAILED) return;
    }
    throw CapacityError("there are no addresses for the tensors of the mini-batch: " + advice());
  }
  ~Arena() { munmap(map_, bytes(capacity_)); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  float* base() { return static_cast<float*>(map_) + kMaxScalars; }
  // The version of the weights at its beginning, if it holds all of them, and the versions of
  // pieces of weights that were placed separately (cpu/arena_weights.h).
  int64_t weights_version = -1;
  std::vector<int64_t> piece_versions{};

  // Makes the first `floats` usable; their contents may have moved. CapacityError if the system
  // cannot back them, or the call's option does not allow them.
  void provide(int64_t floats) {
    if (floats <= provided_) return require_allowed(floats * kFloat, "its tensors");
    take_memory((floats - provided_) * kFloat, "its tensors");
    require_allowed(floats * kFloat, "its tensors");
    if (floats > capacity_) grow(floats);
    ask_for_large_pages(floats);
    provided_ = floats;
  }

  // Results lie in the first `floats` and keep the arena alive: gives the rest back, if it is much.
  void keep(int64_t floats) {
    if (capacity_ <= 4 * floats + kLeast && provided_ <= 2 * floats + kLeast) return;
    if (!resize(floats)) return;
    provided_ = std::min(provided_, floats);
  }

  // Throws if `floats` is more than offsets can address.
  static void require(int64_t floats) {
    if (floats <= kArenaFloats) return;
    throw CapacityError("the mini-batch needs " + std::to_string(floats >> 18) +
                        " MiB for its tensors, and one call can address " +
                        std::to_string(kArenaFloats >> 18) + " MiB; pass fewer instances per call");
  }

 private:
  static constexpr int64_t kFloat = sizeof(float);
  // Floats of a new arena, and of the smallest one; and the number of floats from which on pages of
  // 2 MiB pay and do not turn a small result that is kept into a large one.
  static constexpr int64_t kFirst = int64_t{16} << 20, kLeast = int64_t{1} << 16,
                           kLarge = int64_t{1} << 20;

  static std::string advice() {
    return "the process has used up its addresses (ulimit -v) or its mappings "
           "(vm.max_map_count): drop results that are kept, or copy what you need of them";
  }

  // Kernels may read one vector past a row.
  static size_t bytes(int64_t floats) {
    return static_cast<size_t>((kMaxScalars + floats + 1024) * kFloat + 4095) / 4096 * 4096;
  }

  bool resize(int64_t floats) {
    void* at = mremap(map_, bytes(capacity_), bytes(floats), MREMAP_MAYMOVE);
    if (at == MAP_FAILED) return false;
    map_ = at;
    capacity_ = floats;
    return true;
  }

  // Doubles the capacity, or provides just the floats that are needed if addresses run out.
  void grow(int64_t floats) {
    if (resize(std::min(std::max(floats, 2 * capacity_), kArenaFloats)) || resize(floats)) return;
    throw CapacityError("the mini-batch needs " + std::to_string(floats >> 18) +
                        " MiB of addresses for its tensors, and " + advice() +
                        "; or pass fewer instances per call");
  }

  // Asks for 2 MiB pages, because kernels read rows from all over the arena. Memory that was
  // touched before stays in small pages, unless the system can collapse these into large ones.
  void ask_for_large_pages(int64_t floats) {
    if (large_pages_ || floats < kLarge) return;
    large_pages_ = true;
    madvise(map_, bytes(capacity_), MADV_HUGEPAGE);
#ifdef MADV_COLLAPSE
    const auto page = uintptr_t{2} << 20;
    const auto from = (reinterpret_cast<uintptr_t>(base()) + page - 1) / page * page;
    const auto end = reinterpret_cast<uintptr_t>(base() + provided_) / page * page;
    if (from < end) madvise(reinterpret_cast<void*>(from), end - from, MADV_COLLAPSE);
#endif
  }

  void* map_ = MAP_FAILED;
  int64_t capacity_ = 0, provided_ = 0;
  bool large_pages_ = false;
};

// Hands out arenas that are not in use. Thread-safe. Arenas that it hands out keep it alive.
class ArenaPool : public std::enable_shared_from_this<ArenaPool> {
 public:
  ArenaPool() { free_.reserve(kMost); }

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
    // A forked child must not touch the lock: see PerProcess.
    return std::shared_ptr<Arena>(arena.release(), [pool, of = generation()](Arena* a) {
      std::unique_ptr<Arena> own(a);
      if (of == generation()) pool->give(std::move(own));
    });
  }

  // Gives the memory of unused arenas back to the system.
  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.clear();
  }

 private:
  // The most arenas that are kept for later calls. Without a limit, the memory of results that were
  // kept for long would never be freed.
  static constexpr size_t kMost = 16;

  void give(std::unique_ptr<Arena> arena) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_.size() < kMost) free_.push_back(std::move(arena));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> free_;
};

}  // namespace acrobat
