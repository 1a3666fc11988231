// A CUDA driver for tests on machines without a GPU: device memory is memory of the process, which
// only the device may touch; streams do their work when they are waited for, so that a missing wait
// shows; parameters are checked, live objects are counted, failures are injected; kernels are
// evaluated by a function of the test's. Here is what it knows.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

// Something that a stream will do, and the addresses it touches.
struct Operation {
  std::function<void()> run;
  std::vector<uint64_t> touches;
  bool kernel = false;
};

struct StreamState {
  std::vector<Operation> queue;
  bool busy = false;  // a thread does its work
};

// A range of device memory: backed (cuMemMap or cuMemAlloc), and accessible after cuMemSetAccess.
struct Backed {
  uint64_t size = 0, memory = 0;
  bool accessible = false;
};

// Page-locked memory as the device has it: at an address of its own here, so that nobody takes one
// for the other. What kernels store there comes to the host when it waits for the stream. `seen`
// is what has come.
struct Mapped {
  uint64_t device = 0;
  std::string seen;
};

struct State {
  std::mutex mutex;
  std::condition_variable idle;  // some stream is
  std::vector<std::string> log, violations;
  uint64_t limit = uint64_t{1} << 33, used = 0, next = 1;
  int gpus = 1, retained = 0, dead = 0, running = 0;
  std::map<std::string, std::map<int, int>> failures;  // function, calls from now on, code
  std::map<uint64_t, uint64_t> reserved, pinned, physical;
  std::map<uint64_t, Backed> backed;
  std::map<uint64_t, Mapped> mapped;                       // by the host's address
  std::set<uint64_t> allocated;                            // of those, by cuMemAlloc
  std::map<uint64_t, std::map<std::string, int>> modules;  // symbols and their operands
  std::map<uint64_t, StreamState> streams{{0, {}}};
  std::map<uint64_t, bool> events;  // whether they have happened

  // Notes a call; an injected failure or the error of a context that is lost, else 0.
  int call(const std::string& name, const std::string& detail = "") {
    log.push_back(detail.empty() ? name : name + " " + detail);
    if (dead != 0) return dead;
    auto& due = failures[name];
    std::map<int, int> later;
    int code = 0;
    for (auto [calls, c] : due) {
      if (calls == 1) {
        code = c;
      } else {
        later[calls - 1] = c;
      }
    }
    due = later;
    if (code == 700 || code == 719) dead = code;
    return code;
  }
  void wrong(const std::string& what) { violations.push_back(what); }

  // Bytes from an address to the end of the accessible memory that it lies in; 0: not in any.
  uint64_t accessible(uint64_t address) const {
    uint64_t end = address;
    auto at = backed.upper_bound(address);
    if (at != backed.begin()) --at;
    for (; at != backed.end() && at->first <= end && at->second.accessible; ++at) {
      if (at->first + at->second.size <= end) break;
      end = at->first + at->second.size;
    }
    return end - address;
  }
  // Where the accessible memory begins that an address lies in; 0: in none.
  uint64_t begin_of(uint64_t address) const {
    if (accessible(address) == 0) return 0;
    auto at = std::prev(backed.upper_bound(address));
    while (at != backed.begin()) {
      auto before = std::prev(at);
      if (!before->second.accessible || before->first + before->second.size != at->first) break;
      at = before;
    }
    return at->first;
  }
  bool is_pinned(uint64_t address, uint64_t bytes) const {
    auto it = pinned.upper_bound(address);
    if (it == pinned.begin()) return false;
    --it;
    return address + bytes <= it->first + it->second;
  }
  // Takes a range away from the work of all streams; whether some of it was still to be done.
  bool in_use(uint64_t address, uint64_t bytes) {
    size_t found = 0;
    auto inside = [&](uint64_t t) { return t >= address && t < address + bytes; };
    for (auto& [_, s] : streams) {
      found += std::erase_if(
          s.queue, [&](const Operation& o) { return std::ranges::any_of(o.touches, inside); });
    }
    return found > 0 && dead == 0;
  }

