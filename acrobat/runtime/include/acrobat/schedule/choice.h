// Which schedule mini-batches get with scheduler="auto": inline depth, which costs next to nothing,
// unless lookahead, or replaying a block order that it found before, saves so many batches that it
// pays.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "batch.h"
#include "order.h"

namespace acrobat {

// What a schedule costs on a device: the overhead of a batch, and the work of nodes that it does
// per nanosecond. `roomy`: whether a batch may have room for more nodes than it has (a GPU would
// have to be sent the unused room, too).
struct Costs {
  int64_t batch_ns, work_per_ns;
  bool roomy = false;
};

// The nodes of a mini-batch, or of one flush, and the number of their batches by either schedule.
struct Compared {
  int64_t nodes = 0, work = 0, inline_depth = 0, lookahead = 0;

  // Nanoseconds per node: to look ahead (measured: 35 to 70), to place it by a known block order
  // (5 to 7), and to record and run it without arithmetic.
  static constexpr int64_t kLookNs = 40, kFollowNs = 8, kNodeNs = 100;

  // Whether lookahead needs far fewer batches, and its cost of `node_ns` per node exceeds the time
  // that this saves by at most a sixteenth of the total.
  bool pays(const Costs& costs, int64_t node_ns = kLookNs) const {
    const int64_t saved = inline_depth - lookahead;
    const int64_t all = nodes * kNodeNs + work / costs.work_per_ns;
    return 5 * saved >= inline_depth && nodes * node_ns <= saved * costs.batch_ns + all / 16;
  }
};

// How to schedule a mini-batch, and what came of it. Orders are for programs whose mini-batches are
// scheduled as one graph; `follows` says whether this is one, and `places` whether its nodes may be
// placed while they are recorded. `order`: the order to follow, or null; afterwards, the order to
// follow from now on. `looks`: whether to look ahead if there is none; `looked`: whether it did.
// `rests`: for how many mini-batches an order is kept even if it does not fit them. `renewed`: it
// did not fit. `rooms`: those of the order's positions, or if there is no order those of the
// buckets, or null; `enlarged`: they have changed.
struct Advice {
  Scheduler scheduler = Scheduler::kInlineDepth;
  bool looks = false, follows = false, places = false;
  bool looked = false, renewed = false, enlarged = false;
  int32_t rests = 0;
  std::shared_ptr<const Order> order{};
  std::shared_ptr<const Rooms> rooms{};
  Compared found{};

  // Mini-batches between two looks that do not pay: averaged over them, a look costs a few ns per
  // node.
  static constexpr int32_t kRest = 7;
  static constexpr uint32_t kMoreNodes = 16;

  // Whether `batches` is far more than the order was found with, so that the mini-batch should get
  // an order of its own.
  bool misfits(int64_t batches) const {
    return rests == 0 && 4 * batches > 5 * static_cast<int64_t>(order->size());
  }

  // Makes room for a quarter more nodes than each batch of the mini-batch had, plus some, but for
  // no less than before. `counts`: their numbers, by phase and bucket.
  void make_rooms(const std::vector<std::vector<uint32_t>>& counts) {
    int64_t nodes = 0, batches = 0;
    std::vector<std::vector<uint32_t>> made(counts.size());
    for (size_t phase = 0; phase < counts.size(); phase++) {
      const auto& count = counts[phase];
      size_t end = count.size();
      while (end > 0 && count[end - 1] == 0) end--;
      for (size_t b = 0; b < end; b++) {
        nodes += count[b];
        batches += count[b] > 0;
        made[phase].push_back(count[b] > 0 ? enlarge(count[b]) : 0);
      }
    }
    // Much of the memory that small batches are given would remain unused.
    if (nodes < batches * kLeastNodes) return;
    keep_largest(std::move(made));
  }

  // The same by an order; `nodes`: their numbers, by position and block.
  void make_rooms(const std::vector<uint32_t>& nodes, size_t n_blocks) {
    std::vector<uint32_t> made(nodes.size() / n_blocks);
    for (size_t p = 0; p < made.size(); p++) {
      const auto here = nodes.begin() + static_cast<std::ptrdiff_t>(p * n_blocks);
      made[p] = enlarge(std::accumulate(here, here + static_cast<std::ptrdiff_t>(n_blocks), 0u));
    }
    keep_largest({std::move(made)});
  }

 private:
  static constexpr int64_t kLeastNodes = 8;

  static uint32_t enlarge(uint32_t nodes) { return nodes + nodes / 4 + kMoreNodes; }

  void keep_largest(std::vector<std::vector<uint32_t>> made) {
    for (size_t phase = 0; rooms != nullptr && phase < made.size(); phase++) {
      const auto& before = rooms->nodes[phase];
      auto& now = made[phase];
      now.resize(std::max(now.size(), before.size()));
      for (size_t i = 0; i < before.size(); i++) now[i] = std::max(now[i], before[i]);
    }
    rooms = std::make_shared<const Rooms>(std::move(made));
    enlarged = true;
  }
};

// What is known from earlier mini-batches of about the same size. When several threads call, each
// of them may look ahead, or none: that affects times, not results.
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

  // How to schedule a mini-batch of `instances`, which is one graph if it is `whole`.
  Advice advise(size_t instances, bool whole, Scheduler scheduler) {
    const bool may_look = scheduler == Scheduler::kAuto;
    Advice advice{.scheduler = scheduler, .follows = whole && may_look};
    advice.places = whole && (may_look || scheduler == Scheduler::kInlineDepth);
    if (advice.places) {
      std::lock_guard<std::mutex> lock(mutex_);
      Known& known = known_[size_of(instances)];
      advice.order = known.order;
      advice.rooms = known.rooms;
      advice.rests = known.rests;
      if (known.rests > 0) known.rests--;
    }
    advice.looks = may_look && advice.order == nullptr && looks(instances);
    return advice;
  }

  // Notes what came of the advice.
  void note(size_t instances, Advice&& advice, const Costs& costs) {
    if (!advice.looked && !advice.enlarged) return;
    const bool looking_pays = advice.found.pays(costs);
    if (advice.follows || advice.places) {
      std::lock_guard<std::mutex> lock(mutex_);
      Known& known = known_[size_of(instances)];
      // Another thread's call may have found another order meanwhile, which has its own rooms.
      if (advice.looked || known.order == advice.order) known.rooms = std::move(advice.rooms);
      if (!advice.looked) return;
      known.order = std::move(advice.order);
      known.rests = advice.renewed && !looking_pays ? Advice::kRest : 0;
      if (known.order != nullptr) return;
    }
    note(instances, looking_pays);
  }

  // Notes what a look has found. After a look that does not pay, kPause mini-batches go by without
  // one; after a look that pays, the next kPatience failures have no such consequence.
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

  struct Known {
    std::shared_ptr<const Order> order;
    std::shared_ptr<const Rooms> rooms;
    int32_t rests = 0;
  };

  std::array<std::atomic<int32_t>, 65> wait_{};
  std::mutex mutex_;
  std::array<Known, 65> known_{};
};

}  // namespace acrobat
