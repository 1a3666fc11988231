// The memory that a call may use. Linux grants any request and kills the process when pages run
// out, so whatever grows without a limit reserves here before it touches more.
#pragma once

#include <cstdint>

namespace acrobat {

// Notes that the running call takes `bytes` more for `what`, and for a moment perhaps more than
// that (`at_once`). CapacityError if it has more than its option allows, or if the system has not
// as much. Costs next to nothing but once per 64 MiB, and more often where little is free.
void take_memory(int64_t bytes, const char* what, int64_t at_once = 0);

// CapacityError if a call that takes `bytes` in one piece has more than its option allows.
void require_allowed(int64_t bytes, const char* what);

// Whether a call's option allows that it takes `bytes` more.
bool is_allowed(int64_t bytes);

// Bytes of addresses that the process may still map; the largest number if nothing limits them.
int64_t addresses_left();

// The calls of one thread count what they take from here on, up to `limit` bytes (0: what is free).
// A call may begin inside another one: a signal's handler may call a model.
class Budget {
 public:
  explicit Budget(int64_t limit);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

 private:
  friend void take_memory(int64_t bytes, const char* what, int64_t at_once);
  friend void require_allowed(int64_t bytes, const char* what);
  friend bool is_allowed(int64_t bytes);
  void look(int64_t bytes, const char* what, int64_t at_once);
  void allow(int64_t bytes, const char* what) const;

  // The system is asked when this much is taken; asking takes longer than small needs do.
  static constexpr int64_t kFirstLook = int64_t{16} << 20;

  int64_t limit_, taken_ = 0, next_look_ = kFirstLook;
  Budget* outer_;
};

}  // namespace acrobat
