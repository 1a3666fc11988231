// The mock driver: memory, which only the device may touch, by mapping and by the page.
#include <cstdlib>

#include "mock_state.h"

static constexpr uint64_t kPage = 2 << 20;

// cuda.h's CUmemLocation, CUmemAllocationProp and CUmemAccessDesc.
struct Location {
  int type, id;
  bool operator==(const Location&) const = default;
};
struct Properties {
  int type, handle_types;
  Location location;
  void* win32;
  uint64_t flags;
};
struct Access {
  Location location;
  int flags;
};
static constexpr Location kGpu{1, 0};  // CU_MEM_LOCATION_TYPE_DEVICE

// CU_MEM_ALLOCATION_TYPE_PINNED there, for no other process.
static bool on_gpu(const Properties& p) {
  return p.type == 1 && p.handle_types == 0 && p.location == kGpu && p.win32 == nullptr &&
         p.flags == 0;
}

static bool take(uint64_t bytes) {
  if (state.used + bytes > state.limit) return false;
  state.used += bytes;
  return true;
}

API int cuMemGetInfo_v2(size_t* free, size_t* total) {
  Lock lock(state.mutex);
  *free = state.limit - state.used;
  *total = state.limit;
  return 0;
}
API int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemAlloc", std::to_string(bytes))) return r;
  if (!take(bytes)) return kOutOfMemory;
  void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<uint64_t>(at);
  state.allocated.insert(*address);
  state.backed[*address] = {bytes, 0, false};
  state.open(*address, state.backed[*address]);
  return 0;
}
API int cuMemFree_v2(uint64_t address) {
  Lock lock(state.mutex);
  release("cuMemFree");
  if (state.allocated.erase(address) == 0) return state.wrong("cuMemFree of nothing"), kInvalid;
  Backed b = state.backed[address];
  if (state.in_use(address, b.size)) state.wrong("cuMemFree of memory in use");
  state.backed.erase(address);
  state.used -= b.size;
  munmap(reinterpret_cast<void*>(address), b.size);
  return 0;
}
API int cuMemHostAlloc(void** at, size_t bytes, unsigned flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemHostAlloc", std::to_string(bytes))) return r;
  // CU_MEMHOSTALLOC_DEVICEMAP
  if (flags != 2) state.wrong("page-locked memory of another kind");
  *at = std::malloc(bytes);
  std::memset(*at, 0xFF, bytes);
  auto host = reinterpret_cast<uint64_t>(*at);
  state.pinned[host] = bytes;
  void* shown = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Mapped& m = state.mapped[host];
  m = {reinterpret_cast<uint64_t>(shown), std::string(bytes, '\xFF')};
  state.backed[m.device] = {bytes, 0, false};
  state.open(m.device, state.backed[m.device]);
  return 0;
}
API int cuMemHostGetDevicePointer_v2(uint64_t* address, void* at, unsigned flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemHostGetDevicePointer")) return r;
  auto found = state.mapped.find(reinterpret_cast<uint64_t>(at));
  if (found == state.mapped.end() || flags != 0) {
    return state.wrong("the device's address of other memory"), kInvalid;
  }
  *address = found->second.device;
  return 0;
}
API int cuMemFreeHost(void* at) {
  Lock lock(state.mutex);
  release("cuMemFreeHost");
  auto found = state.pinned.find(reinterpret_cast<uint64_t>(at));
  if (found == state.pinned.end()) return state.wrong("cuMemFreeHost of nothing"), kInvalid;
  uint64_t shown = state.mapped[found->first].device;
  if (state.in_use(found->first, found->second) || state.in_use(shown, found->second)) {
    state.wrong("cuMemFreeHost of memory in use");
  }
  state.backed.erase(shown);
  state.mapped.erase(found->first);
  munmap(reinterpret_cast<void*>(shown), found->second);
  state.pinned.erase(found);
  std::free(at);
  return 0;
}

