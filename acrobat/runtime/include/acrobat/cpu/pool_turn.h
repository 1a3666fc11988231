// A call's turn with the thread pool, during which no other call uses it.
#pragma once

#include <chrono>
#include <mutex>

#include "../graph/signals.h"
#include "thread_pool.h"

namespace acrobat {

// The call works in pieces of some 10 ms, and checks for signals between them. The pool is released
// while handlers run, because they, or a thread they wait for, may need it: a piece must not rely
// on state that another call may change in between.
class PoolTurn {
 public:
  PoolTurn(ThreadPool& pool, Signals& signals)
      : pool_(pool), signals_(signals), lock_(pool.mutex(), std::defer_lock) {
    take();
  }

  ThreadPool& pool() const { return pool_; }

  // To be called between two pieces. Throws Interrupted as Signals::look does.
  void look() {
    if (!signals_.due()) return;
    lock_.unlock();
    signals_.look_now();
    take();
  }

 private:
  static constexpr auto kWait = std::chrono::milliseconds(50);

  // Other calls may hold the pool for long. The wait is by the system clock, because the thread
  // sanitizer does not support one by the steady clock; if the system clock is set, the wait only
  // ends earlier or later.
  void take() {
    if (lock_.try_lock()) return;
    while (!lock_.try_lock_until(std::chrono::system_clock::now() + kWait)) signals_.look();
  }

  ThreadPool& pool_;
  Signals& signals_;
  std::unique_lock<std::timed_mutex> lock_;
};

}  // namespace acrobat
