// The mock driver: what tests ask and set.
#include <sstream>

#include "mock_state.h"

API void mock_reset(Kernel kernel, uint64_t limit, int gpus) {
  Lock lock(state.mutex);
  evaluate = kernel;
  state.limit = limit;
  state.gpus = gpus;
  state.dead = 0;
  state.failures.clear();
  state.log.clear();
  state.violations.clear();
}
API void mock_fail(const char* function, int calls, int code) {
  Lock lock(state.mutex);
  state.failures[function][calls] = code;
}
API uint64_t mock_accessible(uint64_t address) {
  Lock lock(state.mutex);
  return state.accessible(address);
}
// Where the accessible memory begins that an address lies in; 0: in none.
API uint64_t mock_begin(uint64_t address) {
  Lock lock(state.mutex);
  return state.begin_of(address);
}
API void mock_peek(void* to, uint64_t from, size_t bytes) {
  Lock lock(state.mutex);
  state.begin_work();
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  state.end_work();
}
API uint64_t mock_used() { return state.used; }
// A list of lines, which is emptied: 0 the calls, 1 what was wrong; 2: what is alive.
API const char* mock_lines(int which) {
  thread_local std::string text;
  std::ostringstream out;
  Lock lock(state.mutex);
  if (which < 2) {
    auto& lines = which == 0 ? state.log : state.violations;
    for (const std::string& line : lines) out << line << "\n";
    lines.clear();
  } else {
    auto count = [&](const char* what, size_t n) {
      if (n > 0) out << n << " " << what << "\n";
    };
    count("contexts", static_cast<size_t>(state.retained));
    count("reservations", state.reserved.size());
    count("memories", state.physical.size());
    count("ranges", state.backed.size());
    count("page-locked ranges", state.pinned.size());
    count("modules", state.modules.size());
    count("streams", state.streams.size() - 1);
    count("events", state.events.size());
    count("bytes", state.used);
  }
  text = out.str();
  return text.c_str();
}
