// The functions that Python calls through ctypes.PyDLL (with the GIL), for a program class `P`:
//   P::Config, P(config, classes), classes(), take_call(), give_call(call),
//   execute(inputs, call, profile) -> the memory that holds what call.results refers to, and
//   tensors(memory, call) -> a maker of Python objects for the tensors in it (results.h);
//   a call has `results` and `context.schedule`, which resolves their handles.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "../abi.h"
#include "../errors.h"
#include "../forked.h"
#include "../generated.h"
#include "../memory.h"
#include "../profile.h"
#include "../schedule/trace.h"
#include "convert_list.h"
#include "describe_classes.h"
#include "faults.h"
#include "host_calls.h"
#include "results.h"

namespace acrobat {

// Returns the numbers that the parts of this library were compiled with (abi.h), as
// {"program": {name: number}, "run-time": {name: number}}.
template <class P>
PyObject* abi_numbers() {
  static constexpr AbiNumber kOwn[] = {ACROBAT_PROGRAM_ABI,
                                       ACROBAT_ABI_SIZE(BlockCounts),
                                       ACROBAT_ABI_SIZE(Profile),
                                       ACROBAT_ABI_SIZE(Trace::NodeOf),
                                       ACROBAT_ABI_SIZE(Trace::BatchOf),
                                       ACROBAT_ABI_SIZE(Trace::Span),
                                       ACROBAT_ABI_SIZE(Trace::Wait),
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
  // Takes the references, even if one of them is null.
  return Py_BuildValue("{sNsN}", "program", program, "run-time", own);
}

// A program as Python holds it: one per process, as processes may be forked from this one.
template <class P>
class Loaded {
 public:
  // `host_functions` are borrowed references; like those to classes, ours are never released.
  Loaded(const typename P::Config& config, std::vector<PyData> classes,
         std::vector<PyObject*> host_functions)
      : classes_(std::move(classes)),
        host_functions_(std::move(host_functions)),
        config_(config),
        program_([this] { return make(); }) {
    for (PyObject* f : host_functions_) Py_INCREF(f);
  }

  P& get() { return program_.get(); }
  const std::vector<PyData>& classes() const { return classes_; }
  // Those of one call.
  HostCalls host_calls(const Inputs& inputs) const {
    return HostCalls(kHostFunction, host_functions_, inputs.texts);
  }

 private:
  std::unique_ptr<P> make() const {
    if constexpr (requires { config_.gpu; }) {
      if (of_ != generation()) {
        throw DeviceFault(
            "a process that was forked cannot use the GPU of its parent; start it by spawn "
            "(multiprocessing.get_context('spawn')), or compile the model in it");
      }
    }
    return std::make_unique<P>(config_, classes_);
  }

  std::vector<PyData> classes_;
  std::vector<PyObject*> host_functions_;
  typename P::Config config_;
  unsigned of_ = generation();
  PerProcess<P> program_;
};

template <class P>
Loaded<P>* loaded(PyObject* capsule) {
  auto* found = static_cast<Loaded<P>*>(PyCapsule_GetPointer(capsule, nullptr));
  if (found == nullptr) throw PythonError();
  return found;
}

// Returns a capsule that owns `it`.
template <class T>
PyObject* in_capsule(std::unique_ptr<T> it) {
  PyObject* capsule = PyCapsule_New(it.get(), nullptr, destroy<T>);
  if (capsule != nullptr) it.release();
  return capsule;
}

// Returns a program in a capsule, or an error as a tuple. `classes` are (class, (field, ...),
// whether its __init__ is left out) in order of the tags, then (enumeration, (member, ...)), then
// the named tuples and plain classes of results, as the data types; `functions` are the host
// functions.
template <class P>
PyObject* new_program(const typename P::Config* config, PyObject* classes, PyObject* functions) {
  return returned([&] {
    std::vector<PyData> found;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
      PyObject* entry = PyTuple_GET_ITEM(classes, i);
      found.push_back(PyTuple_GET_SIZE(entry) == 2 ? enumeration_of(entry) : data_of(entry));
    }
    std::vector<PyObject*> host;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); i++) {
      host.push_back(PyTuple_GET_ITEM(functions, i));
    }
    return in_capsule(std::make_unique<Loaded<P>>(*config, std::move(found), std::move(host)));
  });
}

// Returns the instances as records, in a capsule; None if one of them does not fit; or an error as
// a tuple.
template <class P>
PyObject* convert_instances(PyObject* program, PyObject* instances, int64_t limit) {
  return returned([&]() -> PyObject* {
    const Budget budget(limit);
    auto inputs = std::make_unique<Inputs>();
    const Fit fit = convert_list(instances, loaded<P>(program)->classes(), *inputs);
    if (fit == Fit::kRaised) return nullptr;
    if (fit == Fit::kNo) Py_RETURN_NONE;
    return in_capsule(std::move(inputs));
  });
}

