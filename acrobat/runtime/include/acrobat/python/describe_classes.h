// Descriptions of the author's classes, made from what Python passes when a program is loaded.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "faults.h"
#include "inputs.h"

namespace acrobat {

// A data class and where its fields are. The references are never released: a program's classes
// live as long as the process.
inline PyData data_of(PyObject* entry) {
  PyObject* type = PyTuple_GET_ITEM(entry, 0);
  PyData data{reinterpret_cast<PyTypeObject*>(type), {}, {}, false, {}};
  data.plain = data.type->tp_new == PyBaseObject_Type.tp_new &&
               !PyObject_HasAttrString(type, "__post_init__");
  PyObject* names = PyTuple_GET_ITEM(entry, 1);
  for (Py_ssize_t f = 0; f < PyTuple_GET_SIZE(names); f++) {
    PyObject* name = PyTuple_GET_ITEM(names, f);
    const Reference slot(PyObject_GetAttr(type, name));
    if (slot.get() == nullptr) throw PythonError();
    if (Py_TYPE(slot.get()) != &PyMemberDescr_Type) {
      PyErr_Format(PyExc_TypeError, "%s.%U is no slot", data.type->tp_name, name);
      throw PythonError();
    }
    data.slots.push_back(reinterpret_cast<PyMemberDescrObject*>(slot.get())->d_member->offset);
    data.names.push_back(name);
    Py_INCREF(name);
  }
  Py_INCREF(type);
  return data;
}

// An enumeration and its members, likewise.
inline PyData enumeration_of(PyObject* entry) {
  PyObject* type = PyTuple_GET_ITEM(entry, 0);
  PyData data{reinterpret_cast<PyTypeObject*>(type), {}, {}, false, {}};
  PyObject* members = PyTuple_GET_ITEM(entry, 1);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(members); i++) {
    data.members.push_back(PyTuple_GET_ITEM(members, i));
    Py_INCREF(data.members.back());
  }
  Py_INCREF(type);
  return data;
}

}  // namespace acrobat
