// How a thread waits for another.
#pragma once

#include <sched.h>

namespace acrobat {

// Waits are as long as the imbalance of one kernel, microseconds; past that the other thread has
// probably lost its core, and ours is better given away.
class Spin {
 public:
  void pause() {
    if (++turns_ < 4096) {
      __builtin_ia32_pause();
    } else {
      sched_yield();
    }
  }
  bool every(int turns) const { return turns_ % turns == 0; }

 private:
  int turns_ = 0;
};

}  // namespace acrobat
