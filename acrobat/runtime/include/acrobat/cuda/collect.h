// The values that waiting fibers need. The last kernel of a computation stores them in page-locked
// memory of the host, so that the host waits only for kernels and no copy follows them. The end of
// a kernel is a release at system scope, so the host sees what the kernel has stored there once it
// has waited for that; it does not look before.
#pragma once

#include <vector>

#include "../fibers/fibers.h"
#include "../schedule/schedule.h"
#include "arena.h"
#include "copy_runs.h"
#include "lane.h"

namespace acrobat::cuda {

class Collection {
 public:
  // Collects the values of fibers whose nodes have been scheduled; makes room for them in `lane`.
  Collection(const std::vector<Fiber*>& waiting, const Schedule& schedule, Lane& lane) {
    for (Fiber* f : waiting) {
      if (!schedule.computed(node_of(f->awaited))) continue;
      fibers_.push_back(f);
      from_.push_back(static_cast<uint32_t>(schedule.resolve(f->awaited)));
    }
    if (!from_.empty()) lane.down.provide(from_.size() * sizeof(float));
  }

  // The runs that copy the values to the host, one float each.
  size_t runs() const { return from_.size(); }
  void write_runs(Run* to) const {
    for (size_t i = 0; i < runs(); i++) to[i] = {from_[i], static_cast<uint32_t>(i), 1};
  }

  // Launches the kernel that copies.
  void store(const DeviceArena& arena, Address runs, const Lane& lane) const {
    if (from_.empty()) return;
    arena.gpu().copy_runs.launch(arena.gpu().driver, lane.down.on_gpu(), arena.at(0), runs,
                                 from_.size(), lane.stream);
  }

  // To be called after the wait: hands the values to the fibers.
  void deliver(const Lane& lane) const {
    const auto* values = reinterpret_cast<const float*>(lane.down.at());
    for (size_t i = 0; i < fibers_.size(); i++) {
      fibers_[i]->value = values[i];
      fibers_[i]->awaits = false;
    }
  }

 private:
  std::vector<Fiber*> fibers_;
  std::vector<uint32_t> from_;  // floats from the arena's base
};

}  // namespace acrobat::cuda
