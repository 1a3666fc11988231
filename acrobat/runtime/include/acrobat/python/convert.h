// From Python objects to records, and back for results. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <structmember.h>

#include <cstring>
#include <memory>
#include <vector>

#include "../graph/lists.h"
#include "../graph/records.h"
#include "kept.h"

namespace acrobat {

// Where a data type's fields are in its Python objects: the slots of a slotted dataclass are at
// fixed offsets, which its member descriptors tell.
struct PyData {
  PyTypeObject* type;
  std::vector<Py_ssize_t> slots;
  std::vector<PyObject*> names;
  bool plain;  // the class has no code of its own that a construction would run
};

struct Inputs {
  Words words;
  std::vector<float> tensors;
  std::vector<Word> arguments;  // per instance, the entry's parameters
  size_t n = 0;
  // What a device keeps of the tensors. It alone changes while calls run.
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

class Converter {
 public:
  Converter(const DataType* types, const std::vector<PyData>& classes)
      : types_(types), classes_(classes) {}

  // False if `value` does not fit; what is wrong is found by runtime/check_instance.py.
  bool convert(PyObject* value, const FieldType& type, Word* out, Inputs& inputs) {
    work_.clear();
    work_.push_back({value, &type, out});
    while (!work_.empty()) {
      Item item = work_.back();
      work_.pop_back();
      if (!one(item, inputs)) return false;
    }
    return true;
  }

 private:
  struct Item {
    PyObject* value;
    const FieldType* type;
    Word* out;
  };

  bool one(const Item& item, Inputs& inputs) {
    PyObject* v = item.value;
    switch (item.type->kind) {
      case 'i': {
        if (PyBool_Check(v) || !PyIndex_Check(v)) return false;
        int overflow = 0;
        item.out->i = PyLong_CheckExact(v) ? PyLong_AsLongLongAndOverflow(v, &overflow)
                                           : PyNumber_AsSsize_t(v, PyExc_OverflowError);
        if (PyErr_Occurred()) overflow = 1, PyErr_Clear();
        return overflow == 0;
      }
      case 'f':
        if (PyBool_Check(v) || !(PyFloat_Check(v) || PyLong_Check(v))) return false;
        item.out->f = PyFloat_AsDouble(v);
        if (PyErr_Occurred()) return PyErr_Clear(), false;
        return true;
      case 'b':
        item.out->i = v == Py_True;
        return PyBool_Check(v);
      case 't':
        return tensor(v, item, inputs);
      case 'l':
        return list(v, item, inputs);
      default:
        return data(v, item, inputs);
    }
  }

  bool tensor(PyObject* v, const Item& item, Inputs& inputs) {
    if (!PyArray_Check(v)) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(v);
    const FieldType& t = *item.type;
    if (PyArray_TYPE(array) != NPY_FLOAT32 || PyArray_NDIM(array) != t.rank) return false;
    for (int i = 0; i < t.rank; i++) {
      if (PyArray_DIM(array, i) != t.dims[i]) return false;
    }
    size_t at = static_cast<size_t>(align(static_cast<int64_t>(inputs.tensors.size())));
    inputs.tensors.resize(at + static_cast<size_t>(t.size()));
    float* to = inputs.tensors.data() + at;
    copy(to, PyArray_BYTES(array), array, 0);
    item.out->h = part(kInputNode, static_cast<int64_t>(at));
    return true;
  }

  // Row by row, whatever the strides are.
  static void copy(float*& to, const char* from, PyArrayObject* array, int axis) {
    if (axis == PyArray_NDIM(array)) {
      std::memcpy(to++, from, sizeof(float));
      return;
    }
    npy_intp n = PyArray_DIM(array, axis), stride = PyArray_STRIDE(array, axis);
    if (axis == PyArray_NDIM(array) - 1 && stride == sizeof(float)) {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(float));
      to += n;
      return;
    }
    for (npy_intp i = 0; i < n; i++) copy(to, from + i * stride, array, axis + 1);
  }

  bool list(PyObject* v, const Item& item, Inputs& inputs) {
    if (!PyList_Check(v) && !PyTuple_Check(v)) return false;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(v);
    auto* header = reinterpret_cast<List*>(inputs.words.take(3));
    Word* to = inputs.words.take(static_cast<size_t>(n));
    *header = {n, to, nullptr};
    item.out->p = reinterpret_cast<const Word*>(header);
    const FieldType* type = item.type->item;
    bool later = type->kind == 'd' || type->kind == 'l';
    for (Py_ssize_t i = n; i-- > 0;) {
      Item next{PySequence_Fast_GET_ITEM(v, i), type, to + i};
      if (later) {
        work_.push_back(next);
      } else if (!one(next, inputs)) {
        return false;
      }
    }
    return true;
  }

  bool data(PyObject* v, const Item& item, Inputs& inputs) {
    PyTypeObject* type = Py_TYPE(v);
    for (size_t tag = 0; tag < classes_.size(); tag++) {
      if (classes_[tag].type != type) continue;
      if (!(item.type->members >> tag & 1)) return false;
      const DataType& t = types_[tag];
      Word* record = inputs.words.take(t.n_fields + 1);
      record[0].i = static_cast<int64_t>(tag);
      item.out->p = record;
      // Last field first, so that fields are converted in order.
      for (int f = t.n_fields - 1; f >= 0; f--) {
        PyObject* field =
            *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(v) + classes_[tag].slots[f]);
        if (field == nullptr) return false;
        // Numbers need no iteration of their own.
        Item next{field, &t.fields[f], record + 1 + f};
        if (next.type->kind == 'd' || next.type->kind == 'l') {
          work_.push_back(next);
        } else if (!one(next, inputs)) {
          return false;
        }
      }
      return true;
    }
    return false;
  }

  const DataType* types_;
  const std::vector<PyData>& classes_;
  std::vector<Item> work_;
};

}  // namespace acrobat