  // The host cannot reach device memory but while the device works on it.
  void protect(int how) {
    for (auto& [address, b] : backed) {
      if (b.accessible) mprotect(reinterpret_cast<void*>(address), b.size, how);
    }
  }
  void begin_work() {
    if (running++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void end_work() {
    if (--running == 0) protect(PROT_NONE);
  }
  // What the device has stored in page-locked memory comes to the host, and nothing else changes
  // there. While the device works.
  void show() {
    for (auto& [host, m] : mapped) {
      auto* to = reinterpret_cast<char*>(host);
      auto* from = reinterpret_cast<const char*>(m.device);
      for (size_t i = 0; i < m.seen.size(); i++) {
        if (from[i] != m.seen[i]) to[i] = m.seen[i] = from[i];
      }
    }
  }
  // Fresh memory holds what nobody should read: NaNs.
  void open(uint64_t address, Backed& b) {
    b.accessible = true;
    mprotect(reinterpret_cast<void*>(address), b.size, PROT_READ | PROT_WRITE);
    std::memset(reinterpret_cast<void*>(address), 0xFF, b.size);
    if (running == 0) mprotect(reinterpret_cast<void*>(address), b.size, PROT_NONE);
  }
};

#define API extern "C" __attribute__((visibility("default")))

// Evaluates a kernel.
using Kernel = void (*)(const char* symbol, unsigned x, unsigned y, unsigned threads,
                        unsigned shared, const uint64_t* parameters);
using Lock = std::lock_guard<std::mutex>;

constexpr int kInvalid = 1, kOutOfMemory = 2, kInvalidContext = 201, kNoFile = 301, kNotFound = 500,
              kNotReady = 600, kTooLarge = 720;
// Injected, means that a multiprocessor holds no program.
constexpr int kNoRoom = -1;

// The limits of an H100, but for the number of multiprocessors.
constexpr unsigned kMultiprocessors = 3, kBlockThreads = 1024, kBlockShared = 227 << 10;
// How many blocks of a kernel a multiprocessor holds at once, as far as registers do not limit it.
inline unsigned resident(unsigned threads, unsigned shared) {
  constexpr unsigned kThreads = 2048, kShared = 228 << 10, kReserved = 1 << 10;
  return std::min(kShared / (shared + kReserved), kThreads / threads);
}

inline State state;
inline Kernel evaluate = nullptr;
inline thread_local std::vector<void*> contexts;  // of this thread

// Notes a call that needs a context.
inline int with_context(const std::string& name, const std::string& detail = "") {
  if (contexts.empty()) {
    state.wrong(name + " without a context");
    return kInvalidContext;
  }
  return state.call(name, detail);
}

// Notes a call that gives something back, which works even if the GPU is lost.
inline void release(const std::string& name) {
  if (contexts.empty()) state.wrong(name + " without a context");
  state.log.push_back(name);
}

// Runs what a stream has to do, or waits for the thread that is at it; the lock is not held
// meanwhile, for kernels call Python.
inline void run_stream(uint64_t stream) {
  std::vector<Operation> work;
  {
    std::unique_lock<std::mutex> lock(state.mutex);
    StreamState& s = state.streams[stream];
    state.idle.wait(lock, [&] { return !s.busy; });
    work.swap(s.queue);
    if (work.empty()) return;
    s.busy = true;
    state.begin_work();
  }
  for (Operation& o : work) o.run();
  Lock lock(state.mutex);
  state.show();
  state.streams[stream].busy = false;
  state.idle.notify_all();
  state.end_work();
}

// Gives a stream something to do.
inline int enqueue(void* stream, Operation operation) {
  auto at = state.streams.find(reinterpret_cast<uint64_t>(stream));
  if (at == state.streams.end()) {
    state.wrong("work on a stream that does not exist");
    return kInvalid;
  }
  at->second.queue.push_back(std::move(operation));
  return 0;
}
