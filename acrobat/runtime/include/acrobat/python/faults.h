// Passes errors to Python: no C++ exception crosses the boundary.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <concepts>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "../errors.h"

namespace acrobat {

// An error for Python, which gets it as a tuple (kind, message), or as the exception that is
// already set there.
struct Fault {
  const char* kind = nullptr;
  std::string message{};
  bool happened() const { return kind != nullptr; }
  // Whether memory is short, so that memory that no call uses should be given back.
  bool of_memory() const {
    return happened() &&
           (std::string_view(kind) == "memory" || std::string_view(kind) == "capacity");
  }
  // Whether the call was abandoned midway.
  bool of_signal() const { return happened() && std::string_view(kind) == "interrupted"; }
  PyObject* tuple() const {
    if (PyErr_Occurred() != nullptr) return nullptr;
    return Py_BuildValue("(ss)", kind, message.c_str());
  }
};

// Runs `body` and catches what it throws, except PythonError and the unwinding that ends a thread.
Fault caught(std::invocable auto&& body) {
  try {
    try {
      body();
    } catch (const StackOverflow& e) {
      return {"stack", e.what()};
    } catch (const CapacityError& e) {
      return {"capacity", e.what()};
    } catch (const InstanceFault& e) {
      return {"instance", e.what()};
    } catch (const DeviceFault& e) {
      return {"device", e.what()};
    } catch (const Interrupted&) {
      return {"interrupted"};
    } catch (const std::bad_alloc&) {
      return {"memory"};
    } catch (const std::length_error&) {
      return {"memory"};
    } catch (const std::exception& e) {
      return {"fault", e.what()};
    }
  } catch (const std::bad_alloc&) {  // there is no memory for the message
    return {"memory"};
  }
  return {};
}

// A reference that is released at the end of a scope, however it is left.
class Reference {
 public:
  explicit Reference(PyObject* object) : object_(object) {}
  ~Reference() { Py_XDECREF(object_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_;
};

// Thrown when a Python exception is set, to leave what has been begun as after a fault.
struct PythonError {};

// Runs `body`, which needs the GIL and returns a new reference; returns errors as a tuple.
PyObject* returned(std::invocable auto&& body) {
  PyObject* object = nullptr;
  Fault fault;
  try {
    fault = caught([&] { object = body(); });
  } catch (const PythonError&) {
    return nullptr;
  }
  return fault.happened() ? fault.tuple() : object;
}

}  // namespace acrobat
