// Places nodes while they are recorded.
//
// A batch's records and offsets are contiguous, so the place of a node's record and offsets depends
// on how many nodes earlier batches have, which is known only when all nodes are recorded. But
// mini-batches of a program are alike. So here every batch has room for somewhat more nodes than it
// had so far, and a node is placed and its operands are resolved as soon as it is recorded. Memory
// that is not filled is never touched. If a batch turns out to have too little room, all nodes are
// counted after all, and later mini-batches get more room (schedule/placed.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "../schedule/order.h"
#include "graph.h"

namespace acrobat {

// A batch that has room: where the next node's offsets go and where the room for them ends; where
// the next node's record begins, and how wide records are, in floats.
struct Position {
  int32_t *offsets, *end;
  int64_t record;
  uint32_t room, width;
};

class Placement {
 public:
  enum class Mode { kOff, kByDepth, kByOrder } mode = Mode::kOff;

  // In the order in which they run: those of `rooms`. Of an order, if there is one.
  std::vector<Position> positions;
  std::shared_ptr<const Rooms> rooms;
  const size_t* first = nullptr;  // of each phase, and where the last one ends
  // The order, or null. By block and position: before which position a node that may run from there
  // on runs (Order::behind). Those that would run behind all positions run at one without room.
  std::shared_ptr<const Order> order;
  std::vector<uint32_t*> next;
  // By node, as many as there is room for: where its record begins, in floats; and, by an order,
  // the first position at which its readers may run.
  int64_t* records = nullptr;
  uint32_t* behind = nullptr;
  // By position of the order: the first one at which all its nodes may run.
  std::vector<uint32_t> reads;
  // Whether positions are guessed, and how often that was wrong in this mini-batch.
  bool guesses = true;
  uint32_t misses = 0;

  // Places a node in its bucket. False if there is too little room.
  template <int kOperands, int kRows>
  [[gnu::noinline]] bool put(size_t node, size_t bucket, const int64_t* args, uint32_t phase) {
    const size_t at = first[phase] + bucket;
    if (at >= first[phase + 1]) [[unlikely]]
      return false;
    return put_at<kOperands, kRows>(positions[at], node, args);
  }

  // Places a node by the order. False if there is too little room.
  //
  // A node's position depends on those of its operands, which were stored a moment ago. If the
  // addresses of what is stored for the node had to wait for that, so would all loads behind them,
  // since processors do not know yet that these read something else. So the position is guessed
  // first: it is where the last node of the same bucket went. If guesses are often wrong, it is
  // faster to wait.
  template <int kOperands, int kRows>
  [[gnu::noinline]] bool put_by_order(size_t node, uint32_t block, size_t bucket,
                                      const int64_t* args, uint32_t phase) {
    uint32_t from = 0;
#pragma GCC unroll 8
    for (int j = 0; j < kOperands; j++) from = std::max(from, behind[node_of(args[j])]);
    uint32_t after = next[block][from];
    if (guesses) {
      uint32_t& last = last_[(bucket + phase * 101) % kBuckets];
      uint32_t guess = last;
      // Keeps the compiler from using `after` where the two are equal.
      asm("" : "+r"(guess));
      if (last != after) [[unlikely]]
        misses++, guess = last = after;
      after = guess;
    }
    behind[node] = after;
    const size_t at = after - size_t{1};
    if (from > reads[at]) reads[at] = from;
    return put_at<kOperands, kRows>(positions[at], node, args);
  }

  // Takes over positions, and the order that they are of, if any.
  void take(std::shared_ptr<const Rooms> taken, std::shared_ptr<const Order> by, size_t n_blocks) {
    rooms = std::move(taken);
    first = rooms->first.data();
    positions.assign(rooms->first.back(), Position{});
    order = std::move(by);
    if (order == nullptr) return;
    guesses = true;
    const auto n = static_cast<uint32_t>(positions.size());
    positions.push_back({});
    table_.resize(n_blocks * (size_t{n} + 1));
    next.clear();
    for (uint32_t block = 0; block < n_blocks; block++) {
      next.push_back(&table_[block * (size_t{n} + 1)]);
      for (uint32_t from = 0; from <= n; from++) {
        next[block][from] = std::min(order->behind(block, from), n + 1);
      }
    }
  }

 private:
  template <int kOperands, int kRows>
  [[gnu::always_inline]] bool put_at(Position& position, size_t node, const int64_t* args) {
    int32_t* out = position.offsets;
    if (out == position.end) [[unlikely]]
      return false;
    position.offsets = out + 1;
    int64_t* const located = records;
    located[node] = position.record;
    position.record += position.width;
    const size_t room = position.room;
#pragma GCC unroll 8
    for (int j = 0; j < kOperands; j++, out += room) {
      *out = static_cast<int32_t>(located[node_of(args[j])] + offset_of(args[j]));
    }
#pragma GCC unroll 8
    for (int j = 0; j < kRows; j++, out += room) *out = static_cast<int32_t>(args[kOperands + j]);
    return true;
  }

  // By bucket of any phase, some of which share an entry.
  static constexpr size_t kBuckets = 1024;
  uint32_t last_[kBuckets] = {};
  std::vector<uint32_t> table_;
};

}  // namespace acrobat
