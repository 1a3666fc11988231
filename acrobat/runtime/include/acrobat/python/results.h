// From handles to Python objects: the results of a mini-batch. Needs the GIL.
#pragma once

#include <vector>

#include "../generated.h"
#include "../schedule/schedule.h"
#include "dicts.h"
#include "host_tensors.h"
#include "inputs.h"
#include "rebuilt.h"
#include "sequences.h"
#include "whole.h"

namespace acrobat {

// Rebuilds the results of an instance along the shape string: "x" a value; "(xx)" a tuple of two;
// "[(xx)" a list of tuples, for which the program has one list per item of the tuple; "<xx>" a
// value that may be None: whether it exists, and the value; "{xx}" a dict: its keys, and its
// values; "@3(xx)" an object of class 3, a named tuple or one with these fields. `Tensors` makes
// the object of a tensor: make(offset, type, shared).
template <class Tensors>
class Results {
 public:
  Results(const Graph& graph, const Schedule& schedule, Tensors& tensors,
          const std::vector<PyData>& classes, const Inputs& inputs)
      : graph_(graph),
        schedule_(schedule),
        tensors_(tensors),
        classes_(classes),
        texts_(inputs.texts),
        memoised_(inputs.shared) {}

  // Returns a new reference, or null with an exception set.
  PyObject* build(const Word* values) {
    const char* shape = kResultShape;
    std::vector<const FieldType*> types;
    for (int i = 0; i < kResults; i++) types.push_back(&kResult[i]);
    int leaf = 0;
    PyObject* made = next(shape, values, types, leaf);
    // Not for the next instance: writing to the arrays of one must not change another's.
    rebuilt_.clear();
    return made;
  }

 private:
  using Types = std::vector<const FieldType*>;
  static constexpr uint32_t kLook = 4096;  // values between two checks for signals

