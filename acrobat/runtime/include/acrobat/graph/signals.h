// When a call checks for signals, such as Ctrl-C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acrobat {

// The signal checks of one call: every 100 ms, and only in the main thread, because Python runs
// handlers in no other. A check takes the GIL, which another thread may hold for milliseconds.
class Signals {
 public:
  // Called when a call begins.
  void begin() { looked_ = 0; }

  // Whether it is time for a check.
  bool due();

  // Runs the handlers of signals that have arrived, if it is time. The caller must be on its
  // thread's own stack and hold neither the GIL nor locks, because a handler may call a model.
  // Throws Interrupted if a handler raises an exception.
  void look() {
    if (due()) look_now();
  }
  void look_now();

  // Calls f(first, last) on consecutive stretches of [from, to), whose items take nanoseconds each,
  // and checks for signals in between.
  template <class F>
  void in_stretches(size_t from, size_t to, F&& f) {
    while (from < to) {
      const size_t last = std::min(to, from + kStretch);
      f(from, last);
      from = last;
      if (from < to) look();
    }
  }

 private:
  static constexpr size_t kStretch = size_t{1} << 16;

  int64_t looked_ = 0;  // time of the last check in nanoseconds; 0: none yet
};

}  // namespace acrobat
