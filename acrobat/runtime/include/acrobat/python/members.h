// Which member of a union a Python object is.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <vector>

#include "inputs.h"

namespace acrobat {

constexpr uint32_t kNoMember = ~0u;

// The tag of the data type that an object is of, among those whose bits are set in `members`.
inline uint32_t member_of(PyObject* object, uint64_t members, const std::vector<PyData>& classes) {
  PyTypeObject* type = Py_TYPE(object);
  for (uint32_t tag = 0; tag < classes.size(); tag++) {
    if (classes[tag].type != type) continue;
    const bool is_member = classes[tag].members.empty() && (members >> tag & 1) != 0;
    const Py_ssize_t length = classes[tag].length;
    if (is_member && (length < 0 || PyTuple_GET_SIZE(object) == length)) return tag;
    // There may be other tuples of the same class, or lists of another union; no other data types.
    if (!classes[tag].raw) return kNoMember;
  }
  return kNoMember;
}

// Whether it means anything that two mentions are of one object: it is a collection that is not
// empty. Equal numbers and strings are one object or several, as it happens.
inline bool has_identity(PyObject* object) {
  if (PyTuple_Check(object)) return PyTuple_GET_SIZE(object) > 0;
  return PyList_Check(object) || PyDict_Check(object) || PyAnySet_Check(object);
}

}  // namespace acrobat
