// The rarely executed paths of a generated program: waiting for values, branches that suspend,
// errors. Compiled once, so that programs need not include everything that this file does.
#include "acrobat/graph/context.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "acrobat/errors.h"
#include "acrobat/fibers/fibers.h"
#include "acrobat/fibers/stack.h"
#include "acrobat/graph/shown.h"
#include "acrobat/memory.h"
#include "acrobat/python/signals.h"
#include "acrobat/schedule/schedule.h"

namespace acrobat {

void fail_stack() { throw StackOverflow("the model recursed deeper than its stack holds"); }

void fail_graph() {
  throw CapacityError(
      "the mini-batch makes more nodes, depths or list items than can be numbered; pass fewer "
      "instances per call, or see whether every loop and recursion of the model ends");
}

void fail_gathered_row(const char* weight, int64_t index, int64_t rows) {
  throw InstanceFault("row " + std::to_string(index) + " of " + weight +
                      " does not exist: it has rows 0 to " + std::to_string(rows - 1));
}

void fail_row(int64_t index, int64_t rows) {
  throw InstanceFault("row " + std::to_string(index) + " of a tensor of " + std::to_string(rows) +
                      " rows does not exist");
}

void fail_list_index(int64_t index, int64_t length) {
  throw InstanceFault("list index " + std::to_string(index) + " is out of range: the list has " +
                      std::to_string(length) + (length == 1 ? " item" : " items"));
}

void fail_scalars() {
  throw CapacityError("the mini-batch makes more than " + std::to_string(kMaxScalars) +
                      " tensors out of numbers; pass fewer instances per call");
}

void fail_overflow(const char* operation) {
  throw InstanceFault(std::string("the result of `") + operation +
                      "` on integers does not fit into 64 bits");
}

void fail_instance(const char* what) { throw InstanceFault(what); }

void fail_with(std::initializer_list<MessagePart> message) {
  std::string text;
  for (const MessagePart& part : message) {
    switch (part.kind) {
      case MessagePart::Kind::kText:
        text += part.text;
        break;
      case MessagePart::Kind::kInt:
        text += std::to_string(part.whole);
        break;
      case MessagePart::Kind::kFloat:
        text += shown(part.number);
        break;
      case MessagePart::Kind::kBool:
        text += part.truth ? "True" : "False";
        break;
      case MessagePart::Kind::kString:
        text += MessagePart::kBegin + std::to_string(part.whole) + MessagePart::kEnd;
        break;
    }
  }
  throw InstanceFault(text);
}

// A stack is granted step by step, so that one that grows without bound does not take all memory.
void Context::deeper() {
  Fiber* fiber = fibers == nullptr ? nullptr : fibers->current();
  const char* end = fiber != nullptr ? fibers->end_of_stack(*fiber) : stack->end();
  const char* top = fiber != nullptr ? fibers->top_of_stack(*fiber) : stack->top();
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  while (here < stack_limit) {
    if (stack_limit <= end) fail_stack();
    const int64_t more =
        std::min(std::max<int64_t>(top - stack_limit, kStackStep), stack_limit - end);
    take_memory(more, "the stack of its recursion");
    stack_limit -= more;
    if (fiber != nullptr) fiber->granted = stack_limit;
  }
}

bool Signals::due() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t time = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (looked_ != 0 && time - looked_ < 100'000'000) return false;
  const bool first = looked_ == 0;
  looked_ = time;
  return !first && gettid() == getpid();
}

// The node that was recorded last has no place.
void Context::count_instead(size_t bucket) {
  if (bucket > UINT32_MAX) fail_graph();
  schedule.unplace(placement);
  graph.count_all();
}

void Context::look_up() {
  patience_ = kPatience;
  if (!signals.due()) return;
  bool arrived = false;
  outside([](void* found) { *static_cast<bool*>(found) = signal_arrived(); }, &arrived);
  if (arrived) throw Interrupted();
}

void Context::outside(void (*body)(void* argument), void* argument) {
  const std::function<void()> run = [&] { body(argument); };
  if (fibers != nullptr && fibers->current() != nullptr) {
    fibers->outside(run);
  } else {
    stack->outside(run);
  }
}

