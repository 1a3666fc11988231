// New lists, and tuples of any length (`frozen`).
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace acrobat {

inline PyObject* new_sequence(bool frozen, Py_ssize_t n) {
  return frozen ? PyTuple_New(n) : PyList_New(n);
}

// Takes over the reference to `item`.
inline void set_item(bool frozen, PyObject* sequence, Py_ssize_t k, PyObject* item) {
  if (frozen) {
    PyTuple_SET_ITEM(sequence, k, item);
  } else {
    PyList_SET_ITEM(sequence, k, item);
  }
}

}  // namespace acrobat
