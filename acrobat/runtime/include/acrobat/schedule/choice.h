// Which schedule a program's mini-batches get, if that is left to it: inline depth, which costs
// next to nothing, unless lookahead makes so much fewer batches of them that it pays.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace acrobat {

// What a device makes of a schedule: what a batch takes beside its nodes, and what nodes take.
struct Costs {
  int64_t batch_ns, work_per_ns;
};

// The nodes of a mini-batch, or of one flush, and their batches by either schedule.
struct Compared {
  int64_t nodes = 0, work = 0, inline_depth = 0, lookahead = 0;

  // To look ahead at a node (measured: 35 to 70), and to record and run one without arithmetic.
  static constexpr int64_t kLookNs = 40, kNodeNs = 100;

  // Whether there are far fewer batches by lookahead, and these save what it takes, but for a
  // sixteenth of everything.
  bool pays(const Costs& costs) const {
    const int64_t saved = inline_depth - lookahead;
    const int64_t all = nodes * kNodeNs + work / costs.work_per_ns;
    return 5 * saved >= inline_depth && nodes * kLookNs <= saved * costs.batch_ns + all / 16;
  }
};

// What is known from earlier mini-batches of about the same size. Calls of several threads may
// each look, or none of them: that changes times, not results.
class Choice {
 public:
  // Whether to look ahead at a mini-batch of `instances`.
  bool looks(size_t instances) {
    std::atomic<int32_t>& wait = wait_[size_of(instances)];
    const int32_t now = wait.load(std::memory_order_relaxed);
    if (now <= 0) return true;
    wait.store(now - 1, std::memory_order_relaxed);
    return false;
  }

  // What a look has found. Where it does not pay, so many mini-batches go by before the next one;
  // where it did, not before it has failed as often as that.
  void note(size_t instances, bool pays) {
    std::atomic<int32_t>& wait = wait_[size_of(instances)];
    const int32_t now = wait.load(std::memory_order_relaxed);
    if (pays) {
      wait.store(-kPatience, std::memory_order_relaxed);
    } else {
      wait.store(now < 0 ? now + 1 : kPause, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr int32_t kPatience = 3, kPause = 63;

  static size_t size_of(size_t instances) { return static_cast<size_t>(std::bit_width(instances)); }

  std::array<std::atomic<int32_t>, 65> wait_{};
};

}  // namespace acrobat
