// The Python objects made from a result's records: a record that several paths lead to is made
// once, so that a graph of shared data does not become a tree.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../graph/hash_index.h"
#include "../graph/records.h"
#include "owned.h"

namespace acrobat {

class Rebuilt {
 public:
  // Returns a new reference to the object made from a record, or null.
  PyObject* find(const Word* record) const {
    const uint32_t at = index_.find(hash(record), [&](uint32_t i) { return of_[i] == record; });
    if (at == HashIndex::kNone) return nullptr;
    PyObject* made = made_[at].get();
    Py_INCREF(made);
    return made;
  }

  // Keeps its own reference: one of the author's classes may drop what it was given.
  void add(const Word* record, PyObject* made) {
    of_.push_back(record);
    made_.emplace_back(made);
    index_.add(hash(record), [&](uint32_t i) { return hash(of_[i]); });
  }

  void clear() {
    if (of_.empty()) return;
    of_.clear();
    made_.clear();
    index_.clear();
  }

 private:
  static size_t hash(const Word* record) {
    return HashIndex::mix(0, reinterpret_cast<uintptr_t>(record));
  }

  HashIndex index_;
  std::vector<const Word*> of_;
  std::vector<Owned> made_;
};

}  // namespace acrobat
