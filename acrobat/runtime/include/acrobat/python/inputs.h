// A mini-batch as the program reads it, and where its values are in Python's objects.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "../graph/records.h"
#include "kept.h"
#include "texts.h"

namespace acrobat {

// Where a data type's fields are in its Python objects: the slots of a slotted dataclass are at
// fixed offsets, found in its member descriptors. Fields that are parts of one field in Python have
// the same slot. Enumerations follow the data types; they have members instead.
struct PyData {
  PyTypeObject* type;
  std::vector<Py_ssize_t> slots;
  std::vector<PyObject*> names;
  bool plain;  // the class has no code of its own that a construction would run
  std::vector<PyObject*> members;
};

struct Inputs {
  Words words;
  std::vector<float> tensors;
  std::vector<Word> arguments;  // per instance, the entry's parameters
  size_t n = 0;
  // Grows, under the GIL, while a call makes new strings.
  mutable Texts texts;
  // Whether some object occurs more than once; such objects are marked (mark_shared.h).
  bool shared = false;
  // What a device keeps of the tensors; changes while calls run.
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

}  // namespace acrobat
