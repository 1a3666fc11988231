// Tensors in an arena as numpy arrays. Needs the GIL.
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

// Copies where all of them are small beside what the arena
// holds (`used` floats), else views, which keep it alive. Before float `own` are numbers and
// weights, which later mini-batches read there too.
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

  // That there will be so many floats of results.
  void expect(int64_t floats) {
    if (floats > copies_) copies_ = 0;
  }

  // A new reference, or null with an exception set. Who writes to it must not change what others
  // get: of a row of a weight, and of what is `shared`, it is a copy.
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
  // Floats of results that are copied whatever else was computed, and else the part of the arena:
  // copying takes a hundredth of the time that computing took, and what is kept is not far more
  // than the results.
  static constexpr int64_t kSmall = 1 << 14, kShare = 8;

  // An array of floats that `base` keeps alive.
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

  // Makes what holds the arena for as long as there are views. The arena may move now, not later.
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
