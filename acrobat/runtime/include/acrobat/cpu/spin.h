// How a thread waits for another.
#pragma once

#include <sched.h>

namespace acrobat {

// A wait lasts as long as the imbalance of one kernel, some microseconds. Past that the other
// thread has probably lost its core, and may need this one.
class Spin {
 public:
  void pause() {
    if (++pauses_ < 4096) {
      __builtin_ia32_pause();
    } else {
      sched_yield();
    }
  }
  bool every(int pauses) const { return pauses_ % pauses == 0; }

 private:
  int pauses_ = 0;
};

}  // namespace acrobat
