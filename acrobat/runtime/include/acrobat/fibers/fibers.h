// Fibers: instances and concurrent branches that may wait for a tensor's value. A fiber is a stack
// and the place where it stopped; the scheduler runs every fiber until it ends or waits, and when
// no fiber can run, the caller computes what has been recorded and all suspended fibers resume.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../memory.h"
#include "continuation.h"
#include "sanitizers.h"
#include "stack.h"

namespace acrobat {

struct Fiber;

// Fibers that another one waits for. Exists until it has waited.
struct Children {
  Fiber* parent;
  int64_t running = 1;  // those that have not ended, and one more until the parent waits
};

struct Fiber {
  Continuation continuation;
  WatchedStack watched;
  char* stack = nullptr;
  const char* granted = nullptr;  // how far down it may use the stack without asking for more
  bool large = false;
  // The code that it runs.
  void (*body)(void* closure, int64_t argument) = nullptr;
  void* closure = nullptr;
  int64_t argument = 0;
  // Its part of the program's state.
  uint32_t depth = 0, phase = 0;
  int64_t instance = 0;
  // The handle whose number it waits for, if that must come from another device, and the number.
  int64_t awaited = 0;
  bool awaits = false;
  float value = 0;
  // Fork and join.
  Children* siblings = nullptr;    // it is one of these; null for an instance
  uint32_t* last_depth = nullptr;  // where its final depth goes
  uint32_t* last_epoch = nullptr;
  Fiber* next_waiting = nullptr;  // another one that waits for the same call (graph/memo.h)
};

// Stacks of one size, mapped many at a time, reused, backed by pages as they are touched.
class StackPool {
 public:
  explicit StackPool(size_t bytes) : bytes_((bytes + 4095) / 4096 * 4096) {}
  ~StackPool() {
    for (void* slab : slabs_) munmap(slab, bytes_ * kPerSlab);
  }
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  size_t bytes() const { return bytes_; }
  char* take() {
    if (free_.empty()) {
      take_memory(kPerSlab * kTouched, "the stacks of its fibers");
      void* slab = mmap(nullptr, bytes_ * kPerSlab, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (slab == MAP_FAILED) throw std::bad_alloc();
      slabs_.push_back(slab);
      free_.reserve(slabs_.size() * kPerSlab);
      for (size_t i = kPerSlab; i-- > 0;) free_.push_back(static_cast<char*>(slab) + i * bytes_);
    }
    char* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void give(char* stack) { free_.push_back(stack); }

 private:
  static constexpr size_t kPerSlab = 16;
  static constexpr int64_t kTouched = 8 << 10;  // bytes per stack, with its page table
  size_t bytes_;
  std::vector<void*> slabs_;
  std::vector<char*> free_;
};

class Fibers {
 public:
  Fibers(size_t instance_stack, size_t branch_stack)
      : instance_stacks_(instance_stack), branch_stacks_(branch_stack) {}

  Fiber* current() const { return current_; }
  size_t stack_bytes(const Fiber& f) const {
    return f.large ? instance_stacks_.bytes() : branch_stacks_.bytes();
  }
  const char* top_of_stack(const Fiber& f) const { return f.stack + stack_bytes(f); }
  // The address below which a function must not start.
  static const char* end_of_stack(const Fiber& f) { return f.stack + stack_reserve(); }

  // Makes a fiber that is ready to run. `siblings` is null for an instance.
  Fiber* spawn(Children* siblings, void (*body)(void*, int64_t), void* closure, int64_t argument) {
    Fiber* f = take();
    f->large = siblings == nullptr;
    f->stack = (f->large ? instance_stacks_ : branch_stacks_).take();
    f->granted = std::max(end_of_stack(*f), top_of_stack(*f) - kGranted);
    f->body = body;
    f->closure = closure;
    f->argument = argument;
    f->siblings = siblings;
    f->last_depth = f->last_epoch = nullptr;
    if (siblings != nullptr) siblings->running++;
    f->watched.begin(f->stack, stack_bytes(*f));
    f->continuation.prepare(f->stack, stack_bytes(*f), &Fibers::enter);
    ready_.push_back(f);
    return f;
  }

  // Runs fibers until none can run. `resume(f)` restores the program's state for f before it
  // continues, `finish(f)` takes note of its end. The first exception of a fiber is rethrown here;
  // the other fibers are then dropped where they stopped, which is safe because their frames own
  // nothing.
  template <class Resume, class Finish>
  void run(Resume&& resume, Finish&& finish) {
    main_watched_.begin_here();
    while (!ready_.empty()) {
      Fiber* f = ready_.back();
      ready_.pop_back();
      current_ = f;
      resume(*f);
      running_ = this;
      WatchedStack::leave(main_watched_, f->watched);
      main_.switch_to(f->continuation);
      WatchedStack::arrive(main_watched_, f->watched);
      while (asked_ != nullptr) {
        (*std::exchange(asked_, nullptr))();
        running_ = this;
        WatchedStack::leave(main_watched_, f->watched);
        main_.switch_to(f->continuation);
        WatchedStack::arrive(main_watched_, f->watched);
      }
      current_ = nullptr;
      if (error_) {
        failed_instance_ = f->instance;
        std::rethrow_exception(std::exchange(error_, nullptr));
      }
      if (ended_) {
        ended_ = false;
        finish(*f);
        if (f->siblings != nullptr && --f->siblings->running == 0) {
          ready_.push_back(f->siblings->parent);
        }
        release(f);
      }
    }
  }

  // From within a fiber: stop until the values recorded so far are computed.
  void suspend() {
    suspended_.push_back(current_);
    leave(*current_);
  }
  // From within a fiber: stop until another one wakes it.
  void wait() {
    waiting_++;
    leave(*current_);
  }
  void wake(Fiber* f) {
    waiting_--;
    ready_.push_back(f);
  }
  size_t waiting() const { return waiting_; }
  // From within the parent: stop until the children have ended. They start only now, unless the
  // parent has stopped before.
  void join(Children& children) {
    if (--children.running > 0) leave(*current_);
  }

  // From within a fiber: runs `body`, which must not throw, on the stack that `run` was called on.
  void outside(const std::function<void()>& body) {
    asked_ = &body;
    leave(*current_);
  }

  const std::vector<Fiber*>& suspended() const { return suspended_; }
  void resume_all() {
    ready_.insert(ready_.end(), suspended_.rbegin(), suspended_.rend());
    suspended_.clear();
  }
  int64_t failed_instance() const { return failed_instance_; }

  // Forgets every fiber.
  void reset() {
    for (auto& f : all_) {
      if (f->stack != nullptr) release(f.get());
    }
    ready_.clear();
    suspended_.clear();
    waiting_ = 0;
    error_ = nullptr;
    ended_ = false;
  }

 private:
  static void enter() {
    Fibers* self = running_;
    Fiber* f = self->current_;
    WatchedStack::arrive(f->watched, self->main_watched_);
    try {
      f->body(f->closure, f->argument);
    } catch (...) {
      self->error_ = std::current_exception();
    }
    self->ended_ = true;
    WatchedStack::leave(f->watched, self->main_watched_, true);
    f->continuation.switch_to(self->main_);
    __builtin_unreachable();
  }

  // Switches from the fiber to `run`, until that resumes the fiber.
  void leave(Fiber& f) {
    WatchedStack::leave(f.watched, main_watched_);
    f.continuation.switch_to(main_);
    WatchedStack::arrive(f.watched, main_watched_);
  }

  Fiber* take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Fiber>());
      return all_.back().get();
    }
    Fiber* f = free_.back();
    free_.pop_back();
    return f;
  }
  void release(Fiber* f) {
    (f->large ? instance_stacks_ : branch_stacks_).give(f->stack);
    f->stack = nullptr;
    f->watched.end();
    free_.push_back(f);
  }

  static inline thread_local Fibers* running_ = nullptr;

  static constexpr ptrdiff_t kGranted = ptrdiff_t{128} << 10;

  StackPool instance_stacks_, branch_stacks_;
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_, ready_, suspended_;
  size_t waiting_ = 0;
  Continuation main_;
  WatchedStack main_watched_;
  Fiber* current_ = nullptr;
  const std::function<void()>* asked_ = nullptr;
  std::exception_ptr error_;
  bool ended_ = false;
  int64_t failed_instance_ = 0;
};

}  // namespace acrobat
