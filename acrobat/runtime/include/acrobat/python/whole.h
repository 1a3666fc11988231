// Python objects made of the parts that they consist of. Need the GIL; return a new reference, or
// null with an exception set.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "inputs.h"

namespace acrobat {

// Makes a dict of a tuple of values, with the names of the class as its keys.
inline PyObject* named_values(const PyData& cls, PyObject* parts) {
  PyObject* dict = PyDict_New();
  for (Py_ssize_t f = 0; dict != nullptr && f < PyTuple_GET_SIZE(parts); f++) {
    PyObject* name = cls.names[static_cast<size_t>(f)];
    if (PyDict_SetItem(dict, name, PyTuple_GET_ITEM(parts, f)) < 0) Py_CLEAR(dict);
  }
  return dict;
}

// Makes an object of a class of the author's, or a dict, from a tuple, without running code of the
// class.
inline PyObject* of_class(const PyData& cls, PyObject* parts) {
  if (cls.type == &PyDict_Type) return named_values(cls, parts);
  if (PyType_IsSubtype(cls.type, &PyTuple_Type) != 0) {
    PyObject* args = PyTuple_Pack(1, parts);
    PyObject* made = args != nullptr ? PyTuple_Type.tp_new(cls.type, args, nullptr) : nullptr;
    Py_XDECREF(args);
    return made;
  }
  PyObject* made = cls.make();
  for (Py_ssize_t f = 0; made != nullptr && f < PyTuple_GET_SIZE(parts); f++) {
    PyObject* field = Py_NewRef(PyTuple_GET_ITEM(parts, f));
    if (!cls.set_field(made, static_cast<size_t>(f), field)) Py_CLEAR(made);
  }
  return made;
}

inline PyObject* dict_of(PyObject* keys, PyObject* values) {
  PyObject* dict = PyDict_New();
  for (Py_ssize_t i = 0; dict != nullptr && i < PyList_GET_SIZE(keys); i++) {
    PyObject* value = PyList_GET_ITEM(values, i);
    if (PyDict_SetItem(dict, PyList_GET_ITEM(keys, i), value) < 0) Py_CLEAR(dict);
  }
  return dict;
}

}  // namespace acrobat
