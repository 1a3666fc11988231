// How the threads of a team divide a job: every thread has a share of each section, cut into units;
// who is done with its own takes units of the others. So a core that is slower than another, or is
// taken away for a while, holds up the others by what it has taken last and not by its share.
//
// A section is over when all its units are done, whoever did them: a thread that is late finds it
// over and goes on to the next. Sections are numbered, from job to job, and every thread of a job
// passes through all of them, in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "spin.h"

namespace acrobat {

// Units [first, last) of a share.
struct Units {
  int first = 0, last = 0;
};

class Division {
 public:
  static constexpr int kMostUnits = 60000;  // of a share

  explicit Division(int threads) : shares_(static_cast<size_t>(threads)) {}

  // Before a job, while no thread is at it: the number of the last section.
  uint32_t begin() {
    const uint32_t last = over_.load(std::memory_order_relaxed);
    if (last < uint32_t{1} << 31) return last;
    for (Share& s : shares_) s.left.store(0, std::memory_order_relaxed);
    over_.store(0, std::memory_order_relaxed);
    return 0;
  }

  int threads() const { return static_cast<int>(shares_.size()); }

  bool over(uint32_t section) const { return over_.load(std::memory_order_acquire) >= section; }

  // The section is over, or the caller has done all of it.
  void end(uint32_t section) { over_.store(section, std::memory_order_release); }

  // Takes units of the owner's share, which has `units` if nobody has taken any yet, for the owner
  // is late; then none if fewer than `least` are left. The owner takes half of them, at least
  // `at_once`, from the front; another thread one from the back. Every unit is taken once.
  Units take(int owner, uint32_t section, int units, int at_once, int least, bool is_owner) {
    std::atomic<uint64_t>& left = shares_[static_cast<size_t>(owner)].left;
    uint64_t seen = left.load(std::memory_order_relaxed);
    while (true) {
      const auto of = static_cast<uint32_t>(seen >> 32);
      if (of > section) return {};  // this one is over
      Units rest{0, units};
      if (of == section) {
        rest = {static_cast<int>(seen >> 16 & 0xffff), static_cast<int>(seen & 0xffff)};
      }
      const int n = rest.last - rest.first;
      if (n < (of == section ? least : 1)) return {};
      const int some = is_owner ? std::min(n, std::max(at_once, (n + 1) / 2)) : 1;
      const Units taken =
          is_owner ? Units{rest.first, rest.first + some} : Units{rest.last - some, rest.last};
      (is_owner ? rest.first : rest.last) += is_owner ? some : -some;
      const uint64_t now = uint64_t{section} << 32 | static_cast<uint64_t>(rest.first) << 16 |
                           static_cast<uint64_t>(rest.last);
      if (left.compare_exchange_weak(seen, now, std::memory_order_relaxed)) return taken;
    }
  }

  // Counts units of the section that are done; the last one ends it.
  void count(int done, int total, uint32_t section) {
    if (done_.fetch_add(done, std::memory_order_acq_rel) + done < total) return;
    done_.store(0, std::memory_order_relaxed);
    end(section);
  }

 private:
  struct alignas(128) Share {
    std::atomic<uint64_t> left{0};  // section, first and last unit
  };
  std::vector<Share> shares_;
  // Side by side: who counts the last unit then owns what the others watch.
  alignas(128) std::atomic<int> done_{0};
  std::atomic<uint32_t> over_{0};
};

// A thread in a job.
class Place {
 public:
  // `section`: the last one before the job.
  Place(Division& division, int thread, uint32_t section)
      : division_(division), thread_(thread), section_(section) {}

  int thread() const { return thread_; }
  int threads() const { return division_.threads(); }

  // A section that is divided: of `shares.units()` units, at least one, `shares.units(owner)` are
  // an owner's, and `run(owner, units)` does some. Who takes its own takes `shares.at_once` or
  // more; who takes one of another's does so if `shares.least` are left, unless it would wait for
  // long. Returns when all are done.
  template <class Shares, class Run>
  void divide(const Shares& shares, Run&& run) {
    if (threads() == 1) return run(0, {0, shares.units()});
    meet();
    const uint32_t section = ++section_;
    if (division_.over(section)) return;
    const int total = shares.units();
    int mine = 0;
    auto drain = [&](int owner, int least) {
      const int all = shares.units(owner);
      int done = 0;
      while (true) {
        const Units some =
            division_.take(owner, section, all, shares.at_once, least, owner == thread_);
        if (some.first == some.last) break;
        run(owner, some);
        done += some.last - some.first;
      }
      mine += done;
      if (done > 0) division_.count(done, total, section);
    };
    drain(thread_, 1);
    int looked = 0;
    for (Spin spin; !division_.over(section);) {
      if (!absent_ || looked > 0) {
        spin.pause();
        if (!spin.every(kPatience)) continue;
      }
      for (int i = 1; i < threads() && !division_.over(section); i++) {
        drain((thread_ + i) % threads(), looked < kTimes ? shares.least : 1);
      }
      looked++;
    }
    absent_ = mine == total;
  }

  // A section that is the first thread's alone. The others do not wait before the next division.
  template <class Run>
  void alone(Run&& run) {
    if (!alone_) section_++;
    alone_ = true;
    if (thread_ == 0) run();
  }

 private:
  // Waits between two looks for work: a microsecond or two; and how many looks are a long time.
  static constexpr int kPatience = 32, kTimes = 16;

  // Whatever was the first thread's alone is done.
  void meet() {
    if (!alone_) return;
    alone_ = false;
    if (thread_ == 0) return division_.end(section_);
    wait(section_);
  }
  void wait(uint32_t section) {
    for (Spin spin; !division_.over(section);) spin.pause();
  }

  Division& division_;
  int thread_;
  uint32_t section_;
  bool alone_ = false;
  bool absent_ = false;  // the others have done nothing of the section before
};

}  // namespace acrobat
