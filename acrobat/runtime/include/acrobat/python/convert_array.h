// Converts an array to a tensor, or to the list of its items along an axis.
#pragma once

#include "../graph/lists.h"
#include "../graph/records.h"
#include "arrays.h"
#include "input_tensors.h"
#include "inputs.h"
#include "owned.h"
#include "scalars.h"

namespace acrobat {

// Makes `out` a list of `n` items in `words`; returns where they go.
inline Word* make_list(Words& words, int64_t n, Word* out) {
  auto* header = reinterpret_cast<List*>(words.take(3));
  Word* to = words.take(static_cast<size_t>(n));
  *header = {n, to, nullptr};
  out->p = reinterpret_cast<const Word*>(header);
  return to;
}

// Converts an array that fits `t`, a tensor or a list that is given as an array.
inline Fit convert_array(const ArrayPart& array, const FieldType& t, Words& words,
                         InputTensors& tensors, Word* out) {
  if (t.kind == 't') {
    const int64_t at = tensors.add(array, t.size());
    out->h = part(kInputNode, at);
    return at == InputTensors::kBeyond ? Fit::kNo : Fit::kYes;
  }
  const int axis = array.axis_of(t);
  const npy_intp n = array.dims[axis];
  Word* to = make_list(words, n, out);
  Fit fit = Fit::kYes;
  for (npy_intp i = 0; fit == Fit::kYes && i < n; i++) {
    fit = convert_array(array.at(axis, i), *t.item, words, tensors, to + i);
  }
  return fit;
}

// The same of an array whose elements are in another form than the machine's.
inline Fit convert_copy(PyArrayObject* array, const FieldType& t, Words& words,
                        InputTensors& tensors, Word* out) {
  PyArray_Descr* form = PyArray_DescrFromType(NPY_FLOAT64);
  PyObject* copy = PyArray_FromArray(array, form, NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSUREARRAY);
  if (copy == nullptr) return failed();
  const Owned held(copy);
  Py_DECREF(copy);
  return convert_array(ArrayPart(reinterpret_cast<PyArrayObject*>(copy)), t, words, tensors, out);
}

}  // namespace acrobat
