// From Python's numbers to words. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "../graph/records.h"
#include "owned.h"

namespace acrobat {

// `kNo`: a value does not fit; runtime/read_instances.py finds out what is wrong. `kRaised`: a
// Python exception is set.
enum class Fit { kYes, kNo, kRaised };

// Clears an exception that says that a value does not fit; leaves any other to the caller.
inline Fit failed() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return Fit::kRaised;
  PyErr_Clear();
  return Fit::kNo;
}

inline Fit integer(PyObject* v, Word* out) {
  int overflow = 0;
  if (PyLong_CheckExact(v)) {
    out->i = PyLong_AsLongLongAndOverflow(v, &overflow);
    return overflow == 0 ? Fit::kYes : Fit::kNo;
  }
  if (PyBool_Check(v) || !PyIndex_Check(v)) return Fit::kNo;
  Owned held(v);  // its __index__ may run any code
  out->i = PyNumber_AsSsize_t(v, PyExc_OverflowError);
  return PyErr_Occurred() ? failed() : Fit::kYes;
}

inline Fit real(PyObject* v, Word* out) {
  if (PyFloat_Check(v)) {
    out->f = PyFloat_AS_DOUBLE(v);
    return Fit::kYes;
  }
  if (PyBool_Check(v) || !PyLong_Check(v)) return Fit::kNo;
  out->f = PyLong_AsDouble(v);
  return PyErr_Occurred() ? failed() : Fit::kYes;
}

}  // namespace acrobat
