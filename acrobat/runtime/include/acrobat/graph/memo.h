// The results that calls of the model's functions have returned in this mini-batch. Functions are
// pure: calls with the same objects and the same other arguments have the same value, so a directed
// acyclic graph of objects takes one call per object, not per path.
//
// Only calls on an object that several paths of the mini-batch lead to are memoised
// (python/mark_shared.h): the others run once if their callers do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "hash_index.h"
#include "records.h"

namespace acrobat {

struct Fiber;

// A call, identified by its function and arguments (`key`). `results` exist once it has ended, at
// depth `depth` of phase `phase`, which had been computed `epoch` times by then. While it `runs`,
// on the fiber `runner`, other fibers that need the same value wait for it (in a list linked
// through Fiber::next_waiting).
struct MemoCall {
  const Word* key = nullptr;
  Word* results = nullptr;
  Fiber *runner = nullptr, *waiting = nullptr;
  uint32_t length = 0, depth = 0, phase = 0, epoch = 0;
  bool runs = false;
};

class Memo {
 public:
  MemoCall* find(const Word* key, size_t length) {
    uint32_t i =
        index_.find(hash(key, length), [&](uint32_t j) { return is(calls_[j], key, length); });
    return i == HashIndex::kNone ? nullptr : &calls_[i];
  }

  // Adds a call; its key is stored in `words`.
  MemoCall& add(const Word* key, size_t length, Words& words) {
    Word* kept = words.take(length);
    std::copy(key, key + length, kept);
    MemoCall& call = calls_.emplace_back();
    call.key = kept;
    call.length = static_cast<uint32_t>(length);
    index_.add(hash(key, length),
               [&](uint32_t i) { return hash(calls_[i].key, calls_[i].length); });
    return call;
  }

  void clear() {
    if (calls_.empty()) return;
    calls_.clear();
    index_.clear();
  }

 private:
  static size_t hash(const Word* key, size_t length) {
    size_t h = length;
    for (size_t i = 0; i < length; i++) h = HashIndex::mix(h, static_cast<uint64_t>(key[i].i));
    return h;
  }
  static bool is(const MemoCall& call, const Word* key, size_t length) {
    return call.length == length &&
           std::equal(key, key + length, call.key, [](Word a, Word b) { return a.i == b.i; });
  }

  std::deque<MemoCall> calls_;  // a deque: their addresses stay valid
  HashIndex index_;
};

}  // namespace acrobat
