// A CUDA driver for tests on machines without a GPU: device memory is memory of the process, which
// only the device may touch; streams do their work when they are waited for, so that a missing wait
// shows; parameters are checked, live objects are counted, failures are injected; kernels are
// evaluated by a function of the test's.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "mock_state.h"

#define API extern "C" __attribute__((visibility("default")))

using Kernel = void (*)(const char* symbol, unsigned x, unsigned y, unsigned threads,
                        unsigned shared, const uint64_t* parameters);

namespace {

State state;
Kernel evaluate = nullptr;
thread_local std::vector<void*> contexts;
struct FunctionState {
  std::string symbol;
  int operands, shared = 48 << 10;
};
std::map<uint64_t, FunctionState> functions;

constexpr int kInvalid = 1, kOutOfMemory = 2, kNoFile = 301, kNotFound = 500, kNotReady = 600;
constexpr uint64_t kPage = 2 << 20;

using Lock = std::lock_guard<std::mutex>;

int with_context(const std::string& name, const std::string& detail = "") {
  if (contexts.empty()) {
    state.wrong(name + " without a context");
    return 201;
  }
  return state.call(name, detail);
}

bool take(uint64_t bytes) {
  if (state.used + bytes > state.limit) return false;
  state.used += bytes;
  return true;
}

// Runs what a stream has to do; the lock is not held meanwhile, for kernels call Python.
void run_stream(uint64_t stream) {
  std::vector<Operation> work;
  {
    Lock lock(state.mutex);
    work.swap(state.streams[stream].queue);
    if (work.empty()) return;
    state.begin_work();
  }
  for (Operation& o : work) o.run();
  Lock lock(state.mutex);
  state.end_work();
}

void check_device(const std::string& who, uint64_t address, uint64_t bytes) {
  if (state.accessible(address) < bytes) state.wrong(who + " leaves device memory");
}

int enqueue(void* stream, Operation operation) {
  auto at = state.streams.find(reinterpret_cast<uint64_t>(stream));
  if (at == state.streams.end()) {
    state.wrong("work on a stream that does not exist");
    return kInvalid;
  }
  at->second.queue.push_back(std::move(operation));
  return 0;
}

void copy_runs(const uint64_t* p) {
  auto* out = reinterpret_cast<float*>(p[0]);
  auto* base = reinterpret_cast<const float*>(p[1]);
  auto* run = reinterpret_cast<const uint32_t*>(p[2]) + 3 * p[3];
  {
    Lock lock(state.mutex);
    check_device("a run", reinterpret_cast<uint64_t>(base + run[0]), 4 * run[2]);
    check_device("a run's copy", reinterpret_cast<uint64_t>(out + run[1]), 4 * run[2]);
  }
  std::memcpy(out + run[1], base + run[0], 4 * run[2]);
}

}  // namespace

API int cuInit(unsigned) {
  Lock lock(state.mutex);
  int r = state.call("cuInit");
  return r != 0 ? r : state.gpus == 0 ? 100 : 0;
}
API int cuGetErrorName(int r, const char** name) {
  static const std::map<int, const char*> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {301, "CUDA_ERROR_FILE_NOT_FOUND"},  {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}};
  auto at = names.find(r);
  *name = at == names.end() ? nullptr : at->second;
  return at == names.end() ? kInvalid : 0;
}
API int cuGetErrorString(int r, const char** text) {
  static const std::map<int, const char*> texts = {
      {1, "invalid argument"},
      {2, "out of memory"},
      {100, "no CUDA-capable device is detected"},
      {209, "no kernel image is available for execution on the device"},
      {301, "file not found"},
      {500, "named symbol not found"},
      {700, "an illegal memory access was encountered"},
      {701, "too many resources requested for launch"}};
  auto at = texts.find(r);
  *text = at == texts.end() ? nullptr : at->second;
  return at == texts.end() ? kInvalid : 0;
}

