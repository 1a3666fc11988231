// Linearisation of sequences: recursions along a list of ints, forwards or backwards, and one
// output per item, computed from the states at that item. Because instances are sorted by length,
// those still running at a step are the first ones, so every step is a dense batch.
//
// `G` is generated and describes the model:
//   kDirections, kStates, kUnroll
//   kReversed[d], kStepBlock[d]
//   kStart[d][s]                         the offset of state s before the first item
//   kStepOperands[d], kStepOperand[d][j]  the step block's operand j: an input or a state
//   kStepState[d][s]                     where state s lies in a record
//   kInputBlock[d]                       the block computed first, for every item (-1: none)
//   kInputAt[d][k]                       where input k lies in a record
//   tables<d>(int64_t item, int64_t*)    the gathered rows of both blocks
//   kStepTable[d][j], kInputTable[d][j]  which of these the block gathers as its j-th row
//   kOutputBlock, kOutputOperands, kOutputOperand[j]  {direction, state}
//   kOutputAt                            where the output lies in a record
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "plan.h"

namespace cortex {

struct StepOperand {
  bool input;
  int number;
};

struct OutputOperand {
  int direction, state;
};

template <class G>
class Sequences {
 public:
  void lay_out(const Inputs& in, int threads, Plan& plan, Word* results) {
    sort(in);
    inputs(in, plan);
    arrange(plan, threads);
    fill(in, plan);
    output(in, plan, results);
  }

 private:
  static int64_t length(const Inputs& in, size_t i) { return acrobat::list_len(in.arguments[i].p); }

  // Sorts the instances by length, longest first, and counts those longer than t, for every t.
  void sort(const Inputs& in) {
    int64_t longest = 0;
    for (size_t i = 0; i < in.n; i++) longest = std::max(longest, length(in, i));
    active_.assign(static_cast<size_t>(longest) + 1, 0);
    for (size_t i = 0; i < in.n; i++) active_[static_cast<size_t>(length(in, i))]++;
    // Turns the number of instances of length t into that of longer ones: where length t begins.
    uint32_t longer = 0;
    for (size_t t = active_.size(); t-- > 0;) longer += std::exchange(active_[t], longer);
    order_.resize(in.n);
    next_ = active_;
    for (size_t i = 0; i < in.n; i++) order_[next_[static_cast<size_t>(length(in, i))]++] = i;
  }
  size_t steps() const { return active_.size() - 1; }

  // Adds one batch per direction over all items of all instances, in the order of `order_`.
  void inputs(const Inputs& in, Plan& plan) {
    first_.resize(in.n + 1);
    first_[0] = 0;
    for (size_t i = 0; i < in.n; i++) first_[i + 1] = first_[i] + length(in, order_[i]);
    const uint32_t n = static_cast<uint32_t>(first_[in.n]);
    bool any = false;
    for (int d = 0; d < G::kDirections; d++) {
      if (G::kInputBlock[d] < 0 || n == 0) continue;
      input_[d] = plan.add(G::kInputBlock[d], n);
      any = true;
    }
    if (any) plan.end_shared_step();
  }

  // Adds the batches. That of direction d, step t and thread k has the number
  // batch_[(t * kDirections + d) * partitions_ + k].
  void arrange(Plan& plan, int threads) {
    const bool unrolled = G::kUnroll > 1 && threads > 1;
    partitions_ = unrolled ? threads : 1;
    batch_.assign(steps() * G::kDirections * partitions_, 0);
    for (size_t low = 0; low < steps(); low += G::kUnroll) {
      size_t high = std::min(steps(), low + G::kUnroll);
      std::vector<size_t> own;
      for (int k = 0; k < partitions_; k++) {
        for (size_t t = low; t < high; t++) {
          uint32_t n =
              std::min(active_[t], begin(low, k + 1)) - std::min(active_[t], begin(low, k));
          for (int d = 0; d < G::kDirections && n > 0; d++) {
            batch_[(t * G::kDirections + d) * partitions_ + k] = plan.schedule.batches.size();
            plan.add(G::kStepBlock[d], n);
          }
        }
        own.push_back(plan.schedule.batches.size());
      }
      if (unrolled) {
        plan.steps.push_back({false, own.back(), own});
      } else {
        plan.end_shared_step();
      }
    }
  }

