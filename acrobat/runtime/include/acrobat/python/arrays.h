// Which numpy arrays can be tensors. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>

#include "../graph/records.h"

namespace acrobat {

// Whether `v` is an array of floating-point numbers, up to 64 bits each. A masked array is not: it
// marks some of its values as missing. Its class may run any code to tell.
inline bool is_array(PyObject* v) {
  if (!PyArray_Check(v)) return false;
  auto* array = reinterpret_cast<PyArrayObject*>(v);
  if (!PyArray_ISFLOAT(array) || PyArray_ITEMSIZE(array) > 8) return false;
  return PyArray_CheckExact(v) || !PyObject_HasAttrString(v, "mask");
}

// An array, or a part of one: what is at one index of its first or last axis. The array lives
// longer.
struct ArrayPart {
  const char* data;
  const npy_intp *dims, *strides;
  int rank;
  bool is_float;  // of float32, else of float64

  explicit ArrayPart(PyArrayObject* array)
      : data(PyArray_BYTES(array)),
        dims(PyArray_DIMS(array)),
        strides(PyArray_STRIDES(array)),
        rank(PyArray_NDIM(array)),
        is_float(PyArray_TYPE(array) == NPY_FLOAT32) {}

  // What is at index `i` of `axis`, the first one or the last.
  ArrayPart at(int axis, npy_intp i) const {
    ArrayPart part = *this;
    part.data += i * strides[axis];
    if (axis == 0) part.dims++, part.strides++;
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

  // Whether its elements, of `size` bytes, lie one after the other.
  bool is_dense(npy_intp size) const {
    for (int i = rank; i-- > 0; size *= dims[i]) {
      if (strides[i] != size) return false;
    }
    return true;
  }

  // The axis along which the items of such a list are.
  int axis_of(const FieldType& t) const { return t.dims[0] == 0 ? 0 : rank - 1; }
};

// Whether the elements are float32 or float64 in this machine's byte order.
inline bool is_native(PyArrayObject* array) {
  const int type = PyArray_TYPE(array);
  return (type == NPY_FLOAT32 || type == NPY_FLOAT64) && !PyArray_ISBYTESWAPPED(array);
}

}  // namespace acrobat
