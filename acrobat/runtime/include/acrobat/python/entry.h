// What Python calls through ctypes.PyDLL (with the GIL), for a program class `P`, which computes:
//   P::Config, P(config, classes), classes(), take_call(), give_call(call),
//   execute(inputs, call, profile) -> the memory that holds what call.results refers to, and
//   tensors(memory, call) -> what makes objects of tensors in it (results.h);
//   a call has `results` and `context.schedule`, which resolves their handles.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../abi.h"
#include "../fibers/stack.h"
#include "../generated.h"
#include "../profile.h"
#include "convert_list.h"
#include "results.h"

namespace acrobat {

// An error that went past a boundary to Python, which gets it as a tuple (kind, message).
struct Fault {
  std::string kind, message;
  PyObject* tuple() const { return Py_BuildValue("(ss)", kind.c_str(), message.c_str()); }
};

// Runs `body`; `kind` is empty if it did not throw.
Fault caught(std::invocable auto&& body) {
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
  } catch (const std::bad_alloc&) {
    return {"memory", "out of memory"};
  } catch (const std::exception& e) {
    return {"fault", e.what()};
  }
  return {};
}

// What this library's parts were compiled with (abi.h), as {"program": {name: number},
// "run-time": {name: number}}.
template <class P>
PyObject* abi_numbers() {
  static constexpr AbiNumber kOwn[] = {ACROBAT_PROGRAM_ABI,
                                       ACROBAT_ABI_SIZE(BlockCounts),
                                       ACROBAT_ABI_SIZE(Profile),
                                       {"Config", sizeof(typename P::Config)},
                                       {nullptr, 0}};
  auto add = [](PyObject* to, const AbiNumber* numbers) {
    for (; to != nullptr && numbers->name != nullptr; numbers++) {
      PyObject* value = PyLong_FromLongLong(numbers->value);
      if (value == nullptr || PyDict_SetItemString(to, numbers->name, value) < 0) Py_CLEAR(to);
      Py_XDECREF(value);
    }
    return to;
  };
  PyObject* program = add(PyDict_New(), kProgramAbi);
  PyObject* own = add(PyDict_New(), kOwn);
  if constexpr (requires { P::Config::kAbi; }) own = add(own, P::Config::kAbi);
  // Takes the references, also where one is null.
  return Py_BuildValue("{sNsN}", "program", program, "run-time", own);
}

// A capsule. `classes` are (class, (field, ...)) in order of the tags. Errors come as a tuple.
template <class P>
PyObject* new_program(const typename P::Config* config, PyObject* classes) {
  std::vector<PyData> found;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
    PyObject* entry = PyTuple_GET_ITEM(classes, i);
    PyObject* type = PyTuple_GET_ITEM(entry, 0);
    PyData data{reinterpret_cast<PyTypeObject*>(type), {}, {}, false};
    Py_INCREF(data.type);
    data.plain = data.type->tp_new == PyBaseObject_Type.tp_new &&
                 !PyObject_HasAttrString(type, "__post_init__");
    PyObject* names = PyTuple_GET_ITEM(entry, 1);
    for (Py_ssize_t f = 0; f < PyTuple_GET_SIZE(names); f++) {
      PyObject* name = PyTuple_GET_ITEM(names, f);
      PyObject* slot = PyObject_GetAttr(reinterpret_cast<PyObject*>(data.type), name);
      if (slot == nullptr) return nullptr;
      if (Py_TYPE(slot) != &PyMemberDescr_Type) {
        Py_DECREF(slot);
        PyErr_Format(PyExc_TypeError, "%s.%U is no slot", data.type->tp_name, name);
        return nullptr;
      }
      data.slots.push_back(reinterpret_cast<PyMemberDescrObject*>(slot)->d_member->offset);
      data.names.push_back(name);
      Py_INCREF(name);
      Py_DECREF(slot);
    }
    found.push_back(std::move(data));
  }
  std::unique_ptr<P> program;
  Fault fault = caught([&] { program = std::make_unique<P>(*config, std::move(found)); });
  if (!fault.kind.empty()) return fault.tuple();
  return PyCapsule_New(program.release(), nullptr, destroy<P>);
}