API int cuDeviceGetCount(int* count) {
  *count = state.gpus;
  return 0;
}
API int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
API int cuDeviceGetName(char* name, int n, int) {
  std::strncpy(name, "Mock GPU", static_cast<size_t>(n));
  return 0;
}
API int cuDeviceGetAttribute(int* value, int attribute, int) {
  Lock lock(state.mutex);
  *value = attribute == 75 ? 9 : 0;
  if (attribute == 102) *value = state.call("cuDeviceGetAttribute") == 0;
  return 0;
}
API int cuDevicePrimaryCtxRetain(void** context, int) {
  Lock lock(state.mutex);
  if (int r = state.call("cuDevicePrimaryCtxRetain")) return r;
  state.retained++;
  *context = &state;
  return 0;
}
API int cuDevicePrimaryCtxRelease_v2(int) {
  Lock lock(state.mutex);
  state.retained--;
  return 0;
}
API int cuCtxPushCurrent_v2(void* context) {
  contexts.push_back(context);
  return 0;
}
API int cuCtxPopCurrent_v2(void** context) {
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
API int cuCtxSynchronize() {
  std::vector<uint64_t> all;
  {
    Lock lock(state.mutex);
    if (int r = with_context("cuCtxSynchronize")) return r;
    for (auto& [s, _] : state.streams) all.push_back(s);
  }
  for (uint64_t s : all) run_stream(s);
  return 0;
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
  if (int r = with_context("cuMemFree")) return r;
  if (state.allocated.erase(address) == 0) return state.wrong("cuMemFree of nothing"), kInvalid;
  Backed b = state.backed[address];
  if (state.in_use(address, b.size)) state.wrong("cuMemFree of memory in use");
  state.backed.erase(address);
  state.used -= b.size;
  munmap(reinterpret_cast<void*>(address), b.size);
  return 0;
}
API int cuMemHostAlloc(void** at, size_t bytes, unsigned) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemHostAlloc", std::to_string(bytes))) return r;
  *at = std::malloc(bytes);
  std::memset(*at, 0xFF, bytes);
  state.pinned[reinterpret_cast<uint64_t>(*at)] = bytes;
  return 0;
}
API int cuMemFreeHost(void* at) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemFreeHost")) return r;
  auto found = state.pinned.find(reinterpret_cast<uint64_t>(at));
  if (found == state.pinned.end()) return state.wrong("cuMemFreeHost of nothing"), kInvalid;
  if (state.in_use(found->first, found->second)) state.wrong("cuMemFreeHost of memory in use");
  state.pinned.erase(found);
  std::free(at);
  return 0;
}

API int cuMemGetAllocationGranularity(size_t* bytes, const void*, int) {
  *bytes = kPage;
  return 0;
}
API int cuMemAddressReserve(uint64_t* address, size_t bytes, size_t, uint64_t, uint64_t) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemAddressReserve")) return r;
  if (bytes % kPage != 0) return state.wrong("a reservation of half a page"), kInvalid;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  *address = reinterpret_cast<uint64_t>(mmap(nullptr, bytes, PROT_NONE, flags, -1, 0));
  state.reserved[*address] = bytes;
  return 0;
}
API int cuMemAddressFree(uint64_t address, size_t bytes) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemAddressFree")) return r;
  if (state.reserved[address] != bytes) state.wrong("another size freed than reserved");
  auto inside = state.backed.lower_bound(address);
  if (inside != state.backed.end() && inside->first < address + bytes) {
    state.wrong("addresses freed with memory mapped to them");
  }
  state.reserved.erase(address);
  munmap(reinterpret_cast<void*>(address), bytes);
  return 0;
}
API int cuMemCreate(uint64_t* memory, size_t bytes, const void*, uint64_t) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemCreate", std::to_string(bytes))) return r;
  if (bytes % kPage != 0) return state.wrong("memory of half a page"), kInvalid;
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
  if (int r = with_context("cuMemRelease")) return r;
  uint64_t bytes = state.physical[memory];
  state.physical.erase(memory);
  collect(memory, bytes);
  return 0;
}
API int cuMemMap(uint64_t address, size_t bytes, size_t, uint64_t memory, uint64_t) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemMap")) return r;
  auto at = state.reserved.upper_bound(address);
  bool inside = at != state.reserved.begin();
  if (inside) --at;
  if (!inside || address + bytes > at->first + at->second) state.wrong("mapped outside");
  if (state.accessible(address) != 0 || state.backed.contains(address)) state.wrong("mapped twice");
  if (state.physical[memory] != bytes) state.wrong("mapped another size than there is");
  state.backed[address] = {bytes, memory, false};
  return 0;
}
API int cuMemSetAccess(uint64_t address, size_t bytes, const void*, size_t) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemSetAccess")) return r;
  if (state.backed[address].size != bytes) return state.wrong("access to nothing"), kInvalid;
  state.open(address, state.backed[address]);
  return 0;
}
API int cuMemUnmap(uint64_t address, size_t bytes) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemUnmap")) return r;
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

