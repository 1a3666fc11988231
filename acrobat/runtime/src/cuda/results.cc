// The entry points for results that are on a GPU.
#include "acrobat/cuda/device.h"
#include "acrobat/cuda/dlpack.h"
#include "acrobat/python/entry.h"

using namespace acrobat;

static const cuda::SharedResults& results_of(PyObject* capsule) {
  return *static_cast<cuda::SharedResults*>(PyCapsule_GetPointer(capsule, nullptr));
}

extern "C" {

// Returns all results of a mini-batch as one numpy array, or an error as a tuple (kind, message).
ACROBAT_EXPORT PyObject* acrobat_host(PyObject* memory) {
  // Every source file has its own table of numpy's functions.
  if (PyArray_API == nullptr && _import_array() < 0) return nullptr;
  cuda::SharedResults results = results_of(memory);
  npy_intp floats = results->total();
  PyObject* array = PyArray_SimpleNew(1, &floats, NPY_FLOAT32);
  if (array == nullptr) return nullptr;
  auto* to = static_cast<float*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  Fault fault;
  Py_BEGIN_ALLOW_THREADS;
  fault = caught([&] { results->copy_to_host(to); });
  Py_END_ALLOW_THREADS;
  if (!fault.happened()) return array;
  Py_DECREF(array);
  return fault.tuple();
}

// Notes that an address in the memory is handed out.
ACROBAT_EXPORT void acrobat_note_export(PyObject* memory) { results_of(memory)->note_export(); }

// Returns a DLPack capsule, versioned or in the older form without a version.
ACROBAT_EXPORT PyObject* acrobat_dlpack(PyObject* memory, uint64_t address, PyObject* shape,
                                        int versioned) {
  std::vector<int64_t> dims;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++) {
    dims.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i)));
  }
  if (versioned != 0) {
    return cuda::Exported<cuda::DLManagedTensorVersioned>::capsule(results_of(memory), address,
                                                                   std::move(dims));
  }
  return cuda::Exported<cuda::DLManagedTensor>::capsule(results_of(memory), address,
                                                        std::move(dims));
}
}
