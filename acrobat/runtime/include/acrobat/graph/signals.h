// When a call looks for signals, such as Ctrl-C.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace acrobat {

// Of one call, which looks every 100 ms, and only in the main thread: Python runs no handlers in
// others. To look takes the GIL, which another thread may hold for milliseconds.
class Signals {
 public:
  // A call begins.
  void begin() { looked_ = 0; }

  // Whether it is time to look.
  bool due();

  // Runs the handlers of signals that have arrived, if it is time. The caller stands on its
  // thread's own stack, without the GIL and without locks: a handler may call a model. Interrupted
  // if one raises an exception.
  void look() {
    if (due()) look_now();
  }
  void look_now();

  // f(first, last) for stretches of [from, to), items that take nanoseconds each, with a look in
  // between.
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

  int64_t looked_ = 0;  // nanoseconds of the clock when it last looked; 0: not yet
};

}  // namespace acrobat
