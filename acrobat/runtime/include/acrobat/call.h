// The state of one call of a program, besides what all calls share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "fibers/fibers.h"
#include "fibers/stack.h"
#include "generated.h"
#include "graph/context.h"
#include "memory.h"
#include "schedule/schedule.h"

namespace acrobat {

// Buffers of one call, reused by later ones. In a program that waits, instances are fibers with
// stacks of a sixteenth of `stack_bytes` each, and branches have a kibibyte per mebibyte of it. All
// stacks have room for some frames of the largest function.
template <class Device>
struct Call {
  Call(size_t stack_bytes, const Device& device)
      : stack(stack_bytes),
        fibers(stack_of(stack_bytes, 4, 256 << 10), stack_of(stack_bytes, 10, 128 << 10)),
        buffers(device.buffers()) {}

  static size_t stack_of(size_t bytes, int shift, size_t least) {
    // A thousand of these stacks must not take all addresses that a limited process has.
    const size_t most = static_cast<size_t>(addresses_left()) >> (shift + 6);
    return std::max(std::min(bytes >> shift, most), least) + 2 * stack_reserve() - (128 << 10);
  }
  Stack stack;
  Fibers fibers;
  Schedule schedule;
  Context context{schedule};
  std::unique_ptr<typename Device::Buffers> buffers;
  std::vector<Word> results;
};

}  // namespace acrobat
