// A schedule as the table of steps that the persistent kernel runs (for its format see
// kernels/printers/cuda/compiled.py): which kernels run concurrently, and before which ones all
// thread blocks wait at a grid barrier.
//
// Batches come in the order of their records. A batch joins the group of those before it as long as
// none of its operands lies in the records of the group: the batches do not read each other,
// whatever their depths. A group runs level by level: first the kernels that need nothing from
// their own block, of all blocks, then those that need these, and so on. Grid barriers are between
// two levels, and nowhere else. The batches of a group have separate temporaries, in total up to
// the limit that one batch has when kernels are launched one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "../generated.h"
#include "../schedule/schedule.h"
#include "arguments.h"
#include "gather.h"
#include "staging.h"

namespace acrobat::cuda {

class StepTable {
 public:
  // Plans the batches; `gathers`: their operands are copied first; `awaited`: runs to copy last.
  void plan(const Schedule& s, bool gathers, size_t awaited) {
    for (const Batch& b : s.batches) add(s, b, gathers);
    close();
    if (awaited > 0) add_step({-1, kCopies, true}, 3);
    awaited_ = awaited;
  }

  size_t count() const { return steps_.size(); }
  // The floats of the table, a multiple of 16; of temporaries; of copies of operands.
  int64_t table_floats() const { return static_cast<int64_t>((words() + 7) / 8 * 16); }
  int64_t scratch_floats() const { return most_scratch_; }
  int64_t gathered_floats() const { return most_copies_; }

  // Writes the table; awaited values go to `awaited_at`. Returns the most tiles between two
  // grid barriers: more thread blocks than that would have nothing to do.
  int64_t write(uint64_t* table, const Modules& modules, const Weights& weights,
                const DeviceArena& arena, const Staging& staging, Address awaited_at) const {
    std::fill_n(table, kHead, 0);
    uint64_t* arguments = table + kHead * (steps_.size() + 1);
    int64_t first = 0, most = 0;
    auto head = reinterpret_cast<Head*>(table + kHead);
    for (const Step& step : steps_) {
      if (step.grid_barrier) first = 0;
      *head = {0, step.grid_barrier, 0, 0, static_cast<int32_t>(first), 0, {}};
      head->arguments = static_cast<int32_t>(arguments - table);
      arguments = step.kernel == kCopies
                      ? write_copy(step, *head, arguments, arena, staging, awaited_at)
                      : write_kernel(step, *head, arguments, modules, weights, arena, staging);
      first += head->tiles;
      most = std::max(most, first);
      head++;
    }
    return most;
  }

 private:
  static constexpr size_t kHead = 4;  // words
  static constexpr int kCopies = -1;
  struct Head {
    int32_t kind, grid_barrier, row_tiles, tiles, first, arguments, free[2];
  };
  static_assert(sizeof(Head) == kHead * sizeof(uint64_t));

  // Nodes of a batch from `first` on. `scratch` and `copies`: where their temporaries and the
  // copies of the batch's operands lie, in floats from the first temporary or copy of the
  // computation. The copies are made by the runs [run, run + copied).
  struct Slice {
    const Batch* batch;
    int64_t first, n, scratch, copies;
    size_t run, copied;
  };
  // A kernel of the block's plan, or kCopies; for a slice, or for the awaited values (-1).
  struct Step {
    int slice, kernel;
    bool grid_barrier;
  };

  void add(const Schedule& s, const Batch& b, bool gathers) {
    const BlockInfo& block = kBlockInfo[b.block];
    const int64_t size = slice_size(b), copies = gathers ? gather_floats(b) : 0;
    if (latest_operand(s, b) >= begun_ || copies_ + copies > kScratchFloats) {
      close();
      copies_ = 0;
    }
    for (int64_t first = 0; first < b.n; first += size) {
      int64_t n = std::min(size, b.n - first), scratch = n * block.scratch;
      if (scratch_ + scratch > kScratchFloats) close();
      if (open_ == slices_.size()) begun_ = b.record + first * block.record;
      slices_.push_back({&b, first, n, scratch_, copies_, runs_, gathers ? gather_runs(b) : 0});
      scratch_ += scratch;
      most_scratch_ = std::max(most_scratch_, scratch_);
    }
    if (!gathers) return;
    // The copies stay where they are while later slices of the batch read them.
    copies_ += align(copies);
    most_copies_ = std::max(most_copies_, copies_);
    runs_ += gather_runs(b);
  }

