// The memory of one mini-batch on a GPU. Its addresses are reserved once and backed by memory as
// the mini-batch grows, so that computed values stay where they are. It is reused by later calls
// once no result lies in it.
//
//   [weights | tensors of the instances | records ... | of one computation ]
//   and, from Arena::kScalarBase on, numbers that the program turned into tensors.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "../python/kept.h"
#include "gpu.h"

namespace acrobat::cuda {

class DeviceArena {
 public:
  explicit DeviceArena(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {
    Gpu::Use use(*gpu_);
    properties_.location.id = gpu_->ordinal;
    size_t page = 0;
    driver().check(driver().cuMemGetAllocationGranularity(&page, &properties_, 0),
                   "asking for the size of a page");
    page_ = static_cast<int64_t>(page);
    numbers_.begin = records_.limit = Arena::kScalarBase * kFloat;
    numbers_.limit = up(kMaxScalars * kFloat);
    driver().check(driver().cuMemAddressReserve(&base_, size(), 0, 0, 0), "reserving addresses");
  }
  ~DeviceArena() {
    Gpu::Use use(*gpu_);
    // Leak memory that others may still be reading. If the context is broken, their work has ended.
    Result r = wait_for_others();
    if (r != kSuccess && !Driver::sticky(r)) return;
    for (Range* range : {&records_, &numbers_}) {
      int64_t at = range->begin;
      for (int64_t bytes : range->chunks) {
        driver().cuMemUnmap(base_ + at, bytes);
        at += bytes;
      }
    }
    driver().cuMemAddressFree(base_, size());
  }
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  Address at(int64_t floats) const { return base_ + floats * kFloat; }
  Gpu& gpu() const { return *gpu_; }

  bool weights_placed = false;
  // Another library was given an address in this arena, and may have work in progress that we
  // cannot see, even if it has released the result.
  bool exported = false;

  // To be called before the memory is reused. Needs the context. The driver may refuse for a while,
  // for example while a stream is being captured into a graph: the arena then stays exported.
  Result wait_for_others() {
    Result r = exported ? driver().cuCtxSynchronize() : kSuccess;
    if (r == kSuccess) exported = false;
    return r;
  }

  // Back the first floats, or the first numbers. Return the bytes that are missing, 0 on success.
  int64_t provide(int64_t floats) { return grow(records_, floats * kFloat); }
  int64_t provide_numbers(int64_t n) {
    return n == 0 ? 0 : grow(numbers_, (Arena::kScalarBase + n) * kFloat - numbers_.begin);
  }

 private:
  static constexpr int64_t kFloat = sizeof(float);
  // Growing by less would ask the driver too often.
  static constexpr int64_t kLeast = int64_t{16} << 20;

  // A part of the address range, backed from its beginning.
  struct Range {
    int64_t begin = 0, limit = 0, backed = 0;  // bytes
    std::vector<int64_t> chunks;
  };

  const Driver& driver() const { return gpu_->driver; }
  int64_t up(int64_t bytes) const { return (bytes + page_ - 1) / page_ * page_; }
  size_t size() const { return static_cast<size_t>(numbers_.begin + numbers_.limit); }

  int64_t grow(Range& range, int64_t bytes) {
    if (bytes <= range.backed) return 0;
    int64_t least = up(bytes) - range.backed;
    int64_t ample = std::max(least, up(std::max(range.backed / 2, kLeast)));
    ample = std::min(ample, range.limit - range.backed);
    if (back(range, ample) || (least < ample && back(range, least))) return 0;
    return least;
  }

  // Backs `bytes` more of a range. False if there is no memory for them.
  bool back(Range& range, int64_t bytes) {
    Allocation memory;
    Address at = base_ + range.begin + range.backed;
    auto size = static_cast<size_t>(bytes);
    Result r = driver().cuMemCreate(&memory, size, &properties_, 0);
    if (r == kOutOfMemory) return false;
    driver().check(r, "taking memory");
    // The mapping keeps the memory alive.
    r = driver().cuMemMap(at, size, 0, memory, 0);
    driver().cuMemRelease(memory);
    driver().check(r, "mapping memory");
    Access access{properties_.location};
    r = driver().cuMemSetAccess(at, size, &access, 1);
    if (r != kSuccess) driver().cuMemUnmap(at, size);
    if (r == kOutOfMemory) return false;
    driver().check(r, "making memory accessible");
    range.chunks.push_back(bytes);
    range.backed += bytes;
    return true;
  }

  std::shared_ptr<Gpu> gpu_;
  AllocationProperties properties_;
  int64_t page_ = 0;
  Address base_ = 0;
  Range records_, numbers_;
};

// Hands out arenas that are not in use. Thread-safe. Arenas that it hands out keep it alive.
class DeviceArenaPool : public std::enable_shared_from_this<DeviceArenaPool> {
 public:
  explicit DeviceArenaPool(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  std::shared_ptr<DeviceArena> take() {
    std::unique_ptr<DeviceArena> arena;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        arena = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!arena) arena = std::make_unique<DeviceArena>(gpu_);
    auto pool = shared_from_this();
    std::shared_ptr<DeviceArena> taken(arena.release(), [pool](DeviceArena* a) {
      std::lock_guard<std::mutex> lock(pool->mutex_);
      pool->free_.emplace_back(a);
    });
    Gpu::Use use(*gpu_);
    // If this fails, the arena goes back to the pool, and the next call to take it waits.
    gpu_->driver.check(taken->wait_for_others(), "waiting for users of earlier results");
    return taken;
  }

  // Adds something that may be given up when a mini-batch needs memory.
  void add(std::weak_ptr<Kept> kept) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(kept_, [](const auto& k) { return k.expired(); });
    kept_.push_back(std::move(kept));
  }

  // Backs the first `floats` and `numbers` of an arena; throws if the GPU cannot, even after unused
  // arenas and everything that is kept have been dropped. Needs the context.
  void provide(DeviceArena& arena, int64_t floats, int64_t numbers) {
    auto missing = [&] {
      int64_t bytes = arena.provide(floats);
      return bytes != 0 ? bytes : arena.provide_numbers(numbers);
    };
    if (missing() == 0) return;
    drop_arenas();
    if (missing() == 0) return;
    drop_kept();
    int64_t bytes = missing();
    if (bytes == 0) return;
    lack_memory(*gpu_, "the mini-batch needs", bytes, "more on the GPU for its tensors",
                "; pass fewer instances per call");
  }

 private:
  void drop_arenas() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(free_, [](const auto& arena) { return arena->wait_for_others() == kSuccess; });
  }
  void drop_kept() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& weak : std::exchange(kept_, {})) {
      if (auto kept = weak.lock()) kept->set(nullptr);
    }
  }

  std::shared_ptr<Gpu> gpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DeviceArena>> free_;
  std::vector<std::weak_ptr<Kept>> kept_;
};

}  // namespace acrobat::cuda
