// What the address and the thread sanitizer must know about stacks that are switched by hand: which
// stack is left, which one is entered, and where it lies. Does nothing without a sanitizer.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace acrobat {

// A stack as the sanitizers see it. Every switch is `leave(from, to)`, the switch itself, and on
// the other side `arrive(to, from)`.
struct WatchedStack {
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  size_t bytes = 0;
  void* fake = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
  void* fiber = nullptr;
#endif

  // Something new is about to run on this stack of our own. What ran there before may have been
  // dropped in the middle of its calls.
  void begin([[maybe_unused]] const void* at, [[maybe_unused]] size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(at, size);
    bottom = at;
    bytes = size;
    fake = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
    fiber = __tsan_create_fiber(0);
#endif
  }
  // Nothing runs on this stack any more; called from another stack.
  void end() {
#if defined(__SANITIZE_THREAD__)
    if (fiber != nullptr) __tsan_destroy_fiber(fiber);
    fiber = nullptr;
#endif
  }
  // This is the stack that is running now, which is not one of ours.
  void begin_here() {
#if defined(__SANITIZE_THREAD__)
    fiber = __tsan_get_current_fiber();
#endif
  }

  // `last`: nothing will return to `from`. Inlined, because the thread sanitizer counts the entry
  // and exit of a function on the stack on which they occur.
  [[gnu::always_inline]] static void leave([[maybe_unused]] WatchedStack& from,
                                           [[maybe_unused]] const WatchedStack& to,
                                           [[maybe_unused]] bool last = false) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(last ? nullptr : &from.fake, to.bottom, to.bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to.fiber, 0);
#endif
  }
  [[gnu::always_inline]] static void arrive([[maybe_unused]] WatchedStack& to,
                                            [[maybe_unused]] WatchedStack& from) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(to.fake, &from.bottom, &from.bytes);
#endif
  }
};

}  // namespace acrobat
