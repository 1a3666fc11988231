// The mock driver: modules and launches. The test evaluates kernels, but for the one that copies.
#include <fstream>
#include <optional>
#include <sstream>

#include "mock_state.h"

// Of text that a test evaluates, `sizes` are those of its parameters.
struct FunctionState {
  std::string symbol;
  int operands;
  std::vector<size_t> sizes;
  unsigned shared = 48 << 10;
};
constexpr int kCopies = -1, kPersistent = -2, kText = -3, kMachineCode = -4;
static std::map<uint64_t, FunctionState> functions;
static std::map<uint64_t, std::string> machine_code, texts;  // by module

static void copy_runs(const uint64_t* p) {
  auto* out = reinterpret_cast<float*>(p[0]);
  auto* base = reinterpret_cast<const float*>(p[1]);
  auto* run = reinterpret_cast<const uint32_t*>(p[2]) + 3 * p[3];
  {
    Lock lock(state.mutex);
    for (const float* at : {base + run[0], static_cast<const float*>(out) + run[1]}) {
      if (state.accessible(reinterpret_cast<uint64_t>(at)) < 4 * run[2]) {
        state.wrong("a run leaves device memory");
      }
    }
  }
  std::memcpy(out + run[1], base + run[0], 4 * run[2]);
}

// A module is a file of lines "symbol number-of-operands" (-2: persistent), the text of the kernel
// that copies or another one, or real machine code, which is loaded and not run.
API int cuModuleLoad(void** module, const char* path) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleLoad")) return r;
  std::ifstream file(path);
  if (!file) return kNoFile;
  uint64_t number = state.next++;
  if (file.peek() == 0x7F) {
    std::ostringstream text;
    text << file.rdbuf();
    machine_code[number] = text.str();
  }
  state.modules[number] = {};
  std::string symbol;
  for (int operands; file >> symbol >> operands;) state.modules[number][symbol] = operands;
  *module = reinterpret_cast<void*>(number);
  return 0;
}
API int cuModuleLoadData(void** module, const void* text) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleLoadData")) return r;
  const auto* code = static_cast<const char*>(text);
  uint64_t number = state.next++;
  if (code[0] == 0x7F) {
    // An ELF file ends with the table of its sections.
    uint64_t sections;
    uint16_t size, count;
    std::memcpy(&sections, code + 0x28, 8);
    std::memcpy(&size, code + 0x3A, 2);
    std::memcpy(&count, code + 0x3C, 2);
    machine_code[number].assign(code, sections + size * count);
    state.modules[number] = {};
  } else if (std::strstr(code, ".entry acrobat_copy_runs(") != nullptr) {
    state.modules[number]["acrobat_copy_runs"] = kCopies;
  } else {
    texts[number] = code;
    state.modules[number] = {};
  }
  *module = reinterpret_cast<void*>(number);
  return 0;
}
// Of an entry of a text, or nothing.
static std::optional<std::vector<size_t>> parameter_sizes(const std::string& text,
                                                          const std::string& name) {
  size_t at = text.find(".entry " + name + "(");
  if (at == std::string::npos) return {};
  std::vector<size_t> sizes;
  for (const size_t end = text.find(')', at); (at = text.find(".param .u", at)) < end;) {
    at += std::strlen(".param .u");
    sizes.push_back(text[at] == '6' ? 8 : 4);
  }
  return sizes;
}
API int cuModuleUnload(void* module) {
  Lock lock(state.mutex);
  release("cuModuleUnload");
  state.modules.erase(reinterpret_cast<uint64_t>(module));
  return 0;
}
API int cuModuleGetFunction(void** function, void* module, const char* name) {
  Lock lock(state.mutex);
  if (int r = with_context("cuModuleGetFunction")) return r;
  auto& symbols = state.modules[reinterpret_cast<uint64_t>(module)];
  if (machine_code[reinterpret_cast<uint64_t>(module)].find(name) != std::string::npos) {
    symbols[name] = kMachineCode;
  }
  auto sizes = parameter_sizes(texts[reinterpret_cast<uint64_t>(module)], name);
  if (sizes) symbols[name] = kText;
  if (!symbols.contains(name)) return kNotFound;
  uint64_t number = state.next++;
  functions[number] = {name, symbols[name], sizes.value_or(std::vector<size_t>{})};
  *function = reinterpret_cast<void*>(number);
  return 0;
}
API int cuFuncSetAttribute(void* function, int attribute, int value) {
  Lock lock(state.mutex);
  if (int r = with_context("cuFuncSetAttribute", std::to_string(value))) return r;
  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  if (attribute != 8) return state.wrong("an unknown attribute of a function"), kInvalid;
  auto shared = static_cast<unsigned>(value);
  if (value < 0 || shared > kBlockShared) return kInvalid;
  functions[reinterpret_cast<uint64_t>(function)].shared = shared;
  return 0;
}
// The values of parameters of so many bytes each.
static std::vector<uint64_t> read(void** parameters, const std::vector<size_t>& sizes) {
  std::vector<uint64_t> values;
  for (size_t i = 0; i < sizes.size(); i++) {
    values.push_back(0);
    std::memcpy(&values.back(), parameters[i], sizes[i]);
  }
  return values;
}
// What is the same for all launches.
static bool is_block(const FunctionState& f, unsigned x, unsigned ty, unsigned tz,
                     unsigned shared) {
  if (x == 0 || x > kBlockThreads || ty != 1 || tz != 1) return state.wrong("no block"), false;
  if (shared > f.shared) return state.wrong("too much shared"), false;
  return true;
}
static int launch(const FunctionState& f, unsigned x, unsigned y, unsigned z, unsigned threads,
                  unsigned ty, unsigned tz, unsigned shared, void* stream, void** parameters,
                  void** extra) {
  constexpr unsigned kMostAlongY = 65535;
  if (x == 0 || y == 0 || y > kMostAlongY || z != 1 || extra != nullptr) {
    return state.wrong("a launch of no grid"), kInvalid;
  }
  if (!is_block(f, threads, ty, tz, shared)) return kInvalid;
  if (f.operands == kMachineCode) return enqueue(stream, {[] {}, {}, true});
  if (f.operands == kText) {
    std::vector<uint64_t> values = read(parameters, f.sizes);
    auto run = [=, symbol = f.symbol] {
      evaluate(symbol.c_str(), x, y, threads, shared, values.data());
    };
    return enqueue(stream, {run, values, true});
  }
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
    return enqueue(stream, {run, touches, false});
  }
  if (values[n - 1] != 0 || values[n - 2] != 0) state.wrong("Triton's own pointers are not null");
  std::string symbol = f.symbol;
  auto run = [=] { evaluate(symbol.c_str(), x, y, threads, shared, values.data()); };
  return enqueue(stream, {run, touches, true});
}
API int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads,
                       unsigned ty, unsigned tz, unsigned shared, void* stream, void** parameters,
                       void** extra) {
  Lock lock(state.mutex);
  const FunctionState& f = functions[reinterpret_cast<uint64_t>(function)];
  if (int r = with_context("cuLaunchKernel", f.symbol)) return r;
  return launch(f, x, y, z, threads, ty, tz, shared, stream, parameters, extra);
}

