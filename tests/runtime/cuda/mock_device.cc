// The mock driver: devices, contexts and errors.
#include <cstring>

#include "mock_state.h"

API int cuInit(unsigned) {
  Lock lock(state.mutex);
  int r = state.call("cuInit");
  return r != 0 ? r : state.gpus == 0 ? 100 : 0;
}
API int cuGetErrorName(int r, const char** name) {
  static const std::map<int, const char*> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                   {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                   {100, "CUDA_ERROR_NO_DEVICE"},
                                                   {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                   {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                                                   {500, "CUDA_ERROR_NOT_FOUND"},
                                                   {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                   {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                   {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                   {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
                                                   {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
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
      {701, "too many resources requested for launch"},
      {719, "unspecified launch failure"},
      {720, "too many blocks in cooperative launch"},
      {900, "operation not permitted when stream is capturing"}};
  auto at = texts.find(r);
  *text = at == texts.end() ? nullptr : at->second;
  return at == texts.end() ? kInvalid : 0;
}

API int cuDeviceGetCount(int* count) {
  *count = state.gpus < 0 ? 0 : state.gpus;
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
  // The clock, of an H100, in kHz.
  *value = attribute == 16 ? int{kMultiprocessors} : attribute == 13 ? 1755000 : 0;
  if (attribute == 75) *value = state.call("cuDeviceGetAttribute major") == 0 ? 9 : 8;
  if (attribute == 102) *value = state.call("cuDeviceGetAttribute") == 0;
  if (attribute == 95) *value = state.call("cuDeviceGetAttribute cooperative") == 0;
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
