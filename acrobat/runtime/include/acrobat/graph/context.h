// The context in which the generated program builds the graph of one mini-batch. Every program
// compiles this header, so it includes little; code that need not be inline is in src/context.cc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "../limits.h"
#include "faults.h"
#include "graph.h"
#include "host.h"
#include "memo.h"
#include "placement.h"
#include "records.h"
#include "signals.h"

namespace acrobat {

class Fibers;
class Stack;
struct Schedule;
struct Trace;

// How many depths ahead the nodes of hoisted blocks run: enough to give a matrix product the rows
// it needs to be fast, but no more rows than a cache holds until they are read.
inline uint32_t depths_ahead(size_t instances) {
  auto n = static_cast<uint32_t>(std::clamp<size_t>(instances, 1, kHoistedRows));
  return std::bit_floor(std::max(kLeastDepthsAhead, kHoistedRows / n));
}

// The node that a block last recorded for one row of a weight, and the mini-batch it belongs to.
struct Recorded {
  uint32_t call = 0, node = 0;
};

// The result of looking up a call. If `ended`, the mini-batch has made the call before. Otherwise
// the call has to be made, and its results noted unless `call` is null.
struct Recalled {
  MemoCall* call;
  bool ended;
};

struct Context {
  explicit Context(Schedule& s) : schedule(s) {}

  Graph graph;
  Placement placement;
  Schedule& schedule;
  Words words;
  Memo memo;
  Signals signals;
  // The depth and phase of the next node of the running instance or branch.
  uint32_t depth = 0, phase = 0;
  uint32_t ahead = 1;  // depths whose hoisted nodes are one batch, a power of two
  // A function whose frame lies below this address needs more stack than was granted so far.
  const char* stack_limit = nullptr;
  const char* memo_limit = nullptr;  // the limit for noted calls, whose frames are larger
  Stack* stack = nullptr;            // the stack of a program that never waits
  // How often each phase has been computed; depths from earlier epochs are no longer valid.
  std::vector<uint32_t> epochs;
  Fibers* fibers = nullptr;   // null in a program that never waits
  HostCalls* host = nullptr;  // null in a program without host functions
  Trace* trace = nullptr;     // null in a call that is not traced
  bool forks = true;          // branches and iterations are fibers of their own
  // The values of tensors, by offset in the arena; null if the arena is on another device, from
  // which values arrive with the next synchronisation.
  const float* values = nullptr;
  float* numbers = nullptr;  // where the program puts numbers that it turns into tensors
  int64_t scalars = 0;       // how many there are so far
  // Per instance: whether a decision read a number that is not finite, or that is whole, like those
  // of masks and positions, which do not show what they were computed from. Null if not wanted.
  uint8_t* doubtful = nullptr;

  // Called at the beginning of every function.
  void enter() {
    if (static_cast<const char*>(__builtin_frame_address(0)) < stack_limit) deeper();
    tick();
  }

  // Called at the beginning of every function and iteration. Some of the calls check whether a
  // signal has arrived; throws Interrupted if its handler raised an exception.
  void tick() {
    if (--patience_ == 0) look_up();
  }

  // Branches and loop iterations that are aligned across instances divide a phase into numbered
  // `subphases`.
  uint32_t subphases = 1;
  uint32_t whole_phase() const { return phase / subphases * subphases; }
  void next_phase() {
    phase = whole_phase() + subphases;
    depth = 0;
  }
  void align() {
    if ((phase + 1) % subphases == 0) return;
    phase++;
    depth = 0;
  }

  // The depth of a hoisted node: the first of the depths that it may precede. Its block has a lower
  // number than any block that depends on it, so it runs before those at the same depth.
  uint32_t hoisted_depth() const { return depth & ~(ahead - 1); }

  // Where a hoisted block notes the node it recorded for row `row` of a weight with `rows` rows.
  Recorded* recorded(int block, int64_t row, int64_t rows) {
    auto& notes = notes_[static_cast<size_t>(block)];
    if (notes.empty()) notes.resize(static_cast<size_t>(rows));
    return &notes[static_cast<size_t>(row)];
  }

  // The same for the row behind a handle: null if it is not a row of that weight, which begins at
  // `start` and has rows of `width` floats.
  Recorded* recorded(int block, Handle row, int64_t rows, int64_t width, int64_t start) {
    const int64_t at = offset_of(row) - start;
    if (node_of(row) != kWeightNode || at < 0 || at >= rows * width || at % width != 0) {
      return nullptr;
    }
    return recorded(block, at / width, rows);
  }

  // Prefetches the note of `row`, a row of that weight. The block may soon ask for it, and no cache
  // holds it if the weight has many rows and the last mini-batch was long ago.
  void prefetch(int block, Handle row, int64_t width, int64_t start) const {
    const auto& notes = notes_[static_cast<size_t>(block)];
    if (notes.empty()) return;
    __builtin_prefetch(&notes[static_cast<size_t>((offset_of(row) - start) / width)]);
  }

