// A call's turn with the thread pool, which no other call uses meanwhile.
#pragma once

#include <chrono>
#include <mutex>

#include "../graph/signals.h"
#include "thread_pool.h"

namespace acrobat {

// Its work is done in pieces of some 10 ms, between which it looks for signals. Handlers run
// without the pool, which they, or whom they wait for, may need: a piece must not rely on what
// another call may change in between.
class PoolTurn {
 public:
  PoolTurn(ThreadPool& pool, Signals& signals)
      : pool_(pool), signals_(signals), lock_(pool.mutex(), std::defer_lock) {
    take();
  }

  ThreadPool& pool() const { return pool_; }

  // Between two pieces. Interrupted as from Signals::look.
  void look() {
    if (!signals_.due()) return;
    lock_.unlock();
    signals_.look_now();
    take();
  }

 private:
  static constexpr auto kWait = std::chrono::milliseconds(50);

  // Others may have it for long. The thread sanitizer knows no wait by the steady clock; where the
  // other one is set, a wait only ends sooner or later.
  void take() {
    if (lock_.try_lock()) return;
    while (!lock_.try_lock_until(std::chrono::system_clock::now() + kWait)) signals_.look();
  }

  ThreadPool& pool_;
  Signals& signals_;
  std::unique_lock<std::timed_mutex> lock_;
};

}  // namespace acrobat
