// The plan that a layout fills in: the batches of a mini-batch, level by level, and the offsets of
// their operands.
#pragma once

#include <acrobat/generated.h>
#include <acrobat/python/convert.h>
#include <acrobat/schedule/arena.h>
#include <acrobat/schedule/schedule.h>

#include <vector>

namespace cortex {

using acrobat::Arena;
using acrobat::Batch;
using acrobat::Handle;
using acrobat::Inputs;
using acrobat::Schedule;
using acrobat::Word;
using acrobat::Words;

// A handle to the value at an offset in the arena.
inline Handle at(int64_t offset) { return acrobat::part(acrobat::kWeightNode, offset); }

// The batches of a mini-batch, in order, and the offsets of their operands. A *step* is a sequence
// of batches followed by a barrier: in a shared step every batch is partitioned among the threads
// (with a barrier after every kernel); in the others every thread has its own batches, which read
// only values computed by that thread in this step, or by any thread in an earlier one.
struct Plan {
  struct Step {
    bool shared;
    size_t end;               // past the step's last batch
    std::vector<size_t> own;  // for each thread, past its last batch
  };

  Schedule& schedule;
  Words& words;
  std::vector<Step>& steps;

  // Adds a batch of `n` nodes of a block; the caller fills in their operands through `operand`.
  Batch& add(int block, uint32_t n) {
    const acrobat::BlockInfo& info = acrobat::kBlockInfo[block];
    Batch batch{block, n, schedule.floats, schedule.offsets.size(), 0, n};
    schedule.offsets.grow(static_cast<size_t>(n) * (info.operands + info.gathered_rows));
    schedule.floats += n * info.record;
    Arena::require(schedule.floats);
    schedule.batches.push_back(batch);
    return schedule.batches.back();
  }
  int32_t& operand(const Batch& b, int number, uint32_t node) {
    return schedule.offsets[b.first + static_cast<size_t>(number) * b.n + node];
  }
  static int64_t record(const Batch& b, uint32_t node) {
    return b.record + node * acrobat::kBlockInfo[b.block].record;
  }
  void end_shared_step() { steps.push_back({true, schedule.batches.size(), {}}); }
};

}  // namespace cortex