// Returns the results as a list.
template <class P, class Tensors, class Call>
PyObject* list_of_results(P& p, const Inputs& inputs, Tensors&& tensors, const Call& call) {
  if constexpr (requires { tensors.expect(int64_t{}); }) {
    int64_t floats = 0;
    for (int i = 0; i < kResults; i++) floats += kResult[i].kind == 't' ? kResult[i].size() : 0;
    tensors.expect(floats * static_cast<int64_t>(inputs.n));
  }
  Results results(call.context.graph, call.context.schedule, tensors, p.classes(), inputs);
  Reference out(PyList_New(static_cast<Py_ssize_t>(inputs.n)));
  for (size_t i = 0; out.get() != nullptr && i < inputs.n; i++) {
    PyObject* item = results.build(&call.results[i * kResults]);
    if (item == nullptr) return nullptr;
    PyList_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), item);
  }
  return out.release();
}

// Returns plain structures as bytes.
template <class T>
PyObject* bytes_of(const std::vector<T>& items) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(items.data()),
                                   static_cast<Py_ssize_t>(items.size() * sizeof(T)));
}

// Runs a mini-batch. Returns the results as a list, or an error as a tuple (kind, message). Records
// what is done in `trace`, if given.
template <class P>
PyObject* run_program(PyObject* program, PyObject* inputs, Profile* profile, bool count_min_batches,
                      int64_t limit, Trace* trace = nullptr) {
  return returned([&]() -> PyObject* {
    auto* of = loaded<P>(program);
    auto* in = static_cast<Inputs*>(PyCapsule_GetPointer(inputs, nullptr));
    if (in == nullptr) return nullptr;
    const unsigned of_process = generation();
    P* p = nullptr;
    decltype(p->take_call()) call;
    decltype(p->execute(*in, *call, *profile)) memory;
    HostCalls host = of->host_calls(*in);
    Fault fault;
    Py_BEGIN_ALLOW_THREADS;
    fault = caught([&] {
      const Budget budget(limit);
      p = &of->get();
      call = p->take_call();
      call->context.host = &host;
      if constexpr (requires { p->execute(*in, *call, *profile, trace); }) {
        memory = p->execute(*in, *call, *profile, trace);
      } else {
        memory = p->execute(*in, *call, *profile);
      }
      if (count_min_batches) profile->min_batches = P::min_batches(*call);
    });
    if (fault.of_memory() && p != nullptr) {
      // Do not keep buffers that may have grown without bound.
      call.reset();
      memory.reset();
      if constexpr (requires { p->give_back(); }) p->give_back();
    }
    Py_END_ALLOW_THREADS;
    PyObject* out = nullptr;
    if (fault.happened()) {
      in->texts.put_into(fault.message);
      out = fault.tuple();
    } else {
      Fault later = caught(
          [&] { out = list_of_results(*p, *in, p->tensors(std::move(memory), *call), *call); });
      if (later.happened()) out = later.tuple();
    }
    if (call == nullptr) return out;
    if (of_process != generation()) {
      call.release();  // a signal's handler forked, or a constructor of one of the author's classes
    } else if (!fault.of_signal()) {
      caught([&] { p->give_call(std::move(call)); });
    }
    return out;
  });
}

// The same with a trace. Returns (results, nodes, batches, spans, waits): the last four are arrays
// of `Trace`.
template <class P>
PyObject* trace_program(PyObject* program, PyObject* inputs, Profile* profile, int64_t limit) {
  return returned([&]() -> PyObject* {
    Trace trace;
    PyObject* results = run_program<P>(program, inputs, profile, false, limit, &trace);
    if (results == nullptr || !PyList_Check(results)) return results;
    return Py_BuildValue("(NNNNN)", results, bytes_of(trace.nodes), bytes_of(trace.batches),
                         bytes_of(trace.spans), bytes_of(trace.waits));
  });
}

}  // namespace acrobat

#define ACROBAT_EXPORT __attribute__((visibility("default")))

// The entry points of a library whose programs are of class `P`.
#define ACROBAT_ENTRY_POINTS(P)                                                                    \
  extern "C" {                                                                                     \
  ACROBAT_EXPORT PyObject* acrobat_abi() { return acrobat::abi_numbers<P>(); }                     \
  ACROBAT_EXPORT PyObject* acrobat_new(const P::Config* config, PyObject* classes,                 \
                                       PyObject* functions) {                                      \
    import_array();                                                                                \
    return acrobat::new_program<P>(config, classes, functions);                                    \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_convert(PyObject* program, PyObject* instances,                 \
                                           int64_t limit) {                                        \
    return acrobat::convert_instances<P>(program, instances, limit);                               \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_run(PyObject* program, PyObject* inputs,                        \
                                       acrobat::Profile* profile, int count_min_batches,           \
                                       int64_t limit) {                                            \
    return acrobat::run_program<P>(program, inputs, profile, count_min_batches != 0, limit);       \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_trace(PyObject* program, PyObject* inputs,                      \
                                         acrobat::Profile* profile, int64_t limit) {               \
    return acrobat::trace_program<P>(program, inputs, profile, limit);                             \
  }                                                                                                \
  /* Called by TVM kernels only if their arguments are malformed: a bug of ours. */                \
  __attribute__((visibility("hidden"))) void TVMFFIErrorSetRaisedFromCStrParts(const char* kind,   \
                                                                               const char** parts, \
                                                                               int32_t n) {        \
    fprintf(stderr, "acrobat: kernel fault: %s: %s\n", kind, n > 0 ? parts[0] : "");               \
    abort();                                                                                       \
  }                                                                                                \
  }
