// A team of threads that runs one function together, with a barrier. Workers sleep between calls.
#pragma once

#include <immintrin.h>
#include <sched.h>

#include <atomic>
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
    epoch_.notify_all();
    for (auto& w : workers_) w.join();
  }

  int size() const { return size_; }
  std::mutex& mutex() { return mutex_; }  // one call at a time has the team

  // Runs job(thread) on every thread of the team, the caller being thread 0.
  void run(const std::function<void(int)>& job) {
    if (size_ == 1) return job(0);
    job_ = &job;
    running_.store(size_ - 1, std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
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

  void work(int index) {
    unsigned seen = 0;
    while (true) {
      // Calls often follow each other closely: look a while before sleeping (some 50 us).
      for (int i = 0; i < 1024 && epoch_.load(std::memory_order_acquire) == seen; i++) _mm_pause();
      epoch_.wait(seen, std::memory_order_acquire);
      seen = epoch_.load(std::memory_order_acquire);
      if (stop_) return;
      (*job_)(index);
      running_.fetch_sub(1, std::memory_order_release);
    }
  }

  int size_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  const std::function<void(int)>* job_ = nullptr;
  std::atomic<unsigned> epoch_{0}, generation_{0};
  std::atomic<int> running_{0}, arrived_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace acrobat
