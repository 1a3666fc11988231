// Memoised calls: what a generated program does with a call on a shared object.
#include <cstring>
#include <utility>

#include "acrobat/fibers/fibers.h"
#include "acrobat/graph/context.h"

namespace acrobat {

Recalled Context::recall(const Word* key, size_t length) {
  MemoCall* call = memo.find(key, length);
  Fiber* self = fibers == nullptr ? nullptr : fibers->current();
  bool has_room = static_cast<const char*>(__builtin_frame_address(0)) >= memo_limit;
  if (call == nullptr) {
    if (!has_room) return {nullptr, false};
    call = &memo.add(key, length, words);
  } else {
    if (call->runs) {
      // The function calls itself with the same arguments: this overflows the stack, as in Python.
      if (call->runner == self) return {nullptr, false};
      uint32_t epoch = epochs[phase];
      self->next_waiting = std::exchange(call->waiting, self);
      remember();
      fibers->wait();
      if (epochs[phase] != epoch) depth = 0;
    }
    // Results of a later phase of the program, which another instance has reached, come too late.
    if (!call->runs && call->phase / subphases <= phase / subphases) {
      uint32_t after = epochs[call->phase] == call->epoch ? call->depth : 0;
      if (call->phase == phase) depth = std::max(depth, after);
      if (call->phase > phase) phase = call->phase, depth = after;
      return {call, true};
    }
    if (!has_room || call->runs) return {nullptr, false};
  }
  call->runs = true;
  call->runner = self;
  return {call, false};
}

void Context::note(MemoCall& call, const void* results, size_t bytes) {
  if (call.results == nullptr) call.results = words.take((bytes + sizeof(Word) - 1) / sizeof(Word));
  std::memcpy(call.results, results, bytes);
  call.depth = depth;
  call.phase = phase;
  call.epoch = epochs[phase];
  call.runs = false;
  while (Fiber* f = call.waiting) {
    call.waiting = std::exchange(f->next_waiting, nullptr);
    fibers->wake(f);
  }
}

}  // namespace acrobat
