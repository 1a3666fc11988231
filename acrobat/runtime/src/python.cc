// The entry points that Python calls through ctypes.PyDLL (with the GIL).
#include "acrobat/program.h"

namespace acrobat {

template <class T>
void destroy(PyObject* capsule) {
  delete static_cast<T*>(PyCapsule_GetPointer(capsule, nullptr));
}

// Results of one instance, rebuilt along the shape string: "x" a value, "(xx)" a tuple of two,
// "[(xx)" a list of tuples, of which the program has one list per item of the tuple.
class Results {
 public:
  Results(const Schedule& schedule, std::shared_ptr<Arena> arena,
          const std::vector<PyData>& classes)
      : schedule_(schedule), arena_(arena->base()), classes_(classes) {
    base_ = PyCapsule_New(new std::shared_ptr<Arena>(std::move(arena)), nullptr,
                          destroy<std::shared_ptr<Arena>>);
  }
  ~Results() { Py_XDECREF(base_); }

  // A new reference, or null with an exception set.
  PyObject* build(const Word* values) {
    const char* shape = kResultShape;
    std::vector<const FieldType*> types;
    for (int i = 0; i < kResults; i++) types.push_back(&kResult[i]);
    int leaf = 0;
    return next(shape, values, types, leaf);
  }

 private:
  using Types = std::vector<const FieldType*>;

  PyObject* next(const char*& shape, const Word* values, const Types& types, int& leaf) {
    char kind = *shape++;
    if (kind == '(') {
      std::vector<PyObject*> items;
      while (*shape != ')') items.push_back(next(shape, values, types, leaf));
      shape++;
      PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(items.size()));
      for (size_t i = 0; i < items.size(); i++) {
        if (items[i] == nullptr) Py_CLEAR(tuple);
        if (tuple != nullptr) PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), items[i]);
      }
      return tuple;
    }
    if (kind == '[') return list_of_tuples(shape, values, types, leaf);
    int i = leaf++;
    return value(values[i], *types[i]);
  }

  PyObject* list_of_tuples(const char*& shape, const Word* values, const Types& types, int& leaf) {
    int first = leaf;
    Types items(types.size());
    std::vector<Word> row(types.size());
    const char* end = shape;
    for (int depth = 0; end == shape || depth > 0; end++) {
      depth += (*end == '(') - (*end == ')');
      leaf += *end == 'x';
    }
    for (int i = first; i < leaf; i++) items[i] = types[i]->item;
    int64_t n = list_len(values[first].p);
    PyObject* list = PyList_New(n);
    for (int64_t k = 0; list != nullptr && k < n; k++) {
      for (int i = first; i < leaf; i++) row[i] = list_of(values[i].p).items[k];
      const char* inner = shape;
      int at = first;
      PyObject* item = next(inner, row.data(), items, at);
      if (item == nullptr) {
        Py_CLEAR(list);
      } else {
        PyList_SET_ITEM(list, k, item);
      }
    }
    shape = end;
    return list;
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
        npy_intp dims[3] = {type.dims[0], type.dims[1], type.dims[2]};
        PyObject* array = PyArray_SimpleNewFromData(type.rank, dims, NPY_FLOAT32,
                                                    arena_ + schedule_.resolve(w.h));
        if (array != nullptr) {
          Py_INCREF(base_);
          PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), base_);
        }
        return array;
      }
      default:
        break;
    }
    if (Py_EnterRecursiveCall(" while the result of a model was turned into Python objects")) {
      return nullptr;
    }
    PyObject* made = type.kind == 'l' ? list(w, type) : data(w);
    Py_LeaveRecursiveCall();
    return made;
  }

  PyObject* list(Word w, const FieldType& type) {
    const List& l = list_of(w.p);
    PyObject* made = PyList_New(l.length);
    for (int64_t i = 0; made != nullptr && i < l.length; i++) {
      PyObject* item = value(l.items[i], *type.item);
      if (item == nullptr) {
        Py_CLEAR(made);
      } else {
        PyList_SET_ITEM(made, i, item);
      }
    }
    return made;
  }

  PyObject* data(Word w) {
    const DataType& t = kDataType[w.p[0].i];
    const PyData& cls = classes_[static_cast<size_t>(w.p[0].i)];
    if (cls.type == Py_TYPE(Py_None)) Py_RETURN_NONE;
    PyObject* args = PyTuple_New(t.n_fields);
    for (int f = 0; args != nullptr && f < t.n_fields; f++) {
      PyObject* field = value(w.p[1 + f], t.fields[f]);
      if (field == nullptr) {
        Py_CLEAR(args);
      } else {
        PyTuple_SET_ITEM(args, f, field);
      }
    }
    if (args == nullptr) return nullptr;
    PyObject* made = PyObject_CallObject(reinterpret_cast<PyObject*>(cls.type), args);
    Py_DECREF(args);
    return made;
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
    if (count_min_batches) {
      profile->min_batches = Schedule::min_batches(call->context.graph, kBlockInfo);
    }
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
    Results results(call->context.schedule, std::move(arena), p->classes());
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
