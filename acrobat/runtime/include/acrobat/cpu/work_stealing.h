// Work stealing between the threads of a pool. A section of a job is partitioned into chunks, and
// every thread has a queue of them; a thread whose own queue is empty steals chunks from others. So
// a core that is slower than the others, or that the system takes away for a while, delays them
// only by the chunks it took last, not by everything in its queue.
//
// A section is over when all its chunks are done, no matter by which thread: a thread that is late
// finds it over and goes on to the next. Sections are numbered across jobs, and every thread of a
// job passes through all of them in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "spin.h"

namespace acrobat {

// Chunks [first, last) of a queue.
struct Chunks {
  int first = 0, last = 0;
};

class WorkQueues {
 public:
  static constexpr int kMaxChunks = 60000;  // of a queue

  explicit WorkQueues(int threads) : queues_(static_cast<size_t>(threads)) {}

  // Called before a job, while no thread is working: returns the number of the last section.
  uint32_t begin() {
    const uint32_t last = over_.load(std::memory_order_relaxed);
    if (last < uint32_t{1} << 31) return last;
    for (Queue& s : queues_) s.left.store(0, std::memory_order_relaxed);
    over_.store(0, std::memory_order_relaxed);
    return 0;
  }

  int threads() const { return static_cast<int>(queues_.size()); }

  bool over(uint32_t section) const { return over_.load(std::memory_order_acquire) >= section; }

  // Marks a section as over, after all of it has been done.
  void end(uint32_t section) { over_.store(section, std::memory_order_release); }

  // Takes chunks from the owner's queue; every chunk is taken once. The owner takes half of the
  // remaining chunks, but at least `at_once`, from the front. Another thread steals one from the
  // back, unless fewer than `least` are left. A queue that nobody has touched in this section yet,
  // because its owner is late, holds all of its `chunks`.
  Chunks take(int owner, uint32_t section, int chunks, int at_once, int least, bool is_owner) {
    std::atomic<uint64_t>& left = queues_[static_cast<size_t>(owner)].left;
    uint64_t seen = left.load(std::memory_order_relaxed);
    while (true) {
      const auto of = static_cast<uint32_t>(seen >> 32);
      if (of > section) return {};  // this one is over
      Chunks rest{0, chunks};
      if (of == section) {
        rest = {static_cast<int>(seen >> 16 & 0xffff), static_cast<int>(seen & 0xffff)};
      }
      const int n = rest.last - rest.first;
      if (n < (of == section ? least : 1)) return {};
      const int some = is_owner ? std::min(n, std::max(at_once, (n + 1) / 2)) : 1;
      const Chunks taken =
          is_owner ? Chunks{rest.first, rest.first + some} : Chunks{rest.last - some, rest.last};
      (is_owner ? rest.first : rest.last) += is_owner ? some : -some;
      const uint64_t now = uint64_t{section} << 32 | static_cast<uint64_t>(rest.first) << 16 |
                           static_cast<uint64_t>(rest.last);
      if (left.compare_exchange_weak(seen, now, std::memory_order_relaxed)) return taken;
    }
  }

  // Counts chunks of the section as done; the last one ends the section.
  void count(int done, int total, uint32_t section) {
    if (done_.fetch_add(done, std::memory_order_acq_rel) + done < total) return;
    done_.store(0, std::memory_order_relaxed);
    end(section);
  }

 private:
  struct alignas(128) Queue {
    std::atomic<uint64_t> left{0};  // section, first and last chunk
  };
  std::vector<Queue> queues_;
  // On one cache line: the thread that counts the last chunk then owns the line that others watch.
  alignas(128) std::atomic<int> done_{0};
  std::atomic<uint32_t> over_{0};
};

// A thread that is working on a job.
class Worker {
 public:
  // The number of queues that an attempt to steal looks at. Looking at all of many queues would
  // take longer than the section, and take their cache lines away from the owners.
  static constexpr int kVictims = 8;

  // One of the first `threads` threads of the pool, which do the job. `crowded`: there are more of
  // them than cores. `section`: the last section before the job.
  Worker(WorkQueues& queues, int thread, int threads, bool crowded, uint32_t section)
      : queues_(queues), thread_(thread), threads_(threads), crowded_(crowded), section_(section) {}

  int thread() const { return thread_; }
  int threads() const { return threads_; }

  // Runs a section of `partition.chunks()` chunks, at least one, of which `partition.chunks(owner)`
  // start in an owner's queue; `run(owner, chunks)` does some of them. An owner takes at least
  // `partition.at_once` at a time. Others steal while at least `partition.least` are left, or fewer
  // after they have waited for long. Returns when all chunks are done.
  template <class Partition, class Run>
  void run_partitioned(const Partition& partition, Run&& run) {
    if (threads() == 1) return run(0, {0, partition.chunks()});
    barrier();
    const uint32_t section = ++section_;
    if (queues_.over(section)) return;
    const int total = partition.chunks();
    int mine = 0;
    auto drain = [&](int owner, int least) {
      const int all = partition.chunks(owner);
      int done = 0;
      while (true) {
        const Chunks some =
            queues_.take(owner, section, all, partition.at_once, least, owner == thread_);
        if (some.first == some.last) break;
        run(owner, some);
        done += some.last - some.first;
      }
      mine += done;
      if (done > 0) queues_.count(done, total, section);
    };
    drain(thread_, 1);
    int looked = 0, next = 0;
    for (Spin spin(crowded_); !queues_.over(section);) {
      if (!absent_ || looked > 0) {
        spin.pause();
        if (!spin.every(kPatience)) continue;
      }
      const int others = threads() - 1;
      for (int i = 0; i < std::min(others, kVictims) && !queues_.over(section); i++) {
        drain((thread_ + 1 + next % others) % threads(), looked < kTimes ? partition.least : 1);
        next++;
      }
      looked++;
    }
    absent_ = mine == total;
  }

  // Runs a section on thread 0 alone. The others wait only at the next partitioned section.
  template <class Run>
  void alone(Run&& run) {
    if (!alone_) section_++;
    alone_ = true;
    if (thread_ == 0) run();
  }

 private:
  // The number of pauses between two attempts to steal, a microsecond or two, and of attempts after
  // which a thread has waited for long.
  static constexpr int kPatience = 32, kTimes = 16;

  // Waits until thread 0 has finished what it does alone.
  void barrier() {
    if (!alone_) return;
    alone_ = false;
    if (thread_ == 0) return queues_.end(section_);
    wait(section_);
  }
  void wait(uint32_t section) {
    for (Spin spin(crowded_); !queues_.over(section);) spin.pause();
  }

  WorkQueues& queues_;
  int thread_, threads_;
  bool crowded_;
  uint32_t section_;
  bool alone_ = false;
  bool absent_ = false;  // the others did nothing in the last section
};

}  // namespace acrobat