  // The first instance, in order of length, of thread k in the unrolled step that begins at t.
  uint32_t begin(size_t t, int k) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(active_[t]) * k / partitions_);
  }

  void fill(const Inputs& in, Plan& plan) {
    record_.resize(static_cast<size_t>(first_[in.n]) * G::kDirections);
    direction<0>(in, plan);
  }

  template <int d>
  void direction(const Inputs& in, Plan& plan) {
    const acrobat::BlockInfo& info = acrobat::kBlockInfo[G::kStepBlock[d]];
    for (size_t t = 0; t < steps(); t++) {
      const size_t low = t / G::kUnroll * G::kUnroll;
      for (int k = 0; k < partitions_; k++) {
        const uint32_t start = begin(low, k);
        const uint32_t end = std::min(active_[t], begin(low, k + 1));
        if (start >= end) continue;
        const Batch& batch =
            plan.schedule.batches[batch_[(t * G::kDirections + d) * partitions_ + k]];
        for (uint32_t i = start; i < end; i++) {
          const acrobat::List& items = acrobat::list_of(in.arguments[order_[i]].p);
          const size_t p = G::kReversed[d] ? items.length - 1 - t : t;
          int64_t* record = &record_[(first_[i] + p) * G::kDirections + d];
          const int64_t* before =
              G::kReversed[d] ? record + G::kDirections : record - G::kDirections;
          *record = Plan::record(batch, i - start);
          const uint32_t item = static_cast<uint32_t>(first_[i] + p);
          for (int j = 0; j < G::kStepOperands[d]; j++) {
            const auto [input, s] = G::kStepOperand[d][j];
            const int64_t from = input    ? Plan::record(input_[d], item) + G::kInputAt[d][s]
                                 : t == 0 ? G::kStart[d][s]
                                          : *before + G::kStepState[d][s];
            plan.operand(batch, j, i - start) = static_cast<int32_t>(from);
          }
          int64_t found[8];
          gathered_rows<d>(items.items[p].i, found, order_[i]);
          for (int j = 0; j < info.gathered_rows; j++) {
            plan.operand(batch, info.operands + j, i - start) =
                static_cast<int32_t>(found[G::kStepTable[d][j]]);
          }
          if constexpr (G::kInputBlock[d] >= 0) {
            const acrobat::BlockInfo& of_input = acrobat::kBlockInfo[G::kInputBlock[d]];
            for (int j = 0; j < of_input.gathered_rows; j++) {
              plan.operand(input_[d], of_input.operands + j, item) =
                  static_cast<int32_t>(found[G::kInputTable[d][j]]);
            }
          }
        }
      }
    }
    if constexpr (d + 1 < G::kDirections) direction<d + 1>(in, plan);
  }

  template <int d>
  static void gathered_rows(int64_t item, int64_t* found, size_t instance) {
    try {
      G::template tables<d>(item, found);
    } catch (const acrobat::InstanceFault& fault) {
      throw acrobat::InstanceFault("instances[" + std::to_string(instance) + "]: " + fault.what());
    }
  }

  // Adds one batch for the outputs of all items of all instances.
  void output(const Inputs& in, Plan& plan, Word* results) {
    const uint32_t n = static_cast<uint32_t>(first_[in.n]);
    const Batch batch = n > 0 ? plan.add(G::kOutputBlock, n) : Batch{};
    plan.end_shared_step();
    for (size_t i = 0; i < in.n; i++) {
      const int64_t items = length(in, order_[i]);
      auto* header = reinterpret_cast<acrobat::List*>(plan.words.take(3));
      Word* to = plan.words.take(static_cast<size_t>(items));
      *header = {items, to, nullptr};
      results[order_[i]].p = reinterpret_cast<const Word*>(header);
      for (int64_t p = 0; p < items; p++) {
        const uint32_t node = static_cast<uint32_t>(first_[i] + p);
        const int64_t* record = &record_[static_cast<size_t>(node) * G::kDirections];
        for (int j = 0; j < G::kOutputOperands; j++) {
          const OutputOperand& operand = G::kOutputOperand[j];
          plan.operand(batch, j, node) = static_cast<int32_t>(
              record[operand.direction] + G::kStepState[operand.direction][operand.state]);
        }
        to[p].h = at(Plan::record(batch, node) + G::kOutputAt);
      }
    }
  }

  std::vector<uint32_t> active_, next_;
  std::vector<size_t> order_, batch_;
  std::vector<int64_t> first_, record_;  // items before each instance; per item and direction
  int partitions_ = 1;
  Batch input_[G::kDirections] = {};
};

}  // namespace cortex
