// The memory that a call may use. Linux grants any request and kills the process when pages run
// out, so everything that may grow without limit reserves memory here before touching it.
#pragma once

#include <cstdint>

namespace acrobat {

// Notes that the running call takes `bytes` more for `what`, and temporarily perhaps more than that
// (`at_once`). CapacityError if it then has more than its option allows, or if the system does not
// have that much. Costs next to nothing, except once per 64 MiB, or more often if little is free.
void take_memory(int64_t bytes, const char* what, int64_t at_once = 0);

// CapacityError if the call's option does not allow it to take `bytes` in one piece.
void require_allowed(int64_t bytes, const char* what);

// Whether the call's option allows it to take `bytes` more.
bool is_allowed(int64_t bytes);

// Bytes of addresses that the process may still map; the largest int64 if nothing limits them.
int64_t addresses_left();

// From here on the thread's call counts what it takes, up to `limit` bytes (0: what is free). A
// call may begin inside another one: a signal's handler may call a model.
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

  // The system is first asked when this much is taken: for small needs, asking would take longer
  // than everything else.
  static constexpr int64_t kFirstLook = int64_t{16} << 20;

  int64_t limit_, taken_ = 0, next_look_ = kFirstLook;
  Budget* outer_;
};

}  // namespace acrobat
