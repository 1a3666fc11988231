// A pool of threads that run one function together. Workers without work go to sleep after a while.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../errors.h"
#include "work_stealing.h"

namespace acrobat {

class ThreadPool {
 public:
  // CapacityError if the system does not start enough threads.
  explicit ThreadPool(int threads) : queues_(threads), bells_(static_cast<size_t>(threads)) {
    workers_.reserve(static_cast<size_t>(threads));
    for (int i = 1; i < threads; i++) {
      const int error = start(i);
      if (error == 0) continue;
      end();
      throw CapacityError(std::to_string(i) + " of " + std::to_string(threads) +
                          " threads could be started (" + std::strerror(error) +
                          "); pass fewer in Options.threads, or see ulimit -u and ulimit -v");
    }
  }
  ~ThreadPool() { end(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return queues_.threads(); }
  std::timed_mutex& mutex() { return mutex_; }  // held by the call that uses the pool (pool_turn.h)

  // Announces work, so that workers wake up while the caller prepares it: waking a sleeping worker
  // takes about 20 us. Wakes as many as ran the last job. Does nothing if no work followed the last
  // announcement.
  void wake() {
    if (size() > 1 && worked_) ring(threads_.load(std::memory_order_relaxed));
    worked_ = false;
  }

  // Runs job(worker) on the caller, which is thread 0, and on those of the first `threads` threads
  // that join before the caller has finished. On return all sections of the job are over.
  void run(const std::function<void(Worker&)>& job) { run(job, size()); }
  void run(const std::function<void(Worker&)>& job, int threads) {
    section_ = queues_.begin();
    const bool crowded = threads > cores_;
    Worker worker(queues_, 0, threads, crowded, section_);
    if (threads == 1) return job(worker);
    job_ = &job;
    threads_.store(threads, std::memory_order_relaxed);
    worked_ = true;
    state_.fetch_add(1);
    ring(threads);
    job(worker);
    // A worker either sees that the job has ended, or is seen here and waited for.
    state_.fetch_add(1);
    for (Spin spin(crowded); inside_.load() != 0;) spin.pause();
  }

 private:
  // Starts a worker: with a small stack, which is enough for kernels, and with all signals blocked,
  // because the program's own threads handle them.
  int start(int index) {
    struct Start {
      ThreadPool* pool;
      int index;
    };
    auto given = std::make_unique<Start>(this, index);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t worker;
    const int error = pthread_create(
        &worker, &attributes,
        [](void* start) -> void* {
          const std::unique_ptr<Start> own(static_cast<Start*>(start));
          own->pool->work(own->index);
          return nullptr;
        },
        given.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (error != 0) return error;
    given.release();
    workers_.push_back(worker);
    return 0;
  }

  void end() {
    stop_ = true;
    ring(size());
    for (pthread_t worker : workers_) pthread_join(worker, nullptr);
    workers_.clear();
  }

  // Wakes the workers among the first `threads` threads.
  void ring(int threads) {
    for (int i = 1; i < threads; i++) {
      std::atomic<unsigned>& bell = bells_[static_cast<size_t>(i)].rung;
      bell.fetch_add(1, std::memory_order_release);
      bell.notify_one();
    }
  }

  void work(int index) {
    const std::atomic<unsigned>& bell = bells_[static_cast<size_t>(index)].rung;
    unsigned seen = 0;
    bool crowded = false;
    while (true) {
      const unsigned rung = bell.load(std::memory_order_acquire);
      if (!look(seen, crowded)) {
        bell.wait(rung, std::memory_order_acquire);
        continue;
      }
      if (stop_) return;
      inside_.fetch_add(1);
      const unsigned state = state_.load();
      if (open(state)) {
        seen = state;
        const int threads = threads_.load(std::memory_order_relaxed);
        crowded = threads > cores_;
        if (index < threads) {
          Worker worker(queues_, index, threads, crowded, section_);
          (*job_)(worker);
        }
      }
      inside_.fetch_sub(1);
    }
  }

  static bool open(unsigned state) { return state % 2 == 1; }

  // Whether a job other than `seen`, or the end of the pool, appears within 200 us: longer than the
  // program usually takes between two decisions, or the caller between two mini-batches. Threads
  // that do not have a core each (`crowded`) go to sleep at once.
  bool look(unsigned seen, bool crowded) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(200);
    do {
      for (int i = 0; i < 16; i++) {
        const unsigned state = state_.load(std::memory_order_acquire);
        if ((open(state) && state != seen) || stop_) return true;
        relax();
      }
    } while (!crowded && Clock::now() < end);
    return false;
  }

  static constexpr size_t kStackBytes = 1 << 20;

  WorkQueues queues_;
  struct alignas(64) Bell {
    std::atomic<unsigned> rung{0};  // how often there was a reason to wake up
  };
  std::vector<Bell> bells_;  // one per thread
  std::vector<pthread_t> workers_;
  const int cores_ = usable_cores();
  std::timed_mutex mutex_;
  const std::function<void(Worker&)>* job_ = nullptr;
  std::atomic<int> threads_{0};     // of the job; `wake` reads it while another call has the pool
  uint32_t section_ = 0;            // the last one before the job
  std::atomic<unsigned> state_{0};  // counts beginnings and ends of jobs; odd while one runs
  std::atomic<int> inside_{0};      // workers that may be running the job
  std::atomic<bool> stop_{false}, worked_{true};
};

}  // namespace acrobat