  // Whether the noted node belongs to this mini-batch and runs before the nodes that the program
  // records now: it is at depth 0 of the first subphase of its phase.
  template <bool kPhased = false>
  bool is_there(const Recorded& noted) const {
    if (noted.call != call_) return false;
    return !kPhased || graph.phase[noted.node] <= phase || computed(noted.node);
  }
  void note(Recorded& at, size_t node) const { at = {call_, static_cast<uint32_t>(node)}; }

  // Begins a new mini-batch: earlier notes are no longer valid.
  void begin(int blocks) {
    memo.clear();
    notes_.resize(static_cast<size_t>(blocks));
    signals.begin();
    if (++call_ != 0) return;
    for (auto& notes : notes_) std::fill(notes.begin(), notes.end(), Recorded{});
    call_ = 1;
  }

  // Returns the number behind a handle, computing it first if necessary.
  float read(Handle h);

  // Looks up a call that may have been made before; waits if another fiber is making it.
  Recalled recall(const Word* key, size_t length);
  // Notes what the call returned.
  void note(MemoCall& call, const void* results, size_t bytes);

  // Places the node that was recorded last, or else counts it. Returns its number.
  template <int kOperands, int kRows>
  size_t place(uint32_t block, size_t bucket, const int64_t* args, uint32_t at_phase = 0) {
    using Mode = Placement::Mode;
    const size_t node = graph.bucket.size() - 1;
    if (placement.mode == Mode::kByDepth) {
      if (!placement.put<kOperands, kRows>(node, bucket, args, at_phase)) [[unlikely]]
        count_instead(bucket);
    } else if (placement.mode == Mode::kByOrder) {
      if (!placement.put_by_order<kOperands, kRows>(node, block, bucket, args, at_phase))
          [[unlikely]]
        count_instead(bucket);
    } else {
      graph.count_last(bucket, at_phase);
    }
    return node;
  }

  // Saves the running fiber's depth and phase before another fiber runs.
  void remember() const;

  // Returns the result of a host function. Throws InstanceFault for what it raises.
  Word ask(int function, std::initializer_list<Word> arguments);

  // Returns a handle to a number that the program knows.
  Handle scalar(double value) {
    if (scalars == kMaxScalars) fail_scalars();
    numbers[scalars] = static_cast<float>(value);
    return part(kScalarNode, scalars++);
  }

  // The row of a weight with `rows` rows that `index` means; a negative index counts from the end.
  static int64_t gathered_row(const char* weight, int64_t index, int64_t rows) {
    const int64_t row = index < 0 ? index + rows : index;
    if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(rows)) {
      fail_gathered_row(weight, index, rows);
    }
    return row;
  }

  // The same for a tensor of `rows` rows of `size` floats; returns a reference to the row.
  static Handle row_of(Handle tensor, int64_t index, int64_t rows, int64_t size) {
    int64_t at = index < 0 ? index + rows : index;
    if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(rows)) fail_row(index, rows);
    return part(tensor, at * size);
  }

  Word* construct(int tag, int fields) {
    Word* at = words.take(fields + 1);
    at[0].i = tag;
    return at;
  }

 private:
  // Ticks between two looks at the clock: a millisecond at most, if no iteration takes long.
  static constexpr int kPatience = 1 << 12;

  bool computed(uint32_t node) const;
  float fetched(Handle h) const;
  float seen(float value) const;  // marks the instance as doubtful if `value` is
  void deeper();
  void look_up();
  void count_instead(size_t bucket);
  // Runs `body(argument)`, which must not throw, on the thread's own stack, the only one on which
  // Python code may run.
  void outside(void (*body)(void* argument), void* argument);

  std::vector<std::vector<Recorded>> notes_;  // per block, per row of its weight
  uint32_t call_ = 0;
  int patience_ = kPatience;
};

// Branches that run concurrently and may wait, each as a fiber. All start at the same depth, and
// the program continues at the largest depth that any of them reached.
struct Fork {
  using Branch = void (*)(void* closure, int64_t i);

  // Runs closure(0) to closure(n - 1) as fibers and returns when all have ended.
  template <class F>
  static void run(Context& cx, F& closure, int64_t n) {
    run(cx, [](void* f, int64_t i) { (*static_cast<F*>(f))(i); }, &closure, n);
  }
  static void run(Context& cx, Branch branch, void* closure, int64_t n);

  // Runs closure(0) to closure(n - 1) one after the other, without fibers.
  template <class F>
  static void in_turn(Context& cx, F& closure, int64_t n) {
    in_turn(cx, [](void* f, int64_t i) { (*static_cast<F*>(f))(i); }, &closure, n);
  }
  static void in_turn(Context& cx, Branch branch, void* closure, int64_t n);
};

}  // namespace acrobat
