// Which numpy arrays can be tensors. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>

#include "../graph/records.h"
#include "owned.h"

namespace acrobat {

// Whether `v` is an array of floating-point numbers, up to 64 bits each. A masked array is not: it
// marks some of its values as missing. Its class may run any code to tell.
inline bool is_array(PyObject* v) {
  if (!PyArray_Check(v)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(v);
  if (!PyArray_ISFLOAT(array) || PyArray_ITEMSIZE(array) > 8) return false;
  return PyArray_CheckExact(v) || !PyObject_HasAttrString(v, "mask");
}

// An array, or a part of one: what is at one index of an axis.
struct ArrayPart {
  const char* data;
  int rank;
  npy_intp dims[kMaxRank + 1], strides[kMaxRank + 1];
  bool is_float;  // of float32, else of float64

  // `array` has at most one axis more than a tensor.
  explicit ArrayPart(PyArrayObject* array)
      : data(PyArray_BYTES(array)),
        rank(PyArray_NDIM(array)),
        is_float(PyArray_TYPE(array) == NPY_FLOAT32) {
    std::copy_n(PyArray_DIMS(array), rank, dims);
    std::copy_n(PyArray_STRIDES(array), rank, strides);
  }

  // What is at index `i` of `axis`.
  ArrayPart at(int axis, npy_intp i) const {
    ArrayPart part = *this;
    part.data += i * strides[axis];
    std::copy(dims + axis + 1, dims + rank, part.dims + axis);
    std::copy(strides + axis + 1, strides + rank, part.strides + axis);
    part.rank--;
    return part;
  }

  // Whether it has the shape of a tensor; of a list that is given as an array, whether its items
  // have theirs.
  bool fits(const FieldType& t) const {
    // There may be no item: this looks at sizes alone.
    if (t.kind == 'm') return rank > 0 && at(axis_of(t), 0).fits(*t.item);
    return rank == t.rank && std::equal(dims, dims + rank, t.dims);
  }

  // The axis along which the items of such a list are.
  int axis_of(const FieldType& t) const { return t.dims[0] == 0 ? 0 : rank - 1; }
};

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
