// The context in which the generated program builds the graph of one mini-batch. Every program
// compiles this header, so it includes little; what need not be inline is in src/context.cc.
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
#include "records.h"
#include "signals.h"

namespace acrobat {

class Fibers;
class Stack;
struct Schedule;
struct Trace;

// How many depths the nodes of hoisted blocks are taken ahead: enough rows for a matrix product to
// be fast, and no more than a cache holds until they are read.
inline uint32_t depths_ahead(size_t instances) {
  auto n = static_cast<uint32_t>(std::clamp<size_t>(instances, 1, kHoistedRows));
  return std::bit_floor(std::max(kLeastDepthsAhead, kHoistedRows / n));
}

// The node that a block recorded last for one row of a weight, and in which mini-batch.
struct Recorded {
  uint32_t call = 0, node = 0;
};

// A call that the mini-batch has made before, if it has `ended`; or one to make and note; or null:
// one to make.
struct Recalled {
  MemoCall* call;
  bool ended;
};

struct Context {
  explicit Context(Schedule& s) : schedule(s) {}

  Graph graph;
  Schedule& schedule;
  Words words;
  Memo memo;
  Signals signals;
  // Of the instance or branch that is running: the depth and the phase of its next node.
  uint32_t depth = 0, phase = 0;
  uint32_t ahead = 1;  // depths whose hoisted nodes are one batch, a power of two
  // Below this address a function asks for more stack than it has been granted so far.
  const char* stack_limit = nullptr;
  const char* memo_limit = nullptr;  // the same for calls that are noted, whose frames are larger
  Stack* stack = nullptr;            // that of a program that never waits
  // How often each phase has been computed: depths from before count no more.
  std::vector<uint32_t> epochs;
  Fibers* fibers = nullptr;   // null in a program that never waits
  HostCalls* host = nullptr;  // null in a program that leaves nothing to Python
  Trace* trace = nullptr;     // null in a call that nobody watches
  bool forks = true;          // branches and iterations are fibers of their own
  // What tensors hold, by offset in the arena; null if the arena is on another device, from which
  // values come with the next synchronisation.
  const float* values = nullptr;
  float* numbers = nullptr;  // where the program puts numbers that it makes tensors of
  int64_t scalars = 0;       // how many these are
  // By instance, whether a decision has read a number that is not finite, or whole, as those of
  // masks and positions are, which do not show what they were made of. Null: nobody asks.
  uint8_t* doubtful = nullptr;

  // At the beginning of every function.
  void enter() {
    if (static_cast<const char*>(__builtin_frame_address(0)) < stack_limit) deeper();
    tick();
  }

  // At the beginning of every function and iteration: some of them look whether a signal has
  // arrived. Interrupted if its handler raised an exception.
  void tick() {
    if (--patience_ == 0) look_up();
  }

  // Branches and the iterations of loops that are aligned across instances divide a phase into
  // `subphases`, each of which has a number.
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

  // Of a hoisted node: the first of the depths that it may precede. Its block's number is lower
  // than that of any block that depends on it, so it runs before what else has this depth.
  uint32_t hoisted_depth() const { return depth & ~(ahead - 1); }

  // Where a hoisted block notes the node it recorded for row `row` of a weight of `rows` rows.
  Recorded* recorded(int block, int64_t row, int64_t rows) {
    auto& notes = notes_[static_cast<size_t>(block)];
    if (notes.empty()) notes.resize(static_cast<size_t>(rows));
    return &notes[static_cast<size_t>(row)];
  }

  // The same for what is behind a handle: null if it is no row of that weight, which begins at
  // `start` and has rows of `width` floats.
  Recorded* recorded(int block, Handle row, int64_t rows, int64_t width, int64_t start) {
    const int64_t at = offset_of(row) - start;
    if (node_of(row) != kWeightNode || at < 0 || at >= rows * width || at % width != 0) {
      return nullptr;
    }
    return recorded(block, at / width, rows);
  }

  // `row` is a row of that weight: the block may soon ask what it noted for it, which no cache
  // holds if the weight has many rows and the last mini-batch was long ago.
  void prefetch(int block, Handle row, int64_t width, int64_t start) const {
    const auto& notes = notes_[static_cast<size_t>(block)];
    if (notes.empty()) return;
    __builtin_prefetch(&notes[static_cast<size_t>((offset_of(row) - start) / width)]);
  }

  // Whether the noted node is of this mini-batch and runs before what the program records now: it
  // is at depth 0 of the first subphase of its phase.
  template <bool kPhased = false>
  bool is_there(const Recorded& noted) const {
    if (noted.call != call_) return false;
    return !kPhased || graph.phase[noted.node] <= phase || computed(noted.node);
  }
  void note(Recorded& at, size_t node) const { at = {call_, static_cast<uint32_t>(node)}; }

  // A new mini-batch: what was noted counts no more.
  void begin(int blocks) {
    memo.clear();
    notes_.resize(static_cast<size_t>(blocks));
    signals.begin();
    if (++call_ != 0) return;
    for (auto& notes : notes_) std::fill(notes.begin(), notes.end(), Recorded{});
    call_ = 1;
  }

  // The number behind a handle, which is computed first if it has to be.
  float read(Handle h);

  // What is known of a call of which another one like it may have been made; waits for one that
  // another fiber makes.
  Recalled recall(const Word* key, size_t length);
  // What it returned.
  void note(MemoCall& call, const void* results, size_t bytes);

  // Notes the running fiber's state before another one runs.
  void remember() const;

  // The result of a function that is left to Python. InstanceFault for what it raises.
  Word ask(int function, std::initializer_list<Word> arguments);

  // A handle to a number that the program knows.
  Handle scalar(double value) {
    if (scalars == kMaxScalars) fail_scalars();
    numbers[scalars] = static_cast<float>(value);
    return part(kScalarNode, scalars++);
  }

  // Which of the `rows` rows of a weight `index` means; negative ones count from the end.
  static int64_t gathered_row(const char* weight, int64_t index, int64_t rows) {
    const int64_t row = index < 0 ? index + rows : index;
    if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(rows)) {
      fail_gathered_row(weight, index, rows);
    }
    return row;
  }

  // The same of a tensor of `rows` rows of `size` floats: a reference to the row.
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
  // Between two looks at the clock: a millisecond at most, if no iteration takes long.
  static constexpr int kPatience = 1 << 12;

  bool computed(uint32_t node) const;
  float fetched(Handle h) const;
  float seen(float value) const;  // that a decision reads
  void deeper();
  void look_up();
  // Runs `body(argument)`, which must not throw, on the thread's own stack: Python knows no other.
  void outside(void (*body)(void* argument), void* argument);

  std::vector<std::vector<Recorded>> notes_;  // per block, per row of its weight
  uint32_t call_ = 0;
  int patience_ = kPatience;
};

// Branches that run side by side and may wait, each a fiber: all start at the same depth, and the
// program goes on at the largest that one of them has reached.
struct Fork {
  using Branch = void (*)(void* closure, int64_t i);

  // Runs closure(0) to closure(n - 1) as fibers and returns when all have ended.
  template <class F>
  static void run(Context& cx, F& closure, int64_t n) {
    run(cx, [](void* f, int64_t i) { (*static_cast<F*>(f))(i); }, &closure, n);
  }
  static void run(Context& cx, Branch branch, void* closure, int64_t n);
};

}  // namespace acrobat
