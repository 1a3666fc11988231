// An index into a sequence: a hash table of positions with open addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acrobat {

class HashIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Returns the position with this hash that `is_it` accepts, or kNone.
  template <class Is>
  uint32_t find(size_t hash, Is&& is_it) const {
    if (slots_.empty()) return kNone;
    for (size_t at = hash;; at++) {
      uint32_t i = slots_[at & (slots_.size() - 1)];
      if (i == kNone || is_it(i)) return i;
    }
  }

  // Adds the next position, which has this hash; `hash_of` returns that of any earlier position.
  template <class HashOf>
  void add(size_t hash, HashOf&& hash_of) {
    if (2 * (size_ + 1) > slots_.size()) {
      slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), kNone);
      for (uint32_t i = 0; i < size_; i++) put(i, hash_of(i));
    }
    put(size_++, hash);
  }

  void clear() {
    slots_.clear();
    size_ = 0;
  }

  // Combines a hash with one more word.
  static size_t mix(size_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 32;
  }

 private:
  void put(uint32_t i, size_t hash) {
    while (slots_[hash & (slots_.size() - 1)] != kNone) hash++;
    slots_[hash & (slots_.size() - 1)] = i;
  }

  std::vector<uint32_t> slots_;  // their number is a power of two
  uint32_t size_ = 0;
};

}  // namespace acrobat
