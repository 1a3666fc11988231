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
  // cycles, as x86's `pause` does (Rust's std::hint::spin_loop is the same).
  asm volatile("isb" ::: "memory");
#endif
}

// A wait lasts as long as the imbalance of one kernel, some microseconds. Past that the other
// thread has probably lost its core, and may need this one.
class Spin {
 public:
  void pause() {
    if (++pauses_ < 4096) {
      relax();
    } else {
      sched_yield();
    }
  }
  bool every(int pauses) const { return pauses_ % pauses == 0; }

 private:
  int pauses_ = 0;
};

}  // namespace acrobat
