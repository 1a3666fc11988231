// Which objects of a mini-batch have been converted, by identity: an object that occurs more than
// once is converted once, and one that occurs within itself is detected.
//
// Only objects with several references come here: an object that only its container refers to
// cannot be met again. So a tree costs nothing here, and a cycle is always detected, because it has
// an object that is referred to from outside and from within.
#pragma once

#include <cstdint>
#include <vector>

#include "../graph/hash_index.h"
#include "../graph/records.h"
#include "owned.h"

namespace acrobat {

// An object, the type that it was read as (a list of ints becomes another list if read as floats),
// and what it became. `open`: its contents are being converted.
struct Mention {
  Owned object;  // keeps its address from being reused
  const FieldType* item;
  Word value;
  bool open, again;
};

class Mentions {
 public:
  static constexpr uint32_t kNone = HashIndex::kNone;

  Mention& operator[](uint32_t i) { return all_[i]; }
  const std::vector<Mention>& all() const { return all_; }

  // The index of the mention of an object, or kNone.
  uint32_t find(PyObject* object, const FieldType* item) const {
    return index_.find(hash(object, item), [&](uint32_t i) {
      return all_[i].object.get() == object && all_[i].item == item;
    });
  }

  // Adds a mention; there must be none of `object` as `item` yet.
  uint32_t add(PyObject* object, const FieldType* item, Word value, bool open) {
    all_.push_back({Owned(object), item, value, open, false});
    index_.add(hash(object, item),
               [&](uint32_t i) { return hash(all_[i].object.get(), all_[i].item); });
    return static_cast<uint32_t>(all_.size() - 1);
  }

 private:
  static size_t hash(PyObject* object, const FieldType* item) {
    return HashIndex::mix(reinterpret_cast<size_t>(item), reinterpret_cast<size_t>(object) >> 4);
  }

  std::vector<Mention> all_;
  HashIndex index_;
};

}  // namespace acrobat
