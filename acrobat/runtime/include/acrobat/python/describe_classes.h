// Descriptions of the author's classes, made from what Python passes when a program is loaded.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "faults.h"
#include "inputs.h"

namespace acrobat {

// The offset of a slot in a class's objects; kNoSlot for a field that is none, whose objects have a
// dict.
inline Py_ssize_t slot_of(PyObject* type, PyObject* name) {
  const Reference slot(PyObject_GetAttr(type, name));
  if (slot.get() == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError();
    PyErr_Clear();
    return PyData::kNoSlot;
  }
  if (Py_TYPE(slot.get()) != &PyMemberDescr_Type) return PyData::kNoSlot;
  return reinterpret_cast<PyMemberDescrObject*>(slot.get())->d_member->offset;
}

// A data class, the names of its fields, whether its objects are made without its __init__, and the
// length of a raw tuple (-1 of other raw values, -2 of data types); and where the fields are. The
// references are never released: a program's classes live as long as the process.
inline PyData data_of(PyObject* entry) {
  PyObject* type = PyTuple_GET_ITEM(entry, 0);
  PyData data{reinterpret_cast<PyTypeObject*>(type), {}, {}, false, {}, true};
  data.plain = data.type->tp_new == PyBaseObject_Type.tp_new &&
               (PyObject_IsTrue(PyTuple_GET_ITEM(entry, 2)) == 1 ||
                !PyObject_HasAttrString(type, "__post_init__"));
  PyObject* names = PyTuple_GET_ITEM(entry, 1);
  for (Py_ssize_t f = 0; f < PyTuple_GET_SIZE(names); f++) {
    PyObject* name = PyTuple_GET_ITEM(names, f);
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);  // the cache of attributes knows interned names alone
    data.names.push_back(name);
    data.slots.push_back(slot_of(type, name));
    data.has_slots = data.has_slots && data.slots.back() != PyData::kNoSlot;
  }
  if (PyTuple_GET_SIZE(entry) > 3) {
    data.length = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 3));
    data.raw = data.length >= -1;
  }
  Py_INCREF(type);
  return data;
}

// An enumeration and its members, likewise.
inline PyData enumeration_of(PyObject* entry) {
  PyObject* type = PyTuple_GET_ITEM(entry, 0);
  PyData data{reinterpret_cast<PyTypeObject*>(type), {}, {}, false, {}, true};
  PyObject* members = PyTuple_GET_ITEM(entry, 1);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(members); i++) {
    data.members.push_back(PyTuple_GET_ITEM(members, i));
    Py_INCREF(data.members.back());
  }
  Py_INCREF(type);
  return data;
}

}  // namespace acrobat
