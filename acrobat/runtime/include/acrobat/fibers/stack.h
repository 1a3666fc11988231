// A stack of our own for the model's recursion: deep structures are a matter of address space,
// not of the thread's 8 MiB. Overflow is found by a compare at every function entry.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>

#include "sanitizers.h"

namespace acrobat {

class Stack {
 public:
  explicit Stack(size_t bytes) : bytes_(bytes) {
    base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(base_, kGuard, PROT_NONE);
  }
  ~Stack() { munmap(base_, bytes_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Below this address a function must not start: room for the deepest leaf call and the unwinder.
  const char* limit() const { return static_cast<char*>(base_) + kGuard + (64 << 10); }

  // Runs `body` on this stack; exceptions come out here.
  void run(const std::function<void()>& body) {
    body_ = &body;
    error_ = nullptr;
    ucontext_t inner;
    getcontext(&inner);
    inner.uc_stack.ss_sp = base_;
    inner.uc_stack.ss_size = bytes_;
    inner.uc_link = &outer_;
    uintptr_t self = reinterpret_cast<uintptr_t>(this);
    makecontext(&inner, reinterpret_cast<void (*)()>(&Stack::enter), 2, static_cast<uint32_t>(self),
                static_cast<uint32_t>(self >> 32));
    watched_.begin(base_, bytes_);
    outer_watched_.begin_here();
    WatchedStack::leave(outer_watched_, watched_);
    swapcontext(&outer_, &inner);
    WatchedStack::arrive(outer_watched_, watched_);
    watched_.end();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr size_t kGuard = 4096;

  // It begins on one stack and ends on the other.
  [[gnu::no_sanitize_thread]] static void enter(uint32_t low, uint32_t high) {
    auto* self = reinterpret_cast<Stack*>((static_cast<uintptr_t>(high) << 32) | low);
    WatchedStack::arrive(self->watched_, self->outer_watched_);
    try {
      (*self->body_)();
    } catch (...) {
      self->error_ = std::current_exception();
    }
    WatchedStack::leave(self->watched_, self->outer_watched_, true);
  }

  size_t bytes_;
  void* base_;
  ucontext_t outer_;
  WatchedStack watched_, outer_watched_;
  const std::function<void()>* body_ = nullptr;
  std::exception_ptr error_;
};

}  // namespace acrobat
