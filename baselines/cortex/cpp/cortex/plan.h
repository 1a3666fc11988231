// What a layout fills in: the batches of a mini-batch, level by level, and where they read.
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

// A handle to what lies at an offset in the arena.
inline Handle at(int64_t offset) { return acrobat::part(acrobat::kWeightNode, offset); }

// The batches of a mini-batch, in order, and the offsets of their operands. A *step* is a run of
// batches with a barrier behind it: in a shared one every batch is partitioned over the threads
// (with a barrier after every kernel), in the others every thread has batches of its own, which
// only read what that thread has computed in this step or any in an earlier one.
struct Plan {
  struct Step {
    bool shared;
    size_t end;               // behind its last batch
    std::vector<size_t> own;  // of each thread, behind its last batch
  };

  Schedule& schedule;
  Words& words;
  std::vector<Step>& steps;

  // Adds `n` nodes of a block; they are filled in through `operand`.
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