// The instances as records, in a capsule; None if one of them does not fit. Errors come as a tuple.
template <class P>
PyObject* convert_instances(PyObject* program, PyObject* instances) {
  auto* p = static_cast<P*>(PyCapsule_GetPointer(program, nullptr));
  std::unique_ptr<Inputs> inputs;
  Fit fit = Fit::kYes;
  Fault fault = caught([&] {
    inputs = std::make_unique<Inputs>();
    fit = convert_list(instances, p->classes(), *inputs);
  });
  if (!fault.kind.empty()) return fault.tuple();
  if (fit == Fit::kRaised) return nullptr;
  if (fit == Fit::kNo) Py_RETURN_NONE;
  return PyCapsule_New(inputs.release(), nullptr, destroy<Inputs>);
}

// The results as a list. Errors come as a tuple (kind, message).
template <class P>
PyObject* run_program(PyObject* program, PyObject* inputs, Profile* profile,
                      bool count_min_batches) {
  auto* p = static_cast<P*>(PyCapsule_GetPointer(program, nullptr));
  auto* in = static_cast<Inputs*>(PyCapsule_GetPointer(inputs, nullptr));
  decltype(p->take_call()) call;
  decltype(p->execute(*in, *call, *profile)) memory;
  Fault fault;
  Py_BEGIN_ALLOW_THREADS;
  fault = caught([&] {
    call = p->take_call();
    memory = p->execute(*in, *call, *profile);
    if (count_min_batches) profile->min_batches = P::min_batches(*call);
  });
  Py_END_ALLOW_THREADS;
  PyObject* out = nullptr;
  if (!fault.kind.empty()) {
    out = fault.tuple();
  } else {
    auto tensors = p->tensors(std::move(memory), *call);
    Results results(call->context.graph, call->context.schedule, tensors, p->classes(), in->shared);
    out = PyList_New(static_cast<Py_ssize_t>(in->n));
    for (size_t i = 0; out != nullptr && i < in->n; i++) {
      PyObject* item = results.build(&call->results[i * kResults]);
      if (item == nullptr) {
        Py_CLEAR(out);
        break;
      }
      PyList_SET_ITEM(out, static_cast<Py_ssize_t>(i), item);
    }
  }
  if (call != nullptr) p->give_call(std::move(call));
  return out;
}

}  // namespace acrobat

#define ACROBAT_EXPORT __attribute__((visibility("default")))

// The entry points of a library whose programs are of class `P`.
#define ACROBAT_ENTRY_POINTS(P)                                                                    \
  extern "C" {                                                                                     \
  ACROBAT_EXPORT PyObject* acrobat_abi() { return acrobat::abi_numbers<P>(); }                     \
  ACROBAT_EXPORT PyObject* acrobat_new(const P::Config* config, PyObject* classes) {               \
    import_array();                                                                                \
    return acrobat::new_program<P>(config, classes);                                               \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_convert(PyObject* program, PyObject* instances) {               \
    return acrobat::convert_instances<P>(program, instances);                                      \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_run(PyObject* program, PyObject* inputs,                        \
                                       acrobat::Profile* profile, int count_min_batches) {         \
    return acrobat::run_program<P>(program, inputs, profile, count_min_batches != 0);              \
  }                                                                                                \
  /* Called by TVM kernels only if their arguments are malformed: a bug of ours. */                \
  __attribute__((visibility("hidden"))) void TVMFFIErrorSetRaisedFromCStrParts(const char* kind,   \
                                                                               const char** parts, \
                                                                               int32_t n) {        \
    fprintf(stderr, "acrobat: kernel fault: %s: %s\n", kind, n > 0 ? parts[0] : "");               \
    abort();                                                                                       \
  }                                                                                                \
  }
