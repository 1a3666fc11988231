// Which numpy arrays can be tensors. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "../graph/records.h"
#include "owned.h"

namespace acrobat {

// Whether `v` is an array of floating-point numbers, up to 64 bits each, of a tensor's shape.
inline bool is_tensor(PyObject* v, const FieldType& t) {
  if (!PyArray_Check(v)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(v);
  if (!PyArray_ISFLOAT(array) || PyArray_ITEMSIZE(array) > 8) return false;
  if (PyArray_NDIM(array) != t.rank) return false;
  for (int i = 0; i < t.rank; i++) {
    if (PyArray_DIM(array, i) != t.dims[i]) return false;
  }
  // A masked array marks some of its values as missing.
  return PyArray_CheckExact(v) || !PyObject_HasAttrString(v, "mask");
}

// Makes `array` one of float32 or float64 in this machine's byte order, which `held` then owns, if
// it is not. False if there is no memory for it.
inline bool make_native(PyArrayObject*& array, Owned& held) {
  const int type = PyArray_TYPE(array);
  if ((type == NPY_FLOAT32 || type == NPY_FLOAT64) && !PyArray_ISBYTESWAPPED(array)) return true;
  PyObject* made = PyArray_FromArray(array, PyArray_DescrFromType(NPY_FLOAT64),
                                     NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY);
  if (made == nullptr) return false;
  held = Owned(made);
  Py_DECREF(made);
  array = reinterpret_cast<PyArrayObject*>(made);
  return true;
}

}  // namespace acrobat
