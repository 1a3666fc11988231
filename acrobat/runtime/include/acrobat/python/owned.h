// A reference to a Python object that is released when its owner ends. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace acrobat {

class Owned {
 public:
  Owned() = default;
  // Takes a reference of its own to a borrowed object.
  explicit Owned(PyObject* borrowed) : object_(borrowed) { Py_INCREF(borrowed); }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace acrobat