void Signals::look_now() {
  if (signal_arrived()) throw Interrupted();
}

bool Context::computed(uint32_t node) const { return schedule.computed(node); }

float Context::read(Handle h) {
  if (values == nullptr) return seen(fetched(h));
  while (!schedule.computed(node_of(h))) {
    remember();
    fibers->suspend();
  }
  return seen(values[schedule.resolve(h)]);
}

float Context::seen(float value) const {
  if (doubtful != nullptr && (!std::isfinite(value) || std::trunc(value) == value)) {
    doubtful[fibers->current()->instance] = 1;
  }
  return value;
}

void Context::remember() const {
  fibers->current()->depth = depth;
  fibers->current()->phase = phase;
}

// Gets a number from another device: a synchronisation brings what fibers say they wait for.
float Context::fetched(Handle h) const {
  Fiber* self = fibers->current();
  self->awaited = h;
  for (self->awaits = true; self->awaits;) {
    remember();
    fibers->suspend();
  }
  return self->value;
}

namespace {

// The depths at which the branches of a fork start and end.
class Depths {
 public:
  explicit Depths(const Context& cx) : cx_(cx), start_(cx.depth), epoch_(cx.epochs[cx.phase]) {}

  // The depth at which all branches start, or 0 if everything before it has been computed by now.
  uint32_t start() const { return epoch_ == cx_.epochs[cx_.phase] ? start_ : 0; }
  uint32_t end() const { return std::max(end_, start()); }
  void merge(uint32_t depth, uint32_t epoch) {
    uint32_t now = cx_.epochs[cx_.phase];
    if (end_epoch_ != now) end_ = 0, end_epoch_ = now;
    if (epoch == now) end_ = std::max(end_, depth);
  }

 private:
  const Context& cx_;
  uint32_t start_, epoch_, end_ = 0, end_epoch_ = 0;
};

// Recursion deeper than this goes on to the stacks of other fibers.
constexpr ptrdiff_t kRoomForBranches = ptrdiff_t{64} << 10;

// Runs the first branch on the stack of the fiber that forks, as long as that has not grown much,
// and the others as fibers, which begin when the first one waits or ends.
void run_fibers(Context& cx, Fork::Branch branch, void* closure, int64_t n, Depths& depths) {
  Fibers& fibers = *cx.fibers;
  Fiber* parent = fibers.current();
  Children children{parent};
  // Where each fiber notes its final depth, and the epoch of its phase at that time.
  static_assert(sizeof(Word) == 2 * sizeof(uint32_t));
  auto* last = reinterpret_cast<uint32_t*>(cx.words.take(static_cast<size_t>(n)));
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const bool has_room = fibers.top_of_stack(*parent) - here < kRoomForBranches;
  const uint32_t phase = cx.phase;
  for (int64_t i = n; i-- > (has_room ? 1 : 0);) {
    Fiber* f = fibers.spawn(&children, branch, closure, i);
    f->depth = depths.start();
    f->phase = cx.phase;
    f->instance = parent->instance;
    f->last_depth = last + 2 * i;
    f->last_epoch = last + 2 * i + 1;
  }
  if (has_room && n > 0) {
    cx.depth = depths.start();
    branch(closure, 0);
    last[0] = cx.depth;
    last[1] = cx.epochs[cx.phase];
    cx.phase = phase;
  }
  cx.remember();
  fibers.join(children);
  for (int64_t i = 0; i < n; i++) depths.merge(last[2 * i], last[2 * i + 1]);
}

}  // namespace

void Fork::run(Context& cx, Branch branch, void* closure, int64_t n) {
  if (!cx.forks) return in_turn(cx, branch, closure, n);
  Depths depths(cx);
  run_fibers(cx, branch, closure, n, depths);
  cx.depth = depths.end();
}

void Fork::in_turn(Context& cx, Branch branch, void* closure, int64_t n) {
  Depths depths(cx);
  for (int64_t i = 0; i < n; i++) {
    cx.depth = depths.start();
    branch(closure, i);
    depths.merge(cx.depth, cx.epochs[cx.phase]);
  }
  cx.depth = depths.end();
}

}  // namespace acrobat
