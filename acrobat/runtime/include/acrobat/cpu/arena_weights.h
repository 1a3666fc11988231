// The weights that an arena begins with: those that are read through references.
//
// An arena copies all of them once per version. In training every call has a new version and reads
// a few hundred rows of a table of thousands: there, only the pieces that a mini-batch reads are
// copied, once its schedule says which these are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "../config.h"
#include "../graph/graph.h"
#include "../limits.h"
#include "../schedule/arena.h"
#include "../schedule/schedule.h"

namespace acrobat {

class ArenaWeights {
 public:
  ArenaWeights(const Config& config, Arena& arena) : config_(config), arena_(arena) {}

  // Places all weights, unless the arena has their current version.
  void place() {
    if (is_whole()) return;
    int64_t at = 0;
    for (int i = 0; i < config_.n_arena_weights; i++) {
      copy(i, at, 0, config_.arena_weight_sizes[i]);
      at += align(config_.arena_weight_sizes[i]);
    }
    arena_.weights_version = *config_.weights_version;
  }

  // Places the pieces of the weights that the batches of a schedule read.
  void place_read(const Schedule& schedule, const BlockInfo* blocks, const int* const* widths) {
    if (config_.n_arena_weights == 0 || is_whole()) return;
    for (const Batch& b : schedule.batches) {
      for (int j = 0; j < blocks[b.block].operands; j++) {
        const int32_t* offsets = &schedule.offsets[b.first + static_cast<size_t>(j) * b.room];
        for (uint32_t i = 0; i < b.n; i++) {
          if (offsets[i] < config_.arena_weight_floats) place(offsets[i], widths[b.block][j]);
        }
      }
    }
  }

  // Places the `floats` from `offset` on; does nothing if they are not part of a weight.
  void place(int64_t offset, int64_t floats) {
    if (offset < 0 || offset >= config_.arena_weight_floats || is_whole()) return;
    auto& versions = arena_.piece_versions;
    if (versions.empty()) versions.assign(pieces(), -1);
    int64_t begin = 0;
    size_t first = 0;
    for (int i = 0; i < config_.n_arena_weights; i++) {
      const int64_t size = config_.arena_weight_sizes[i];
      if (offset < begin + align(size)) {
        const int64_t last = std::min(offset + floats, begin + size) - 1 - begin;
        for (int64_t p = (offset - begin) / kPiece; p <= last / kPiece; p++) {
          int64_t& version = versions[first + static_cast<size_t>(p)];
          if (version == *config_.weights_version) continue;
          copy(i, begin, p * kPiece, std::min(size, (p + 1) * kPiece));
          version = *config_.weights_version;
        }
        return;
      }
      begin += align(size);
      first += pieces(size);
    }
  }

 private:
  static constexpr int64_t kPiece = 256;  // floats

  bool is_whole() const { return arena_.weights_version == *config_.weights_version; }

  static size_t pieces(int64_t floats) {
    return static_cast<size_t>((floats + kPiece - 1) / kPiece);
  }
  size_t pieces() const {
    size_t n = 0;
    for (int i = 0; i < config_.n_arena_weights; i++) n += pieces(config_.arena_weight_sizes[i]);
    return n;
  }

  // Floats [from, to) of weight i, which begins at `at`.
  void copy(int i, int64_t at, int64_t from, int64_t to) {
    std::memcpy(arena_.base() + at + from, config_.arena_weights[i] + from,
                static_cast<size_t>(to - from) * sizeof(float));
  }

  const Config& config_;
  Arena& arena_;
};

}  // namespace acrobat
