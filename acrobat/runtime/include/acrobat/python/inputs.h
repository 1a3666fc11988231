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
// the same slot. Objects of other dataclasses have a dict, and are asked for their fields by name.
// Enumerations follow the data types; they have members instead.
struct PyData {
  static constexpr Py_ssize_t kNoSlot = -1;

  PyTypeObject* type;
  std::vector<Py_ssize_t> slots;
  std::vector<PyObject*> names;
  bool plain;  // the class has no code of its own that a construction would run
  std::vector<PyObject*> members;
  bool has_slots = true;  // for all fields
  // The object is the only field: a member of a union that is no data type.
  bool raw = false;
  Py_ssize_t length = -1;  // of a raw tuple, by which it is told apart from others; or -1

  // Returns field `f` of an object, borrowed from it; null, without an exception, if the object has
  // none. Runs none of the author's code, whatever the class defines.
  PyObject* field(PyObject* object, size_t f) const {
    if (raw) return object;
    if (slots[f] != kNoSlot) return *slot(object, slots[f]);
    PyObject* held = PyObject_GenericGetAttr(object, names[f]);
    if (held == nullptr) {
      PyErr_Clear();
    } else {
      Py_DECREF(held);
    }
    return held;
  }

  // Returns a new object without fields, of a plain class.
  PyObject* make() const {
    if (has_slots) return type->tp_alloc(type, 0);
    PyObject* nothing = PyTuple_New(0);
    PyObject* made =
        nothing != nullptr ? PyBaseObject_Type.tp_new(type, nothing, nullptr) : nullptr;
    Py_XDECREF(nothing);
    return made;
  }

  // Sets field `f` of a new object, whatever the class defines; takes over the reference to
  // `value`. Returns false with an exception set if memory runs out.
  bool set_field(PyObject* object, size_t f, PyObject* value) const {
    if (slots[f] != kNoSlot) {
      *slot(object, slots[f]) = value;
      return true;
    }
    const int failed = PyObject_GenericSetAttr(object, names[f], value);
    Py_DECREF(value);
    return failed == 0;
  }

 private:
  static PyObject** slot(PyObject* object, Py_ssize_t offset) {
    return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
  }
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
