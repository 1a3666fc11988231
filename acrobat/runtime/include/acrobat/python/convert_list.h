// Converts a list of instances to the inputs of a program. Needs the GIL.
#pragma once

#include <vector>

#include "../generated.h"
#include "convert.h"
#include "mark_shared.h"

namespace acrobat {

// Throws InstanceFault if the list changes meanwhile, CapacityError or std::bad_alloc if it takes
// too much memory.
inline Fit convert_list(PyObject* instances, const std::vector<PyData>& classes, Inputs& inputs) {
  Py_ssize_t n = PyList_GET_SIZE(instances);
  if (kHasTexts || kTexts > 0) inputs.texts.begin(kText, kTexts);
  auto words = static_cast<size_t>(n) * static_cast<size_t>(kParameters);
  take_memory(static_cast<int64_t>(words * sizeof(Word)), "its instances");
  inputs.n = static_cast<size_t>(n);
  inputs.arguments.resize(words);
  Converter converter(kDataType, classes, inputs);
  for (Py_ssize_t i = 0; i < n; i++) {
    if (PyList_GET_SIZE(instances) != n) {
      throw InstanceFault("the list of instances changed its length while it was converted");
    }
    PyObject* instance = PyList_GET_ITEM(instances, i);
    Word* out = &inputs.arguments[static_cast<size_t>(i) * static_cast<size_t>(kParameters)];
    Fit fit = Fit::kYes;
    if (kParameters == 1 && kArguments == 1) {
      fit = converter.convert(instance, kParameter[0], out);
    } else {
      const bool several = kArguments > 1;
      if (several && (!PyTuple_Check(instance) || PyTuple_GET_SIZE(instance) != kArguments)) {
        return Fit::kNo;
      }
      Owned held(instance);
      for (int j = 0; fit == Fit::kYes && j < kParameters; j++) {
        PyObject* argument = several ? PyTuple_GET_ITEM(instance, kParameterOf[j]) : instance;
        fit = converter.convert(argument, kParameter[j], out + j);
      }
    }
    if (fit != Fit::kYes) return fit;
  }
  inputs.shared = kMemoises && SharedMarker(kDataType).mark(converter.mentions());
  return Fit::kYes;
}

}  // namespace acrobat
