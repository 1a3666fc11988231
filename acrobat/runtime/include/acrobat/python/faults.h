// Errors on their way to Python: nothing that is thrown goes past the boundary.
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

// An error that went past a boundary to Python, which gets it as a tuple (kind, message), or as the
// exception that is set there already.
struct Fault {
  const char* kind = nullptr;
  std::string message{};
  bool happened() const { return kind != nullptr; }
  // Whether memory is short, so that what no call uses should be given back.
  bool of_memory() const {
    return happened() &&
           (std::string_view(kind) == "memory" || std::string_view(kind) == "capacity");
  }
  // Whether what the call was doing was left in the middle.
  bool of_signal() const { return happened() && std::string_view(kind) == "interrupted"; }
  PyObject* tuple() const {
    if (PyErr_Occurred() != nullptr) return nullptr;
    return Py_BuildValue("(ss)", kind, message.c_str());
  }
};

// Runs `body`; nothing that it throws goes further, but how a thread is ended.
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

// A reference that is given up at the end of a scope, whatever ends it.
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

// Python's exception is set: what has been begun is left as a fault is.
struct PythonError {};

// Runs `body`, which needs the GIL and returns a new reference; errors come as a tuple.
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
