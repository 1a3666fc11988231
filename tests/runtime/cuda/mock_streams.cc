// The mock driver: copies, streams and events. Streams do their work when they are waited for.
#include "mock_state.h"

static void check_device(const std::string& who, uint64_t address, uint64_t bytes) {
  if (state.accessible(address) < bytes) state.wrong(who + " leaves device memory");
}

// From pageable memory: when the call returns that has been read, and what is read may not be
// there.
API int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  Lock lock(state.mutex);
  if (int r = with_context("cuMemcpyHtoD", std::to_string(bytes))) return r;
  check_device("cuMemcpyHtoD", to, bytes);
  std::string read(static_cast<const char*>(from), bytes);
  auto run = [=] { std::memcpy(reinterpret_cast<void*>(to), read.data(), bytes); };
  return enqueue(nullptr, {run, {to}});
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
  release("cuStreamDestroy");
  auto number = reinterpret_cast<uint64_t>(stream);
  if (state.dead == 0 && !state.streams[number].queue.empty())
    state.wrong("a stream destroyed with work to do");
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
  release("cuEventDestroy");
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