  PyObject* next(const char*& shape, const Word* values, const Types& types, int& leaf) {
    char kind = *shape++;
    if (kind == '(') {
      std::vector<PyObject*> items;
      bool whole = true;
      while (whole && *shape != ')') {
        items.push_back(nullptr);  // first, so that no object is lost
        items.back() = next(shape, values, types, leaf);
        whole = items.back() != nullptr;
      }
      shape++;
      PyObject* tuple = whole ? PyTuple_New(static_cast<Py_ssize_t>(items.size())) : nullptr;
      for (size_t i = 0; i < items.size(); i++) {
        if (tuple == nullptr) {
          Py_XDECREF(items[i]);
        } else {
          PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), items[i]);
        }
      }
      return tuple;
    }
    if (kind == '@') {
      size_t k = 0;
      for (; *shape != '('; shape++) k = 10 * k + static_cast<size_t>(*shape - '0');
      PyObject* parts = next(shape, values, types, leaf);
      PyObject* made = parts != nullptr ? of_class(classes_[k], parts) : nullptr;
      Py_XDECREF(parts);
      return made;
    }
    if (kind == '<') {
      bool there = values[leaf++].i != 0;
      shape++;
      if (there) {
        PyObject* made = next(shape, values, types, leaf);
        shape++;
        return made;
      }
      for (int depth = 1; depth > 0; shape++) {
        depth += (*shape == '<') - (*shape == '>');
        leaf += *shape == 'x';
      }
      Py_RETURN_NONE;
    }
    if (kind == '{') {
      const bool named = *shape == 's' || *shape == 'f' || *shape == 'q';
      const char of = named ? *shape++ : 'd';
      PyObject* keys = next(shape, values, types, leaf);
      PyObject* items = keys != nullptr ? next(shape, values, types, leaf) : nullptr;
      shape++;
      PyObject* made = items != nullptr ? of_two_lists(of, keys, items) : nullptr;
      Py_XDECREF(keys);
      Py_XDECREF(items);
      return made;
    }
    if (kind == '[' || kind == 'T') {
      return list_of_tuples(kind == 'T', shape, values, types, leaf);
    }
    int i = leaf++;
    return value(values[i], *types[i]);
  }

  PyObject* list_of_tuples(bool frozen, const char*& shape, const Word* values, const Types& types,
                           int& leaf) {
    int first = leaf;
    Types items(types.size());
    std::vector<Word> row(types.size());
    const char* end = shape;
    // A list of lists of tuples begins with several brackets, which nothing closes.
    bool closed = false;
    for (int depth = 0; !closed; end++) {
      const bool closes = *end == ')' || *end == '>' || *end == '}';
      depth += (*end == '(' || *end == '<' || *end == '{') - closes;
      leaf += *end == 'x';
      closed = closes && depth == 0;
    }
    for (int i = first; i < leaf; i++) items[i] = types[i]->item;
    int64_t n = list_len(values[first].p);
    PyObject* list = new_sequence(frozen, n);
    for (int64_t k = 0; list != nullptr && k < n; k++) {
      for (int i = first; i < leaf; i++) row[i] = list_of(values[i].p).items[k];
      const char* inner = shape;
      int at = first;
      PyObject* item = next(inner, row.data(), items, at);
      if (item == nullptr) {
        Py_CLEAR(list);
      } else {
        set_item(frozen, list, k, item);
      }
    }
    shape = end;
    return list;
  }

  const std::vector<PyObject*>& members(const FieldType& enumeration) const {
    return classes_[static_cast<size_t>(enumeration.dims[0])].members;
  }

  PyObject* value(Word w, const FieldType& type) {
    if (++made_ % kLook == 0 && PyErr_CheckSignals() != 0) return nullptr;
    switch (type.kind) {
      case 'i':
        return PyLong_FromLongLong(w.i);
      case 'f':
        return PyFloat_FromDouble(w.f);
      case 'b':
        return PyBool_FromLong(w.i != 0);
      case 't':
        return tensors_.make(schedule_.resolve(w.h), type, shared(w.h));
      case 's':
        return texts_.text(w.i);
      case 'e':
        return Py_NewRef(members(type)[static_cast<size_t>(w.i)]);
      default:
        break;
    }
    if (Py_EnterRecursiveCall(" while the result of a model was turned into Python objects")) {
      return nullptr;
    }
    PyObject* made = type.kind == 'l' ? list(w, type) : data_once(w);
    Py_LeaveRecursiveCall();
    return made;
  }

  // Whether a tensor was computed once for all instances, or may have been computed for several.
  bool shared(Handle h) const {
    if (memoised_) return true;
    return node_of(h) >= kReservedNodes && kBlockInfo[graph_.block_of(node_of(h))].once;
  }

  PyObject* list(Word w, const FieldType& type) {
    const List& l = list_of(w.p);
    const bool frozen = type.rank != 0;
    PyObject* made = new_sequence(frozen, l.length);
    for (int64_t i = 0; made != nullptr && i < l.length; i++) {
      PyObject* item = value(l.items[i], *type.item);
      if (item == nullptr) {
        Py_CLEAR(made);
      } else {
        set_item(frozen, made, i, item);
      }
    }
    return made;
  }

  // Data cannot change, so two mentions of a record become one object, as in plain Python. Lists
  // can change, and two equal ones may share memory here, so each mention gets a list of its own.
  PyObject* data_once(Word w) {
    if (depth_ == 0 && alone_) return data(w);
    if (PyObject* known = rebuilt_.find(w.p)) return known;
    PyObject* made = data(w);
    if (made != nullptr) rebuilt_.add(w.p, made);
    return made;
  }

  PyObject* data(Word w) {
    const DataType& t = kDataType[tag_of(w.p)];
    const PyData& cls = classes_[static_cast<size_t>(tag_of(w.p))];
    if (cls.type == Py_TYPE(Py_None)) Py_RETURN_NONE;
    depth_++;
    PyObject* made = cls.raw              ? only_field(w, t)
                     : t.shape != nullptr ? put_together(w, t, cls)
                     : cls.plain          ? filled(w, t, cls)
                                          : constructed(w, t, cls);
    depth_--;
    return made;
  }

  // The object that is a member of a union and no data type.
  PyObject* only_field(Word w, const DataType& t) {
    if (t.shape == nullptr) return value(w.p[1], t.fields[0]);
    Types types;
    for (int f = 0; f < t.n_fields; f++) types.push_back(&t.fields[f]);
    const char* shape = t.shape;
    int leaf = 0;
    return next(shape, w.p + 1, types, leaf);
  }

  // Makes an object with fields that are several fields in the program.
  PyObject* put_together(Word w, const DataType& t, const PyData& cls) {
    Types types;
    for (int f = 0; f < t.n_fields; f++) types.push_back(&t.fields[f]);
    std::vector<size_t> first;  // of the parts of each field
    PyObject* args = PyTuple_New(t.n_given);
    const char* shape = t.shape;
    int leaf = 0;
    for (int f = 0; args != nullptr && f < t.n_given; f++) {
      first.push_back(static_cast<size_t>(leaf));
      PyObject* field = next(shape, w.p + 1, types, leaf);
      if (field == nullptr) {
        Py_CLEAR(args);
      } else {
        PyTuple_SET_ITEM(args, f, field);
      }
    }
    if (args == nullptr) return nullptr;
    PyObject* made =
        cls.plain ? cls.make() : PyObject_CallObject(reinterpret_cast<PyObject*>(cls.type), args);
    for (int f = 0; cls.plain && made != nullptr && f < t.n_given; f++) {
      PyObject* field = Py_NewRef(PyTuple_GET_ITEM(args, f));
      if (!cls.set_field(made, first[static_cast<size_t>(f)], field)) Py_CLEAR(made);
    }
    Py_DECREF(args);
    return made;
  }

  // Makes an object of a class whose construction does nothing but set the fields: the generated
  // __init__ of a frozen dataclass takes four times as long as storing them in their slots.
  PyObject* filled(Word w, const DataType& t, const PyData& cls) {
    PyObject* made = cls.make();
    for (int f = 0; made != nullptr && f < t.n_fields; f++) {
      PyObject* field = value(w.p[1 + f], t.fields[f]);
      if (field == nullptr) {
        Py_CLEAR(made);
      } else if (!cls.set_field(made, static_cast<size_t>(f), field)) {
        Py_CLEAR(made);
      }
    }
    return made;
  }

  PyObject* constructed(Word w, const DataType& t, const PyData& cls) {
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

  const Graph& graph_;
  const Schedule& schedule_;
  Tensors& tensors_;
  const std::vector<PyData>& classes_;
  const Texts& texts_;
  bool memoised_;
  Rebuilt rebuilt_;
  uint32_t made_ = 0;
  int depth_ = 0;  // how deeply nested in data the value is that is being made
  // Whether a result is a single data object, which cannot occur within itself.
  const bool alone_ = kResults == 1 && kResult[0].kind == 'd';
};

}  // namespace acrobat
