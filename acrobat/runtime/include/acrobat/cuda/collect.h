// The values that waiting fibers need, brought to the host in one transfer.
#pragma once

#include <algorithm>
#include <vector>

#include "../fibers/fibers.h"
#include "../schedule/schedule.h"
#include "arena.h"
#include "copy_runs.h"
#include "lane.h"

namespace acrobat::cuda {

// Values that lie near each other are copied with what is between them: 64 KiB take some 3 us, as
// long as a launch. Others are brought together first.
class Collection {
 public:
  // The values of the fibers whose nodes have been scheduled.
  Collection(const std::vector<Fiber*>& waiting, const Schedule& schedule) {
    for (Fiber* f : waiting) {
      if (!schedule.computed(node_of(f->awaited))) continue;
      fibers_.push_back(f);
      from_.push_back(static_cast<uint32_t>(schedule.resolve(f->awaited)));
    }
    if (from_.empty()) return;
    auto [least, most] = std::minmax_element(from_.begin(), from_.end());
    first_ = *least;
    span_ = *most - *least + 1;
    scattered_ = span_ > kNear;
    if (scattered_) span_ = static_cast<uint32_t>(from_.size());
  }

  // Runs that bring them together, or none.
  size_t runs() const { return scattered_ ? from_.size() : 0; }
  int64_t floats() const { return scattered_ ? static_cast<int64_t>(from_.size()) : 0; }
  void write_runs(Run* to) const {
    for (size_t i = 0; i < runs(); i++) to[i] = {from_[i], static_cast<uint32_t>(i), 1};
  }

  // Brings them together, if they are scattered.
  void collect(const DeviceArena& arena, Address runs, Address together, const Lane& lane) const {
    if (!scattered_) return;
    arena.gpu().copy_runs.launch(arena.gpu().driver, together, arena.at(0), runs, from_.size(),
                                 lane.stream);
  }

  // Begins the transfer. `together`: where they are, if they were scattered.
  void enqueue(const DeviceArena& arena, Address together, Lane& lane) const {
    if (from_.empty()) return;
    const Driver& driver = arena.gpu().driver;
    Address source = scattered_ ? together : arena.at(first_);
    size_t bytes = span_ * sizeof(float);
    driver.check(driver.cuMemcpyDtoHAsync(lane.down.provide(bytes), source, bytes, lane.stream),
                 "copying values that decisions wait for");
  }

  // After the transfer: hands the values to the fibers.
  void deliver(const Lane& lane) const {
    const auto* values = reinterpret_cast<const float*>(lane.down.at());
    for (size_t i = 0; i < fibers_.size(); i++) {
      fibers_[i]->value = values[scattered_ ? i : from_[i] - first_];
      fibers_[i]->awaits = false;
    }
  }

 private:
  static constexpr uint32_t kNear = (64 << 10) / sizeof(float);

  std::vector<Fiber*> fibers_;
  std::vector<uint32_t> from_;  // floats from the arena's base
  uint32_t first_ = 0, span_ = 0;
  bool scattered_ = false;
};

}  // namespace acrobat::cuda