API int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  run_stream(0);
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyHtoD", std::to_string(bytes))) return r;
  check_device("cuMemcpyHtoD", to, bytes);
  state.begin_work();
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  state.end_work();
  return 0;
}
API int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  run_stream(0);
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyDtoH", std::to_string(bytes))) return r;
  check_device("cuMemcpyDtoH", from, bytes);
  state.begin_work();
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  state.end_work();
  return 0;
}
API int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyHtoDAsync", std::to_string(bytes))) return r;
  auto source = reinterpret_cast<uint64_t>(from);
  if (!state.is_pinned(source, bytes)) state.wrong("asynchronous copy of pageable memory");
  check_device("cuMemcpyHtoDAsync", to, bytes);
  std::string then(static_cast<const char*>(from), bytes);
  auto run = [=] {
    if (std::memcmp(then.data(), from, bytes) != 0) {
      Lock inner(state.mutex);
      state.wrong("page-locked memory changed before it was copied");
    }
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  };
  return enqueue(stream, {run, {to, source}});
}
API int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyDtoHAsync", std::to_string(bytes))) return r;
  auto target = reinterpret_cast<uint64_t>(to);
  if (!state.is_pinned(target, bytes)) state.wrong("asynchronous copy to pageable memory");
  check_device("cuMemcpyDtoHAsync", from, bytes);
  auto run = [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); };
  return enqueue(stream, {run, {from, target}});
}
API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyDtoDAsync", std::to_string(bytes))) return r;
  check_device("cuMemcpyDtoDAsync", from, bytes);
  check_device("cuMemcpyDtoDAsync", to, bytes);
  auto run = [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  };
  return enqueue(stream, {run, {from, to}});
}

API int cuStreamCreate(void** stream, unsigned flags) {
  Lock lock(state.mutex);
  if (int r = with_context("cuStreamCreate")) return r;
  if (flags != 1) state.wrong("a stream that waits for the default stream");
  uint64_t number = state.next++;
  state.streams[number] = {};
  *stream = reinterpret_cast<void*>(number);
  return 0;
}
API int cuStreamDestroy_v2(void* stream) {
  Lock lock(state.mutex);
  if (int r = with_context("cuStreamDestroy")) return r;
  auto number = reinterpret_cast<uint64_t>(stream);
  if (!state.streams[number].queue.empty()) state.wrong("a stream destroyed with work to do");
  state.streams.erase(number);
  return 0;
}
API int cuStreamSynchronize(void* stream) {
  {
    Lock lock(state.mutex);
    if (int r = with_context("cuStreamSynchronize")) return r;
  }
  run_stream(reinterpret_cast<uint64_t>(stream));
  return 0;
}
API int cuEventCreate(void** event, unsigned) {
  Lock lock(state.mutex);
  if (int r = with_context("cuEventCreate")) return r;
  uint64_t number = state.next++;
  state.events[number] = false;
  *event = reinterpret_cast<void*>(number);
  return 0;
}
API int cuEventDestroy_v2(void* event) {
  Lock lock(state.mutex);
  if (int r = with_context("cuEventDestroy")) return r;
  state.events.erase(reinterpret_cast<uint64_t>(event));
  return 0;
}
API int cuEventRecord(void* event, void* stream) {
  Lock lock(state.mutex);
  if (int r = with_context("cuEventRecord")) return r;
  auto number = reinterpret_cast<uint64_t>(event);
  state.events[number] = false;
  auto run = [=] {
    Lock inner(state.mutex);
    state.events[number] = true;
  };
  return enqueue(stream, {run, {}});
}
API int cuEventElapsedTime(float* ms, void* begin, void* end) {
  Lock lock(state.mutex);
  if (int r = with_context("cuEventElapsedTime")) return r;
  *ms = 0.001f;
  bool both = state.events[reinterpret_cast<uint64_t>(begin)] &&
              state.events[reinterpret_cast<uint64_t>(end)];
  return both ? 0 : kNotReady;
}