API int cuMemGetAllocationGranularity(size_t* bytes, const Properties* properties, int option) {
  Lock lock(state.mutex);
  if (!on_gpu(*properties)) return state.wrong("the size of a page of other memory"), kInvalid;
  // CU_MEM_ALLOC_GRANULARITY_MINIMUM, _RECOMMENDED
  if (option != 0 && option != 1) return state.wrong("an unknown size of a page"), kInvalid;
  *bytes = kPage;
  return 0;
}
API int cuMemAddressReserve(uint64_t* address, size_t bytes, size_t alignment, uint64_t wanted,
                            uint64_t flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemAddressReserve")) return r;
  if (bytes % kPage != 0) return state.wrong("a reservation of half a page"), kInvalid;
  if (alignment != 0 || wanted != 0 || flags != 0) state.wrong("a reservation with wishes");
  int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  *address = reinterpret_cast<uint64_t>(mmap(nullptr, bytes, PROT_NONE, how, -1, 0));
  state.reserved[*address] = bytes;
  return 0;
}
API int cuMemAddressFree(uint64_t address, size_t bytes) {
  Lock lock(state.mutex);
  release("cuMemAddressFree");
  if (state.reserved[address] != bytes) state.wrong("another size freed than reserved");
  auto inside = state.backed.lower_bound(address);
  if (inside != state.backed.end() && inside->first < address + bytes) {
    state.wrong("addresses freed with memory mapped to them");
  }
  state.reserved.erase(address);
  munmap(reinterpret_cast<void*>(address), bytes);
  return 0;
}
API int cuMemCreate(uint64_t* memory, size_t bytes, const Properties* properties, uint64_t flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemCreate", std::to_string(bytes))) return r;
  if (bytes % kPage != 0) return state.wrong("memory of half a page"), kInvalid;
  if (!on_gpu(*properties) || flags != 0) return state.wrong("memory of another kind"), kInvalid;
  if (!take(bytes)) return kOutOfMemory;
  *memory = state.next++;
  state.physical[*memory] = bytes;
  return 0;
}
// Frees memory that has neither a handle nor a mapping.
static void collect(uint64_t memory, uint64_t bytes) {
  if (state.physical.contains(memory)) return;
  for (auto& [_, b] : state.backed) {
    if (b.memory == memory) return;
  }
  state.used -= bytes;
}
API int cuMemRelease(uint64_t memory) {
  Lock lock(state.mutex);
  release("cuMemRelease");
  uint64_t bytes = state.physical[memory];
  state.physical.erase(memory);
  collect(memory, bytes);
  return 0;
}
API int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t memory, uint64_t flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemMap")) return r;
  if (offset != 0 || flags != 0) return state.wrong("mapped with flags"), kInvalid;
  auto at = state.reserved.upper_bound(address);
  bool inside = at != state.reserved.begin();
  if (inside) --at;
  if (!inside || address + bytes > at->first + at->second) state.wrong("mapped outside");
  if (state.accessible(address) != 0 || state.backed.contains(address)) state.wrong("mapped twice");
  if (state.physical[memory] != bytes) state.wrong("mapped another size than there is");
  state.backed[address] = {bytes, memory, false};
  return 0;
}
API int cuMemSetAccess(uint64_t address, size_t bytes, const Access* access, size_t count) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemSetAccess")) return r;
  constexpr int kReadAndWrite = 3;
  if (count != 1 || access->location != kGpu || access->flags != kReadAndWrite) {
    return state.wrong("another access than the GPU's to read and write"), kInvalid;
  }
  if (state.backed[address].size != bytes) return state.wrong("access to nothing"), kInvalid;
  state.open(address, state.backed[address]);
  return 0;
}
API int cuMemUnmap(uint64_t address, size_t bytes) {
  Lock lock(state.mutex);
  release("cuMemUnmap");
  auto at = state.backed.find(address);
  if (at == state.backed.end() || at->second.size != bytes) {
    return state.wrong("cuMemUnmap of what was not mapped"), kInvalid;
  }
  if (state.in_use(address, bytes)) state.wrong("cuMemUnmap of memory in use");
  uint64_t memory = at->second.memory;
  state.backed.erase(at);
  mprotect(reinterpret_cast<void*>(address), bytes, PROT_NONE);
  madvise(reinterpret_cast<void*>(address), bytes, MADV_DONTNEED);
  collect(memory, bytes);
  return 0;
}

// Gives back all addresses, and the memory behind them, as the end of a process does.
API void mock_unmap_all() {
  Lock lock(state.mutex);
  for (auto [address, bytes] : state.reserved) {
    std::erase_if(state.backed, [&](const auto& b) {
      bool inside = b.first >= address && b.first < address + bytes;
      if (inside) state.used -= b.second.size;
      return inside;
    });
    munmap(reinterpret_cast<void*>(address), bytes);
  }
  state.reserved.clear();
}
