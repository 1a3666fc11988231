// A team of threads that runs one function together. Workers that find nothing to do for a while
// sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "work_stealing.h"

namespace acrobat {

class Team {
 public:
  explicit Team(int threads) : division_(threads) {
    for (int i = 1; i < threads; i++) workers_.emplace_back([this, i] { work(i); });
  }
  ~Team() {
    stop_ = true;
    ring();
    for (auto& w : workers_) w.join();
  }

  int size() const { return division_.threads(); }
  std::mutex& mutex() { return mutex_; }  // one call at a time has the team

  // Announces that there will be work soon: to get up takes a worker some 20 us, in which the
  // caller has other things to do. Nothing happens where the last announcement was not followed by
  // any.
  void wake() {
    if (size() > 1 && worked_) ring();
    worked_ = false;
  }

  // Runs job(place) on the caller, thread 0, and on every worker that comes while it lasts. It
  // lasts until the caller is through: all sections of the job are over then.
  void run(const std::function<void(Place&)>& job) {
    section_ = division_.begin();
    Place place(division_, 0, section_);
    if (size() == 1) return job(place);
    job_ = &job;
    worked_ = true;
    state_.fetch_add(1);
    ring();
    job(place);
    // Either a worker sees that the job has ended, or it is seen here.
    state_.fetch_add(1);
    for (Spin spin; inside_.load() != 0;) spin.pause();
  }

 private:
  void ring() {
    bell_.fetch_add(1, std::memory_order_release);
    bell_.notify_all();
  }

  void work(int index) {
    unsigned seen = 0;
    while (true) {
      unsigned bell = bell_.load(std::memory_order_acquire);
      if (!look(seen)) {
        bell_.wait(bell, std::memory_order_acquire);
        continue;
      }
      if (stop_) return;
      inside_.fetch_add(1);
      const unsigned state = state_.load();
      if (open(state)) {
        seen = state;
        Place place(division_, index, section_);
        (*job_)(place);
      }
      inside_.fetch_sub(1);
    }
  }

  static bool open(unsigned state) { return state % 2 == 1; }

  // Whether there is another job than `seen`, or an end of all, now or soon: longer than decisions,
  // or a call's results and the next call's graph, usually take.
  bool look(unsigned seen) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(200);
    do {
      for (int i = 0; i < 16; i++) {
        const unsigned state = state_.load(std::memory_order_acquire);
        if ((open(state) && state != seen) || stop_) return true;
        __builtin_ia32_pause();
      }
    } while (Clock::now() < end);
    return false;
  }

  Division division_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  const std::function<void(Place&)>* job_ = nullptr;
  uint32_t section_ = 0;            // the last one before the job
  std::atomic<unsigned> state_{0};  // jobs that began and that ended; odd while there is one
  std::atomic<unsigned> bell_{0};   // reasons to get up
  std::atomic<int> inside_{0};      // workers that may be at the job
  std::atomic<bool> stop_{false}, worked_{true};
};

}  // namespace acrobat