// A module is a file of lines "symbol number-of-operands", or the text of the kernel that copies.
API int cuModuleLoad(void** module, const char* path) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleLoad")) return r;
  std::ifstream file(path);
  if (!file) return kNoFile;
  uint64_t number = state.next++;
  std::string symbol;
  for (int operands; file >> symbol >> operands;) state.modules[number][symbol] = operands;
  *module = reinterpret_cast<void*>(number);
  return 0;
}
API int cuModuleLoadData(void** module, const void* text) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleLoadData")) return r;
  if (std::strstr(static_cast<const char*>(text), ".entry acrobat_copy_runs(") == nullptr) {
    return state.wrong("unknown PTX"), kInvalid;
  }
  uint64_t number = state.next++;
  state.modules[number]["acrobat_copy_runs"] = -1;
  *module = reinterpret_cast<void*>(number);
  return 0;
}
API int cuModuleUnload(void* module) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleUnload")) return r;
  state.modules.erase(reinterpret_cast<uint64_t>(module));
  return 0;
}
API int cuModuleGetFunction(void** function, void* module, const char* name) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleGetFunction")) return r;
  auto& symbols = state.modules[reinterpret_cast<uint64_t>(module)];
  if (!symbols.contains(name)) return kNotFound;
  uint64_t number = state.next++;
  functions[number] = {name, symbols[name]};
  *function = reinterpret_cast<void*>(number);
  return 0;
}
API int cuFuncSetAttribute(void* function, int attribute, int value) {
  Lock lock(state.mutex);
  if (int r = with_context("cuFuncSetAttribute", std::to_string(value))) return r;
  if (attribute == 8) functions[reinterpret_cast<uint64_t>(function)].shared = value;
  return 0;
}
API int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads,
                       unsigned ty, unsigned tz, unsigned shared, void* stream, void** parameters,
                       void** extra) {
  Lock lock(state.mutex);
  const FunctionState& f = functions[reinterpret_cast<uint64_t>(function)];
  if (int r = with_context("cuLaunchKernel", f.symbol)) return r;
  if (x == 0 || y == 0 || z != 1 || ty != 1 || tz != 1 || extra != nullptr) {
    return state.wrong("a launch of no grid"), kInvalid;
  }
  if (shared > static_cast<unsigned>(f.shared)) return state.wrong("too much shared"), kInvalid;
  std::vector<uint64_t> values, touches;
  // The number of rows is 4 bytes, all others are 8.
  int n = f.operands < 0 ? 3 : 7 + 2 * f.operands;
  for (int i = 0; i < n; i++) {
    uint64_t value = 0;
    std::memcpy(&value, parameters[i], f.operands >= 0 && i == 2 ? 4 : 8);
    values.push_back(value);
    touches.push_back(value);
  }
  if (f.operands < 0) {
    auto run = [=] {
      std::vector<uint64_t> p = values;
      p.push_back(0);
      for (p[3] = 0; p[3] < x; p[3]++) copy_runs(p.data());
    };
    return enqueue(stream, {run, touches});
  }
  if (values[n - 1] != 0 || values[n - 2] != 0) state.wrong("Triton's own pointers are not null");
  std::string symbol = f.symbol;
  auto run = [=] { evaluate(symbol.c_str(), x, y, threads, shared, values.data()); };
  return enqueue(stream, {run, touches});
}

// What tests ask and set.
API void mock_reset(Kernel kernel, uint64_t limit, int gpus) {
  Lock lock(state.mutex);
  evaluate = kernel;
  state.limit = limit;
  state.gpus = gpus;
  state.dead = 0;
  state.failures.clear();
  state.log.clear();
  state.violations.clear();
}
API void mock_fail(const char* function, int calls, int code) {
  Lock lock(state.mutex);
  state.failures[function][calls] = code;
}
API uint64_t mock_accessible(uint64_t address) {
  Lock lock(state.mutex);
  return state.accessible(address);
}
API void mock_peek(void* to, uint64_t from, size_t bytes) {
  Lock lock(state.mutex);
  state.begin_work();
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  state.end_work();
}
API uint64_t mock_used() { return state.used; }
// A list of lines, which is emptied: 0 the calls, 1 what was wrong; 2: what is alive.
API const char* mock_lines(int which) {
  thread_local std::string text;
  std::ostringstream out;
  Lock lock(state.mutex);
  if (which < 2) {
    auto& lines = which == 0 ? state.log : state.violations;
    for (const std::string& line : lines) out << line << "\n";
    lines.clear();
  } else {
    auto count = [&](const char* what, size_t n) {
      if (n > 0) out << n << " " << what << "\n";
    };
    count("contexts", static_cast<size_t>(state.retained));
    count("reservations", state.reserved.size());
    count("memories", state.physical.size());
    count("ranges", state.backed.size());
    count("page-locked ranges", state.pinned.size());
    count("modules", state.modules.size());
    count("streams", state.streams.size() - 1);
    count("events", state.events.size());
    count("bytes", state.used);
  }
  text = out.str();
  return text.c_str();
}
