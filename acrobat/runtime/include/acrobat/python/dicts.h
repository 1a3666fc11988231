// The two lists that stand for a dict: its keys, and its values. A set is a dict whose values are
// true; a deque has, in place of the keys, a list with its maxlen if it has one.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "../graph/records.h"
#include "whole.h"

namespace acrobat {

// Whether `type`, one of the two lists, is that of a set.
inline bool of_set(const FieldType& type) { return type.dims[0] != 0; }

inline bool is_dict_or_set(PyObject* v, const FieldType& type) {
  return of_set(type) ? PyAnySet_Check(v) : PyDict_Check(v);
}

// Whether `v` is a dict with these keys, in this order.
inline bool has_keys(PyObject* v, const std::vector<PyObject*>& keys) {
  if (!PyDict_Check(v) || PyDict_GET_SIZE(v) != static_cast<Py_ssize_t>(keys.size())) return false;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  for (PyObject* wanted : keys) {
    if (PyDict_Next(v, &at, &key, &value) == 0 || !PyUnicode_Check(key)) return false;
    if (key != wanted && PyUnicode_Compare(key, wanted) != 0) return false;
  }
  return true;
}

// The value of a key, borrowed; null if `v` is no dict with these keys, or with an exception.
inline PyObject* value_at(PyObject* v, const std::vector<PyObject*>& keys, size_t key) {
  if (key == 0 ? !has_keys(v, keys) : !PyDict_Check(v)) return nullptr;
  return PyDict_GetItemWithError(v, keys[key]);
}

// One of the two lists, a new reference; null with an exception if there is no memory.
inline PyObject* keys_or_values(PyObject* v, const FieldType& type) {
  const bool keys = type.kind == '<';
  if (!of_set(type)) return keys ? PyDict_Keys(v) : PyDict_Values(v);
  if (keys) return PySequence_List(v);
  PyObject* values = PyList_New(PySet_GET_SIZE(v));
  for (Py_ssize_t i = 0; values != nullptr && i < PyList_GET_SIZE(values); i++) {
    PyList_SET_ITEM(values, i, Py_NewRef(Py_True));
  }
  return values;
}

inline PyObject* deque_of(PyObject* bounds, PyObject* items) {
  PyObject* module = PyImport_ImportModule("collections");
  if (module == nullptr) return nullptr;
  PyObject* bound = PyList_GET_SIZE(bounds) > 0 ? PyList_GET_ITEM(bounds, 0) : Py_None;
  PyObject* deque = PyObject_CallMethod(module, "deque", "OO", items, bound);
  Py_DECREF(module);
  return deque;
}

// A new object of the `kind` that a result's shape names.
inline PyObject* of_two_lists(char kind, PyObject* keys, PyObject* values) {
  if (kind == 's') return PySet_New(keys);
  if (kind == 'f') return PyFrozenSet_New(keys);
  return kind == 'q' ? deque_of(keys, values) : dict_of(keys, values);
}

}  // namespace acrobat
