// The entry points that Python calls through ctypes.PyDLL. Included once, by the generated file.
#pragma once

#include "program.h"

namespace acrobat {

template <class T>
void destroy(PyObject* capsule) {
  delete static_cast<T*>(PyCapsule_GetPointer(capsule, nullptr));
}

// Results of one instance, rebuilt along the shape string ("t", "(t(ti))").
class Results {
 public:
  Results(const Schedule& schedule, std::shared_ptr<Arena> arena,
          const std::vector<PyData>& classes)
      : schedule_(schedule), arena_(arena->base()), classes_(classes) {
    base_ = PyCapsule_New(new std::shared_ptr<Arena>(std::move(arena)), nullptr,
                          destroy<std::shared_ptr<Arena>>);
  }
  ~Results() { Py_XDECREF(base_); }

  PyObject* build(const Word* values) {
    const char* shape = kResultShape;
    int leaf = 0;
    return next(shape, values, leaf);
  }

 private:
  PyObject* next(const char*& shape, const Word* values, int& leaf) {
    if (*shape != '(') {
      shape++;
      int i = leaf++;
      return value(values[i], kResult[i]);
    }
    shape++;
    std::vector<PyObject*> items;
    while (*shape != ')') items.push_back(next(shape, values, leaf));
    shape++;
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
    for (size_t i = 0; i < items.size(); i++) {
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), items[i]);
    }
    return tuple;
  }

  PyObject* value(Word w, const FieldType& type) {
    switch (type.kind) {
      case 'i':
        return PyLong_FromLongLong(w.i);
      case 'f':
        return PyFloat_FromDouble(w.f);
      case 'b':
        return PyBool_FromLong(w.i != 0);
      case 't': {
        npy_intp shape[1] = {type.width};
        PyObject* array =
            PyArray_SimpleNewFromData(1, shape, NPY_FLOAT32, arena_ + schedule_.resolve(w.h));
        if (array != nullptr) {
          Py_INCREF(base_);
          PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), base_);
        }
        return array;
      }
      default: {
        const DataType& t = kDataType[w.p[0].i];
        const PyData& cls = classes_[static_cast<size_t>(w.p[0].i)];
        PyObject* args = PyTuple_New(t.n_fields);
        for (int f = 0; f < t.n_fields; f++) {
          PyTuple_SET_ITEM(args, f, value(w.p[1 + f], t.fields[f]));
        }
        PyObject* made = PyObject_CallObject(reinterpret_cast<PyObject*>(cls.type), args);
        Py_DECREF(args);
        return made;
      }
    }
  }

  const Schedule& schedule_;
  float* arena_;
  const std::vector<PyData>& classes_;
  PyObject* base_;
};

}  // namespace acrobat

extern "C" {

#define ACROBAT_EXPORT __attribute__((visibility("default")))

// Called by TVM kernels only if their arguments are malformed, which would be a bug of ours.
__attribute__((visibility("hidden"))) void TVMFFIErrorSetRaisedFromCStrParts(const char* kind,
                                                                             const char** parts,
                                                                             int32_t n) {
  fprintf(stderr, "acrobat: kernel fault: %s: %s\n", kind, n > 0 ? parts[0] : "");
  abort();
}

// `classes` are (class, (field, ...)) in order of the tags.
ACROBAT_EXPORT PyObject* acrobat_new(const acrobat::Config* config, PyObject* classes) {
  using namespace acrobat;
  import_array();
  std::vector<PyData> found;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
    PyObject* entry = PyTuple_GET_ITEM(classes, i);
    PyData data{reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(entry, 0)), {}, {}};
    Py_INCREF(data.type);
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
  return PyCapsule_New(new Program(*config, std::move(found)), nullptr, destroy<Program>);
}

// The instances as records, in a capsule; None if one of them does not fit.
ACROBAT_EXPORT PyObject* acrobat_convert(PyObject* program, PyObject* instances) {
  using namespace acrobat;
  auto* p = static_cast<Program*>(PyCapsule_GetPointer(program, nullptr));
  auto inputs = std::make_unique<Inputs>();
  Py_ssize_t n = PyList_GET_SIZE(instances);
  inputs->n = static_cast<size_t>(n);
  inputs->arguments.resize(inputs->n * kParameters);
  Converter converter(kDataType, p->classes());
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* instance = PyList_GET_ITEM(instances, i);
    Word* out = &inputs->arguments[static_cast<size_t>(i) * kParameters];
    bool fits;
    if (kParameters == 1) {
      fits = converter.convert(instance, kParameter[0], out, *inputs);
    } else {
      fits = PyTuple_Check(instance) && PyTuple_GET_SIZE(instance) == kParameters;
      for (int j = 0; fits && j < kParameters; j++) {
        fits = converter.convert(PyTuple_GET_ITEM(instance, j), kParameter[j], out + j, *inputs);
      }
    }
    if (!fits) Py_RETURN_NONE;
  }
  return PyCapsule_New(inputs.release(), nullptr, destroy<Inputs>);
}

// The results as a list. Errors come as a tuple (kind, message).
ACROBAT_EXPORT PyObject* acrobat_run(PyObject* program, PyObject* inputs, acrobat::Profile* profile,
                                     int count_min_batches) {
  using namespace acrobat;
  auto* p = static_cast<Program*>(PyCapsule_GetPointer(program, nullptr));
  auto* in = static_cast<Inputs*>(PyCapsule_GetPointer(inputs, nullptr));
  auto call = p->take_call();
  std::shared_ptr<Arena> arena;
  std::string kind, message;
  Py_BEGIN_ALLOW_THREADS;
  try {
    arena = p->execute(*in, *call, *profile);
    if (count_min_batches) profile->min_batches = Program::min_batches(call->context.graph);
  } catch (const StackOverflow& e) {
    kind = "stack", message = e.what();
  } catch (const CapacityError& e) {
    kind = "capacity", message = e.what();
  } catch (const InstanceFault& e) {
    kind = "instance", message = e.what();
  } catch (const std::bad_alloc&) {
    kind = "memory", message = "out of memory";
  } catch (const std::exception& e) {
    kind = "fault", message = e.what();
  }
  Py_END_ALLOW_THREADS;
  PyObject* out = nullptr;
  if (!kind.empty()) {
    out = Py_BuildValue("(ss)", kind.c_str(), message.c_str());
  } else {
    Results results(call->schedule, std::move(arena), p->classes());
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
  p->give_call(std::move(call));
  return out;
}

}  // extern "C"
