// A stack of our own for the model's recursion: the depth of structures is limited by address
// space, not by the thread's 8 MiB. A comparison at every function entry detects overflow.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <utility>

#include "../memory.h"
#include "continuation.h"
#include "sanitizers.h"

// The size of the largest frame among the functions of a generated program, passed to the linker
// (aot/build.py); it does not exist in programs that were not generated.
extern "C" __attribute__((weak)) const int64_t acrobat_frame_bytes;

namespace acrobat {

// The bytes that must be left where a function starts: for functions that are called without a
// check, for the unwinder, and for the largest frame of a function of the program, which has taken
// its frame before it checks.
inline size_t stack_reserve() {
  return (size_t{64} << 10) +
         static_cast<size_t>(&acrobat_frame_bytes != nullptr ? acrobat_frame_bytes : 0);
}

// The size of a page of memory: 4 KiB on x86-64, up to 64 KiB on AArch64.
inline size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The least that a stack is granted at a time.
constexpr int64_t kStackStep = int64_t{1} << 20;

class Stack {
 public:
  // Takes `bytes`, or fewer if the process has few addresses left.
  explicit Stack(size_t bytes) : bytes_(bytes) {
    const int64_t left = addresses_left() / 8;
    while (bytes_ / 2 > kLeast && static_cast<int64_t>(bytes_) > left) bytes_ /= 2;
    bytes_ = (bytes_ + 2 * stack_reserve()) / guard_ * guard_;
    base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(base_, guard_, PROT_NONE);
  }
  ~Stack() { munmap(base_, bytes_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  const char* top() const { return static_cast<char*>(base_) + bytes_; }
  // The address below which a function must not start.
  const char* end() const { return static_cast<char*>(base_) + guard_ + stack_reserve(); }
  // How far down the stack may be used without asking: little compared with what else a call takes.
  const char* granted() const { return std::max(end(), top() - kGranted); }

  // Gives back what was granted below that, down to `limit`.
  void shrink(const char* limit) {
    if (limit >= granted()) return;
    const auto from = reinterpret_cast<uintptr_t>(base_) + guard_;
    const auto to = reinterpret_cast<uintptr_t>(granted()) / guard_ * guard_;
    madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }

  // Runs `body` on this stack; exceptions are rethrown here.
  void run(const std::function<void()>& body) {
    body_ = &body;
    error_ = nullptr;
    watched_.begin(base_, bytes_);
    inside_.prepare(static_cast<char*>(base_), bytes_, &Stack::enter);
    running_ = this;
    outer_watched_.begin_here();
    WatchedStack::leave(outer_watched_, watched_);
    outer_.switch_to(inside_);
    WatchedStack::arrive(outer_watched_, watched_);
    while (asked_ != nullptr) {
      (*std::exchange(asked_, nullptr))();
      WatchedStack::leave(outer_watched_, watched_);
      outer_.switch_to(inside_);
      WatchedStack::arrive(outer_watched_, watched_);
    }
    watched_.end();
    if (error_) std::rethrow_exception(error_);
  }

  // From within: runs `body`, which must not throw, on the stack that `run` was called on.
  void outside(const std::function<void()>& body) {
    asked_ = &body;
    WatchedStack::leave(watched_, outer_watched_);
    inside_.switch_to(outer_);
    WatchedStack::arrive(watched_, outer_watched_);
  }

 private:
  static constexpr size_t kLeast = 1 << 20;
  static constexpr ptrdiff_t kGranted = ptrdiff_t{64} << 20;

  static void enter() {
    Stack* self = running_;
    WatchedStack::arrive(self->watched_, self->outer_watched_);
    try {
      (*self->body_)();
    } catch (...) {
      self->error_ = std::current_exception();
    }
    WatchedStack::leave(self->watched_, self->outer_watched_, true);
    self->inside_.switch_to(self->outer_);
    __builtin_unreachable();
  }

  // The stack on which `enter` begins.
  static inline thread_local Stack* running_ = nullptr;

  const size_t guard_ = page_bytes();  // below the stack
  size_t bytes_;
  void* base_;
  Continuation outer_, inside_;
  WatchedStack watched_, outer_watched_;
  const std::function<void()>* asked_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace acrobat
