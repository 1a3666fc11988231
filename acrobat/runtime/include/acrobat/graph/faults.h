// How a generated program fails. It is compiled for every model, so it includes next to nothing:
// the messages are put together and thrown in src/context.cc.
#pragma once

#include <cstdint>

namespace acrobat {

[[noreturn]] void fail_stack();
[[noreturn]] void fail_gathered_row(const char* weight, int64_t index, int64_t rows);
[[noreturn]] void fail_row(int64_t index, int64_t rows);
[[noreturn]] void fail_list_index(int64_t index, int64_t length);
[[noreturn]] void fail_scalars();
[[noreturn]] void fail_graph();
// What `operation` computed of integers is none.
[[noreturn]] void fail_overflow(const char* operation);
// An instance is at fault in another way, which `what` says.
[[noreturn]] void fail_instance(const char* what);

}  // namespace acrobat
