// Cubins, loaded into a GPU's context.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gpu.h"

namespace acrobat::cuda {

class MachineCode {
 public:
  explicit MachineCode(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~MachineCode() {
    Gpu::Use use(*gpu_);
    for (auto& [path, module] : modules_) gpu_->driver.cuModuleUnload(module);
  }
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  // Returns the function `symbol` of a file, allowed to use `shared` bytes of shared memory; `what`
  // names it in messages. Needs the context.
  Function find(const char* file, const char* symbol, unsigned shared, const std::string& what) {
    const Driver& driver = gpu_->driver;
    auto [at, is_new] = modules_.try_emplace(file, nullptr);
    if (is_new) {
      Result r = driver.cuModuleLoad(&at->second, file);
      if (r != kSuccess) {
        modules_.erase(at);
        driver.fail(r, "loading " + what + " from " + file);
      }
    }
    Function function = nullptr;
    Result r = driver.cuModuleGetFunction(&function, at->second, symbol);
    if (r != kSuccess) driver.fail(r, "finding " + std::string(symbol) + " in " + file);
    if (shared > kSharedBytes) {
      r = driver.cuFuncSetAttribute(function, kMaxDynamicSharedBytes, static_cast<int>(shared));
      if (r != kSuccess) {
        driver.fail(r, "giving " + what + " " + std::to_string(shared) + " bytes of shared memory");
      }
    }
    return function;
  }

 private:
  // The shared memory that a kernel may use without asking.
  static constexpr unsigned kSharedBytes = 48 << 10;

  std::shared_ptr<Gpu> gpu_;
  std::map<std::string, Module> modules_;  // by path: functions may share a file
};

}  // namespace acrobat::cuda