  // Ends the group: makes steps of its slices.
  void close() {
    bool more = open_ < slices_.size();
    for (int level = 0; more; level++) {
      bool grid_barrier = true;
      more = false;
      auto step = [&](size_t slice, int kernel, int words) {
        add_step({static_cast<int>(slice), kernel, grid_barrier}, words);
        grid_barrier = false;
      };
      for (size_t n = open_; n < slices_.size(); n++) {
        const Slice& slice = slices_[n];
        const BlockKernels& plan = kPlans[slice.batch->block];
        const bool copied = slice.copied > 0;
        if (copied && level == 0 && slice.first == 0) step(n, kCopies, 3);
        for (int k = 0; k < plan.n; k++) {
          int own = plan.kernels[k].level + copied;
          if (own == level) step(n, k, 5 + 2 * plan.kernels[k].operands);
          more |= own > level;
        }
      }
    }
    open_ = slices_.size();
    scratch_ = 0;
    begun_ = std::numeric_limits<int64_t>::max();
  }

  void add_step(Step step, int words) {
    steps_.push_back(step);
    arguments_ += static_cast<size_t>(words);
  }
  size_t words() const { return steps_.empty() ? 0 : kHead * (steps_.size() + 1) + arguments_; }

  // The last float at which an operand of a batch begins, except numbers, which always exist.
  static int64_t latest_operand(const Schedule& s, const Batch& b) {
    int32_t latest = -1;
    const size_t n = gather_runs(b);
    for (size_t i = 0; i < n; i++) {
      int32_t at = s.offsets[b.first + i];
      latest = std::max(latest, at < Arena::kScalarBase ? at : -1);
    }
    return latest;
  }

  uint64_t* write_kernel(const Step& step, Head& head, uint64_t* to, const Modules& modules,
                         const Weights& weights, const DeviceArena& arena,
                         const Staging& staging) const {
    const Slice& slice = slices_[static_cast<size_t>(step.slice)];
    const Batch& b = *slice.batch;
    const BlockKernels& plan = kPlans[b.block];
    Nodes nodes{slice.n,
                b.n,
                arena.at(b.record + slice.first * kBlockInfo[b.block].record),
                arena.at(staging.scratch + slice.scratch),
                arena.at(staging.offsets + static_cast<int64_t>(b.first) + slice.first),
                arena.at(slice.copied > 0 ? staging.gathered + slice.copies : 0)};
    Arguments a(plan.kernels[step.kernel], plan.first + step.kernel, modules, weights, nodes);
    head.kind = a.variant.kind;
    head.row_tiles = static_cast<int32_t>(a.row_tiles);
    head.tiles = static_cast<int32_t>(a.tiles());
    return std::copy_n(a.values, a.n, to);
  }

  // A run is a tile.
  uint64_t* write_copy(const Step& step, Head& head, uint64_t* to, const DeviceArena& arena,
                       const Staging& staging, Address to_host) const {
    size_t first = runs_, n = awaited_;
    Address target = to_host;
    if (step.slice >= 0) {
      const Slice& slice = slices_[static_cast<size_t>(step.slice)];
      first = slice.run, n = slice.copied, target = arena.at(staging.gathered + slice.copies);
    }
    head.row_tiles = head.tiles = static_cast<int32_t>(n);
    *to++ = target;
    *to++ = arena.at(0);
    *to++ = arena.at(staging.runs) + first * sizeof(Run);
    return to;
  }

  std::vector<Slice> slices_;
  std::vector<Step> steps_;
  size_t open_ = 0;  // slices from this one on are not steps yet
  int64_t begun_ = std::numeric_limits<int64_t>::max();  // the first of their records
  int64_t scratch_ = 0, copies_ = 0, most_scratch_ = 0, most_copies_ = 0;
  size_t runs_ = 0, awaited_ = 0, arguments_ = 0;
};

}  // namespace acrobat::cuda
