// A tensor on a GPU as a DLPack capsule (dmlc/dlpack, dlpack.h), for others to read in place.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../python/convert.h"
#include "results.h"

namespace acrobat::cuda {

struct DLTensor {
  void* data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};

// The two forms of a capsule's content.
struct DLManagedTensor {
  static constexpr const char* kName = "dltensor";
  DLTensor tensor;
  void* owner;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  static constexpr const char* kName = "dltensor_versioned";
  struct {
    uint32_t major = 1, minor = 0;
  } version;
  void* owner;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};

// A managed tensor and what it points to. The consumer of the capsule deletes it, on any thread.
template <class Managed>
struct Exported {
  Managed managed{};
  SharedResults results;
  std::vector<int64_t> shape, strides;

  static PyObject* capsule(SharedResults results, Address address, std::vector<int64_t> shape) {
    auto* self = new Exported;
    self->results = std::move(results);
    self->results->note_export();
    self->shape = std::move(shape);
    self->strides.resize(self->shape.size());
    int64_t stride = 1;
    for (size_t i = self->shape.size(); i-- > 0;) {
      self->strides[i] = stride;
      stride *= self->shape[i];
    }
    constexpr int32_t kCuda = 2;
    constexpr uint8_t kFloatCode = 2;
    self->managed.owner = self;
    self->managed.deleter = [](Managed* m) { delete static_cast<Exported*>(m->owner); };
    self->managed.tensor = {reinterpret_cast<void*>(address),
                            {kCuda, self->results->ordinal()},
                            static_cast<int32_t>(self->shape.size()),
                            {kFloatCode, 32, 1},
                            self->shape.data(),
                            self->strides.data(),
                            0};
    return PyCapsule_New(&self->managed, Managed::kName, [](PyObject* capsule) {
      // If the name has changed, a consumer has taken the tensor and deletes it itself.
      if (!PyCapsule_IsValid(capsule, Managed::kName)) return;
      auto* m = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kName));
      m->deleter(m);
    });
  }
};

}  // namespace acrobat::cuda
