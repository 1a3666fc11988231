// A team of threads that runs one function together, with a barrier. Workers that find nothing to
// do for a while sleep.
#pragma once

#include <immintrin.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace acrobat {

class Team {
 public:
  explicit Team(int threads) : size_(threads) {
    for (int i = 1; i < threads; i++) workers_.emplace_back([this, i] { work(i); });
  }
  ~Team() {
    stop_ = true;
    epoch_.fetch_add(1, std::memory_order_release);
    ring();
    for (auto& w : workers_) w.join();
  }

  int size() const { return size_; }
  std::mutex& mutex() { return mutex_; }  // one call at a time has the team

  // Announces that there will be work soon: to get up takes a worker some 20 us, in which the
  // caller has other things to do. Nothing happens where the last announcement was not followed by
  // any.
  void wake() {
    if (size_ > 1 && worked_) ring();
    worked_ = false;
  }

  // Runs job(thread) on every thread of the team, the caller being thread 0.
  void run(const std::function<void(int)>& job) {
    if (size_ == 1) return job(0);
    job_ = &job;
    worked_ = true;
    running_.store(size_ - 1, std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    ring();
    job(0);
    Spin spin;
    while (running_.load(std::memory_order_acquire) != 0) spin.pause();
  }

  // All threads of the team meet; called from inside the job.
  void barrier() {
    if (size_ == 1) return;
    unsigned generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) == size_ - 1) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.fetch_add(1, std::memory_order_release);
      return;
    }
    Spin spin;
    while (generation_.load(std::memory_order_acquire) == generation) spin.pause();
  }

 private:
  // Waits are as long as the imbalance of one kernel, microseconds; past that the other thread has
  // probably lost its core, and ours is better given away.
  struct Spin {
    int turns = 0;
    void pause() {
      if (++turns < 4096) {
        _mm_pause();
      } else {
        sched_yield();
      }
    }
  };

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
      seen = epoch_.load(std::memory_order_acquire);
      if (stop_) return;
      (*job_)(index);
      running_.fetch_sub(1, std::memory_order_release);
    }
  }

  // Whether there is a job after `seen`, now or soon: longer than decisions, or a call's results
  // and the next call's graph, usually take.
  bool look(unsigned seen) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(200);
    do {
      for (int i = 0; i < 16; i++) {
        if (epoch_.load(std::memory_order_acquire) != seen) return true;
        _mm_pause();
      }
    } while (Clock::now() < end);
    return false;
  }

  int size_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  const std::function<void(int)>* job_ = nullptr;
  std::atomic<unsigned> epoch_{0}, bell_{0}, generation_{0};  // jobs, reasons to get up, barriers
  std::atomic<int> running_{0}, arrived_{0};
  std::atomic<bool> stop_{false}, worked_{true};
};

}  // namespace acrobat
