// From Python objects to records. Needs the GIL.
//
// Other Python code may run in between (an `__index__`, a signal's handler, and so other threads)
// and may change lists and drop objects. So the converter owns what it is reading, and checks the
// length of a list for every item.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <structmember.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "../errors.h"
#include "../graph/lists.h"
#include "../graph/records.h"
#include "arrays.h"
#include "convert_array.h"
#include "dicts.h"
#include "input_tensors.h"
#include "inputs.h"
#include "members.h"
#include "mentions.h"
#include "owned.h"
#include "scalars.h"

namespace acrobat {

// Converts one mini-batch. Throws InstanceFault, CapacityError and std::bad_alloc.
class Converter {
 public:
  Converter(const DataType* types, const std::vector<PyData>& classes, Inputs& inputs)
      : types_(types), classes_(classes), inputs_(inputs), empty_(classes.size(), nullptr) {}

  Fit convert(PyObject* value, const FieldType& type, Word* out) {
    Fit fit = one(value, type, out);
    while (fit == Fit::kYes && !frames_.empty()) {
      if (frames_.back().at < frames_.back().n) {
        fit = next();
      } else {
        mentions_[frames_.back().mention].open = false;
        frames_.pop_back();
      }
    }
    return fit;
  }

  const Mentions& mentions() const { return mentions_; }

 private:
  // An object whose fields, or a list whose items, are being converted: those from `at` on are
  // left. Frames form the path to the current value, except objects that have nothing left.
  struct Frame {
    Owned object;
    const FieldType* fields;  // of data; null for a list
    const FieldType* item;
    Word* to;
    Py_ssize_t at, n;
    uint32_t tag, mention;
  };

  // How many values are converted between two checks for signals.
  static constexpr size_t kSteps = 1 << 12;

  // Converts the next field or item of the innermost frame.
  Fit next() {
    Frame& f = frames_.back();
    PyObject* value;
    const FieldType* type;
    Word* out;
    if (f.fields == nullptr) {
      value = item_of(f.object.get(), f.at, f.n);
      type = f.item;
      out = f.to + f.at++;
    } else {
      value = field_of(f.object.get(), f.tag, f.at);
      if (value == nullptr) return Fit::kNo;
      type = f.fields + f.at;
      out = f.to + f.at++;
      while (f.at < f.n && !nested(f.fields[f.at])) f.at++;
    }
    if (f.at < f.n || f.mention != Mentions::kNone) return one(value, *type, out);
    // The last one: pop the frame first, so that a chain of any length needs only one. The frame of
    // an object that may be met again stays until its contents are converted.
    Owned held = std::move(f.object);
    frames_.pop_back();
    return one(value, *type, out);
  }

  Fit one(PyObject* v, const FieldType& type, Word* out) {
    if (++steps_ % kSteps == 0 && !look(v)) return Fit::kRaised;
    switch (type.kind) {
      case 'i':
        return integer(v, out);
      case 'f':
        return real(v, out);
      case 'b':
        out->i = v == Py_True;
        return PyBool_Check(v) ? Fit::kYes : Fit::kNo;
      case 't':
      case 'm':
        return array(v, type, out);
      case 'l':
        return list(v, type, out);
      case 'd':
        return data(v, type, out);
      case 's':
        if (!PyUnicode_Check(v)) return Fit::kNo;
        out->i = inputs_.texts.number(v);
        return Fit::kYes;
      case 'e':
        return member(v, classes_[static_cast<size_t>(type.dims[0])], out);
      case '(':
        if (!PyTuple_Check(v) || PyTuple_GET_SIZE(v) != type.dims[1]) return Fit::kNo;
        return one(PyTuple_GET_ITEM(v, type.dims[0]), *type.item, out);
      case '?':
        out->i = v != Py_None;
        return Fit::kYes;
      case '<':
      case '>':
        return dict(v, type, out);
      case '#':
        return value_of(v, classes_[static_cast<size_t>(type.dims[0])], type, out);
      default:  // '!'
        if (v != Py_None) return one(v, *type.item, out);
        return nothing(found_by(type), out);
    }
  }

  // Finds the position of a member of an enumeration by identity: each exists once.
  static Fit member(PyObject* v, const PyData& enumeration, Word* out) {
    const std::vector<PyObject*>& members = enumeration.members;
    const auto found = std::find(members.begin(), members.end(), v);
    out->i = found - members.begin();
    return found != members.end() ? Fit::kYes : Fit::kNo;
  }

  Fit dict(PyObject* v, const FieldType& type, Word* out) {
    if (!is_dict_or_set(v, type)) return Fit::kNo;
    PyObject* items = keys_or_values(v, type);
    if (items == nullptr) return failed();
    const Owned held(items);
    Py_DECREF(items);
    return one(items, *type.item, out);
  }

  // The value of one of the known keys of a dict.
  Fit value_of(PyObject* v, const PyData& dict, const FieldType& type, Word* out) {
    PyObject* value = value_at(v, dict.names, static_cast<size_t>(type.dims[1]));
    if (value == nullptr) return PyErr_Occurred() != nullptr ? failed() : Fit::kNo;
    const Owned held(value);
    return one(value, *type.item, out);
  }

