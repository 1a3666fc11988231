// Calls back into Python while a graph is built.
#include "acrobat/python/host_calls.h"

#include <algorithm>
#include <bit>
#include <new>

#include "acrobat/errors.h"
#include "acrobat/graph/context.h"
#include "acrobat/python/faults.h"

namespace acrobat {

Word Context::ask(int function, std::initializer_list<Word> arguments) {
  HostCalls::Key key{function, {}};
  std::transform(arguments.begin(), arguments.end(), key.arguments.begin(),
                 [](Word w) { return w.i; });
  if (const Word* known = host->known(key)) return *known;
  outside([&] { host->make(key); });
  host->check();
  return *host->known(key);
}

void HostCalls::make(const Key& key) noexcept {
  const PyGILState_STATE state = PyGILState_Ensure();
  try {
    outcome_ = call(key);
  } catch (const std::bad_alloc&) {
    outcome_ = Outcome::kNoMemory;
  }
  PyGILState_Release(state);
}

void HostCalls::check() {
  switch (outcome_) {
    case Outcome::kResult:
      return;
    case Outcome::kRaised:
      throw InstanceFault(message_);
    case Outcome::kNoMemory:
      throw std::bad_alloc();
    case Outcome::kInterrupted:
      throw Interrupted();
  }
}

HostCalls::Outcome HostCalls::call(const Key& key) {
  const auto function = static_cast<size_t>(key.function);
  const HostFunction& kind = kinds_[function];
  const auto count = static_cast<Py_ssize_t>(std::char_traits<char>::length(kind.args));
  const Reference arguments(PyTuple_New(count));
  if (arguments.get() == nullptr) return raised();
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject* value = argument(kind.args[i], key.arguments[static_cast<size_t>(i)]);
    if (value == nullptr) return raised();
    PyTuple_SET_ITEM(arguments.get(), i, value);
  }
  const Reference result(PyObject_Call(functions_[function], arguments.get(), nullptr));
  if (result.get() == nullptr) return raised();
  const std::optional<Word> found = word(kind.result, result.get());
  if (!found) return raised();
  results_.emplace(key, *found);
  return Outcome::kResult;
}

PyObject* HostCalls::argument(char kind, int64_t bits) const {
  switch (kind) {
    case 's':
      return texts_.text(bits);
    case 'f':
      return PyFloat_FromDouble(std::bit_cast<double>(bits));
    case 'b':
      return PyBool_FromLong(bits != 0);
    default:
      return PyLong_FromLongLong(bits);
  }
}

std::optional<Word> HostCalls::word(char kind, PyObject* value) const {
  Word found{.i = 0};
  switch (kind) {
    case 's':
      found.i = texts_.number(value);
      break;
    case 'f':
      found.f = PyFloat_AsDouble(value);
      break;
    case 'b':
      found.i = PyObject_IsTrue(value);
      break;
    default:
      found.i = PyLong_AsLongLong(value);
  }
  if (PyErr_Occurred() != nullptr) return std::nullopt;
  return found;
}

// What Python's exception means; of a usual one the message is kept.
HostCalls::Outcome HostCalls::raised() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return Outcome::kInterrupted;
  const bool memory = PyErr_ExceptionMatches(PyExc_MemoryError) != 0;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  const Reference held_type(type), held_value(value), held_traceback(traceback);
  if (memory) return Outcome::kNoMemory;
  const Reference text(value == nullptr ? nullptr : PyObject_Str(value));
  const Reference bytes(
      text.get() == nullptr ? nullptr : PyUnicode_AsEncodedString(text.get(), "utf-8", "replace"));
  PyErr_Clear();
  message_ =
      bytes.get() == nullptr ? "a function of Python's failed" : PyBytes_AS_STRING(bytes.get());
  return Outcome::kRaised;
}

}  // namespace acrobat
