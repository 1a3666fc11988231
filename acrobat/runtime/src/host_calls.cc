// Calls back into Python while a graph is built.
#include "acrobat/python/host_calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#include "acrobat/errors.h"
#include "acrobat/graph/context.h"
#include "acrobat/graph/lists.h"
#include "acrobat/python/faults.h"

namespace acrobat {

Word Context::ask(int function, std::initializer_list<Word> arguments) {
  HostCalls::Key key{function, {}};
  std::transform(arguments.begin(), arguments.end(), key.arguments.begin(),
                 [](Word w) { return w.i; });
  if (const Word* known = host->known(key)) return *known;
  struct Request {
    HostCalls* host;
    const HostCalls::Key* key;
  } request{host, &key};
  outside(
      [](void* asked) {
        const auto* r = static_cast<Request*>(asked);
        r->host->make(*r->key);
      },
      &request);
  host->check();
  return *host->known(key);
}

const Word* list_order_texts(Context& cx, const Word* list, int less) {
  const List& l = list_of(list);
  Word* to = cx.words.take(static_cast<size_t>(l.length));
  for (int64_t i = 0; i < l.length; i++) to[i].i = i;
  std::stable_sort(to, to + l.length, [&](const Word& a, const Word& b) {
    return cx.ask(less, {l.items[a.i], l.items[b.i]}).i != 0;
  });
  return list_header(cx, l.length, to);
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

namespace {

// Behind a place that the callee may use.
struct Arguments {
  std::array<PyObject*, kMostHostArguments + 1> values{};
  Arguments() = default;
  ~Arguments() {
    for (size_t i = 1; i < values.size(); i++) Py_XDECREF(values[i]);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
};

}  // namespace

HostCalls::Outcome HostCalls::call(const Key& key) {
  const auto function = static_cast<size_t>(key.function);
  const HostFunction& kind = kinds_[function];
  const size_t count = std::char_traits<char>::length(kind.args);
  Arguments arguments;
  for (size_t i = 0; i < count; i++) {
    arguments.values[i + 1] = argument(kind.args[i], key.arguments[i]);
    if (arguments.values[i + 1] == nullptr) return raised();
  }
  const Reference result(PyObject_Vectorcall(functions_[function], &arguments.values[1],
                                             count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (result.get() == nullptr) return raised();
  const std::optional<Word> found = word(kind.result, result.get());
  if (!found) return kind.result == 'i' ? too_large(result.get()) : raised();
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

// What Python's exception means; of a usual one the message is kept, with the name of the exception
// if it is one of Python's own.
HostCalls::Outcome HostCalls::raised() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return Outcome::kInterrupted;
  if (PyErr_ExceptionMatches(PyExc_MemoryError) != 0) {
    PyErr_Clear();
    return Outcome::kNoMemory;
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const Reference held_type(type), held_value(value), held_traceback(traceback);
  const bool ours = PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HEAPTYPE) != 0;
  const Reference text(ours ? PyObject_Str(value)
                            : PyUnicode_FromFormat("%s: %S", Py_TYPE(value)->tp_name, value));
  return says(text.get());
}

HostCalls::Outcome HostCalls::too_large(PyObject* value) {
  PyErr_Clear();
  const Reference text(PyUnicode_FromFormat("%S does not fit into 64 bits", value));
  return says(text.get());
}

HostCalls::Outcome HostCalls::says(PyObject* text) {
  const Reference bytes(text == nullptr ? nullptr
                                        : PyUnicode_AsEncodedString(text, "utf-8", "replace"));
  PyErr_Clear();
  if (bytes.get() == nullptr) return Outcome::kNoMemory;
  message_ = PyBytes_AS_STRING(bytes.get());
  return Outcome::kRaised;
}

}  // namespace acrobat
