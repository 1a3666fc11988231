// Makes numpy arrays of tensors in an arena. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "../graph/records.h"
#include "../schedule/arena.h"
#include "floats.h"

namespace acrobat {

template <class T>
void destroy(PyObject* capsule) {
  delete static_cast<T*>(PyCapsule_GetPointer(capsule, nullptr));
}

// Makes copies if all of them are small compared with what the arena holds (`used` floats), else
// views, which keep the arena alive. Before float `own` lie numbers and weights, which later
// mini-batches read there, too.
class HostTensors {
 public:
  HostTensors(std::shared_ptr<Arena> arena, int64_t own, int64_t used)
      : arena_(std::move(arena)),
        own_(own),
        used_(used),
        copies_(std::max(kSmall, used / kShare)) {}
  ~HostTensors() { Py_XDECREF(base_); }
  HostTensors(const HostTensors&) = delete;
  HostTensors& operator=(const HostTensors&) = delete;

  // Announces how many floats the results have in total.
  void expect(int64_t floats) {
    if (floats > copies_) copies_ = 0;
  }

  // Returns a new reference, or null with an exception set. Writing to the array must not change
  // what others get, so it is a copy of a row of a weight, and of a tensor that is `shared`.
  PyObject* make(int64_t offset, const FieldType& type, bool shared) {
    npy_intp dims[kMaxRank] = {type.dims[0], type.dims[1], type.dims[2]};
    const int64_t floats = type.size();
    const float* at = arena_->base() + offset;
    if (shared || offset < own_ || floats <= copies_) {
      copies_ -= floats;
      float* copy = done_.add(at, floats);
      return copy == nullptr ? nullptr : array_of(type.rank, dims, copy, done_.owner());
    }
    if (base_ == nullptr && !keep()) return nullptr;
    return array_of(type.rank, dims, arena_->base() + offset, base_);
  }

 private:
  // The floats of results that are always copied, and the fraction of the arena (1 / kShare) up to
  // which more are: copying takes a hundredth of the time that computing took, and views do not
  // keep far more than the results.
  static constexpr int64_t kSmall = 1 << 14, kShare = 8;

  // Returns an array of floats that `base` keeps alive.
  static PyObject* array_of(int rank, npy_intp* dims, float* at, PyObject* base) {
    PyObject* array = PyArray_SimpleNewFromData(rank, dims, NPY_FLOAT32, at);
    if (array == nullptr) return nullptr;
    Py_INCREF(base);
    // Takes the reference whether it fails or not.
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), base) < 0) {
      Py_CLEAR(array);
    }
    return array;
  }

  // Makes the object that keeps the arena alive while there are views. The arena may move now, but
  // not later.
  bool keep() {
    arena_->keep(used_);
    auto holder = std::make_unique<std::shared_ptr<Arena>>(arena_);
    base_ = PyCapsule_New(holder.get(), nullptr, destroy<std::shared_ptr<Arena>>);
    if (base_ != nullptr) holder.release();
    return base_ != nullptr;
  }

  std::shared_ptr<Arena> arena_;
  int64_t own_, used_;
  int64_t copies_;  // floats that may still be copied
  Copies done_;
  PyObject* base_ = nullptr;
};

}  // namespace acrobat
