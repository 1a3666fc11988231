// What a forked process must not share with its parent.
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace acrobat {

// The number of forks between the first process that loaded this library and the current one.
inline unsigned generation() {
  static std::atomic<unsigned> forks{0};
  [[maybe_unused]] static const int noted =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  return forks.load(std::memory_order_relaxed);
}

// An object of which every process has its own; a forked child makes it at its first use. The child
// has a copy of its parent's object, but not the threads that used it: a lock that one of them held
// at that moment stays locked, and what it was changing stays half changed. So the copy is neither
// used nor destroyed. Thread-safe.
template <class T>
class PerProcess {
 public:
  explicit PerProcess(std::function<std::unique_ptr<T>()> make)
      : make_(std::move(make)), made_(new Made{generation(), make_()}) {}
  ~PerProcess() {
    Made* made = made_.load();
    if (made->generation == generation()) delete made;
  }
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  T& get() {
    Made* made = made_.load(std::memory_order_acquire);
    const unsigned present = generation();
    while (made->generation != present) {
      std::unique_ptr<Made> own(new Made{present, make_()});
      if (made_.compare_exchange_strong(made, own.get())) made = own.release();
    }
    return *made->it;
  }

 private:
  struct Made {
    unsigned generation;
    std::unique_ptr<T> it;
  };
  std::function<std::unique_ptr<T>()> make_;
  std::atomic<Made*> made_;
};

}  // namespace acrobat
