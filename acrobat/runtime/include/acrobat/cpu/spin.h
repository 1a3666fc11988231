// How a thread waits for another.
#pragma once

#include <sched.h>

namespace acrobat {

// Leaves the core's resources to its other hardware thread for a moment.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` does nothing where cores have one hardware thread, as nearly all have; this waits for
  // about as long as the instruction of x86.
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
