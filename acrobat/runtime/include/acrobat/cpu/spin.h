// How a thread waits for another: it spins, then yields.
#pragma once

#include <sched.h>

namespace acrobat {

// Leaves the core's resources to its other hardware thread for a moment.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` does nothing on most cores, which have one hardware thread; this waits for some tens of
  // cycles, as x86's `pause` does (Rust's std::hint::spin_loop does the same).
  asm volatile("isb" ::: "memory");
#endif
}

// The number of cores that this process may use.
inline int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// A wait lasts as long as the imbalance of one kernel, some microseconds. After that, the other
// thread has probably lost its core and may need this one; with more threads than cores, this must
// be assumed from the beginning (`crowded`).
class Spin {
 public:
  explicit Spin(bool crowded) : patience_(crowded ? 64 : 4096) {}

  void pause() {
    if (++pauses_ < patience_) {
      relax();
    } else {
      sched_yield();
    }
  }
  bool every(int pauses) const { return pauses_ % pauses == 0; }

 private:
  int pauses_ = 0;
  const int patience_;
};

}  // namespace acrobat