  // Writes some value of a type in place of None: nothing reads it.
  Fit nothing(const FieldType& type, Word* out) {
    out->i = 0;
    if (type.kind == 'f') out->f = 0;
    if (type.kind == 's') {
      // As the program has it: a lookup compares keys, also where they are None.
      const Owned empty(PyUnicode_New(0, 0));
      Py_DECREF(empty.get());
      out->i = inputs_.texts.number(empty.get());
    }
    if (type.kind == 'l' || type.kind == 'm') {
      auto* header = reinterpret_cast<List*>(inputs_.words.take(3));
      *header = {0, reinterpret_cast<Word*>(header), nullptr};
      out->p = reinterpret_cast<const Word*>(header);
    }
    if (type.kind != 't') return Fit::kYes;
    out->h = part(kInputNode, tensors_.zeros(type.size()));
    return Fit::kYes;
  }

  // A tensor, or a list that is given as an array of its items.
  Fit array(PyObject* v, const FieldType& t, Word* out) {
    const bool again = Py_REFCNT(v) > 1;
    const Owned held(v);  // its class may run any code
    if (!is_array(v)) return Fit::kNo;
    auto* array = reinterpret_cast<PyArrayObject*>(v);
    const ArrayPart whole(array);
    if (!whole.fits(t)) return Fit::kNo;
    Fit fit;
    if (again && known(v, t.item, out, &fit)) return fit;
    fit = is_native(array) ? convert_array(whole, t, inputs_.words, tensors_, out)
                           : convert_copy(array, t, inputs_.words, tensors_, out);
    if (again && fit == Fit::kYes) mentions_.add(v, t.item, *out, false);
    return fit;
  }

  // Whether a value that may be met again was met before; `out` is then what it became.
  bool known(PyObject* v, const FieldType* item, Word* out, Fit* fit) {
    uint32_t i = mentions_.find(v, item);
    if (i == Mentions::kNone) return false;
    *fit = mentions_[i].open ? Fit::kNo : Fit::kYes;  // open: it contains itself
    mentions_[i].again = true;
    *out = mentions_[i].value;
    return true;
  }

  Fit list(PyObject* v, const FieldType& t, Word* out) {
    if (!PyList_Check(v) && !PyTuple_Check(v)) return Fit::kNo;
    Fit fit;
    const FieldType* item = t.item;
    bool again = Py_REFCNT(v) > 1;
    if (again && known(v, item, out, &fit)) return fit;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(v);
    Word* to = make_list(inputs_.words, n, out);
    bool later = n > 0 && nested(*item);
    uint32_t mention = Mentions::kNone;
    if (again && n > 0) mention = mentions_.add(v, item, *out, later);
    if (later) {
      frames_.push_back({Owned(v), nullptr, item, to, 0, n, 0, mention});
      return Fit::kYes;
    }
    Owned held(v);
    for (Py_ssize_t i = 0; i < n; i++) {
      fit = one(item_of(v, i, n), *item, to + i);
      if (fit != Fit::kYes) return fit;
    }
    return Fit::kYes;
  }

  static PyObject* item_of(PyObject* list, Py_ssize_t i, Py_ssize_t n) {
    if (PySequence_Fast_GET_SIZE(list) != n) {
      throw InstanceFault("a list of an instance changed its length while it was converted");
    }
    return PySequence_Fast_GET_ITEM(list, i);
  }

  PyObject* field_of(PyObject* object, uint32_t tag, Py_ssize_t field) const {
    return classes_[tag].field(object, static_cast<size_t>(field));
  }

  Fit data(PyObject* v, const FieldType& t, Word* out) {
    const uint32_t tag = member_of(v, t.members, classes_);
    if (tag == kNoMember) return Fit::kNo;
    return types_[tag].n_fields == 0 ? empty(tag, out) : filled(v, tag, out);
  }

  // All objects of a class without fields share one record.
  Fit empty(uint32_t tag, Word* out) {
    if (empty_[tag] == nullptr) {
      empty_[tag] = inputs_.words.take(1);
      empty_[tag][0].i = static_cast<int64_t>(tag);
    }
    out->p = empty_[tag];
    return Fit::kYes;
  }

  Fit filled(PyObject* v, uint32_t tag, Word* out) {
    const DataType& t = types_[tag];
    Fit fit;
    bool again = Py_REFCNT(v) > 1 && (!classes_[tag].raw || has_identity(v));
    if (again && known(v, nullptr, out, &fit)) return fit;
    Word* record = inputs_.words.take(static_cast<size_t>(t.n_fields) + 1);
    record[0].i = static_cast<int64_t>(tag);
    out->p = record;
    Owned held(v);
    // Numbers and tensors are converted at once, the others step by step.
    Py_ssize_t first = -1;
    for (int f = 0; f < t.n_fields; f++) {
      if (nested(t.sources[f])) {
        if (first < 0) first = f;
        continue;
      }
      PyObject* field = field_of(v, tag, f);
      if (field == nullptr) return Fit::kNo;
      fit = one(field, t.sources[f], record + 1 + f);
      if (fit != Fit::kYes) return fit;
    }
    uint32_t mention = Mentions::kNone;
    if (again) mention = mentions_.add(v, nullptr, *out, first >= 0);
    if (first < 0) return Fit::kYes;
    frames_.push_back(
        {std::move(held), t.sources, nullptr, record + 1, first, t.n_fields, tag, mention});
    return Fit::kYes;
  }

  // Called every kSteps values: false if the handler of a signal raised an exception.
  bool look(PyObject* present) {
    Owned held(present);
    return PyErr_CheckSignals() == 0;
  }

  const DataType* types_;
  const std::vector<PyData>& classes_;
  Inputs& inputs_;
  std::vector<Word*> empty_;  // by tag
  Mentions mentions_;
  std::vector<Frame> frames_;
  size_t steps_ = 0;
  InputTensors tensors_{inputs_.tensors};
};

}  // namespace acrobat