// cuda.h's CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id, free, allowed, rest[15];
};
struct LaunchConfig {
  unsigned x, y, z, threads, ty, tz, shared;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned n;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// Of a kernel that begins early: it may do so behind a kernel that lets it, and has to wait by
// itself, as those do that the code generator makes, but not the one that copies.
API int cuLaunchKernelEx(const LaunchConfig* how, void* function, void** parameters, void** extra) {
  Lock lock(state.mutex);
  const FunctionState& f = functions[reinterpret_cast<uint64_t>(function)];
  if (int r = with_context("cuLaunchKernelEx", f.symbol)) return r;
  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  constexpr int kEarly = 6;
  if (how->n != 1 || how->attributes[0].id != kEarly || how->attributes[0].allowed != 1) {
    return state.wrong("a launch with another attribute"), kInvalid;
  }
  auto at = state.streams.find(reinterpret_cast<uint64_t>(how->stream));
  bool follows =
      at != state.streams.end() && !at->second.queue.empty() && at->second.queue.back().kernel;
  if (!follows || f.operands == kCopies)
    state.wrong("an early launch of what must not begin early");
  return launch(f, how->x, how->y, how->z, how->threads, how->ty, how->tz, how->shared, how->stream,
                parameters, extra);
}

// A persistent kernel, of which all programs must be there at once, for they wait at grid barriers.
API int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z,
                                  unsigned threads, unsigned ty, unsigned tz, unsigned shared,
                                  void* stream, void** parameters) {
  Lock lock(state.mutex);
  const FunctionState& f = functions[reinterpret_cast<uint64_t>(function)];
  if (int r = with_context("cuLaunchCooperativeKernel", f.symbol)) return r;
  if (x == 0 || y != 1 || z != 1 || (f.operands != kPersistent && f.operands != kText)) {
    return state.wrong("a cooperative launch of no persistent kernel"), kInvalid;
  }
  if (!is_block(f, threads, ty, tz, shared)) return kInvalid;
  if (x > kMultiprocessors * resident(threads, shared)) return kTooLarge;
  // A table, two numbers of steps, and Triton's own.
  const std::vector<size_t> table{8, 4, 4, 8, 8};
  const bool persistent = f.operands == kPersistent;
  std::vector<uint64_t> values = read(parameters, persistent ? table : f.sizes);
  if (persistent && (values[3] != 0 || values[4] != 0)) {
    state.wrong("Triton's own pointers are not null");
  }
  std::string symbol = f.symbol;
  auto run = [=] { evaluate(symbol.c_str(), x, y, threads, shared, values.data()); };
  return enqueue(stream, {run, persistent ? std::vector{values[0]} : values});
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, void* function, int threads,
                                                    size_t bytes) {
  Lock lock(state.mutex);
  int r = with_context("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  auto along_x = static_cast<unsigned>(threads), shared = static_cast<unsigned>(bytes);
  const FunctionState& f = functions[reinterpret_cast<uint64_t>(function)];
  if (!is_block(f, along_x, 1, 1, shared)) return kInvalid;
  *n = r == kNoRoom ? 0 : static_cast<int>(resident(along_x, shared));
  return r == kNoRoom ? 0 : r;
}
