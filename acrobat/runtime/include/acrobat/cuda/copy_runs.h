// A kernel that copies many runs of floats at once. With it, the values that waiting fibers need,
// which are scattered in the arena, become one transfer, and so do the results of a mini-batch; it
// also makes the copies of operands that kernels read when gather fusion is off. It is written in
// PTX, which the driver compiles for its GPU at the first launch, so that it needs no compiler.
#pragma once

#include <mutex>

#include "driver.h"

namespace acrobat::cuda {

// `length` floats from base + from to out + to.
struct Run {
  uint32_t from, to, length;
};

class CopyRuns {
 public:
  void unload(const Driver& driver) const {
    if (module_ != nullptr) driver.cuModuleUnload(module_);
  }

  // `runs` are on the device. Needs the context. Thread-safe.
  void launch(const Driver& driver, Address out, Address base, Address runs, size_t n,
              Stream stream) const {
    std::call_once(loaded_, [&] { load(driver); });
    constexpr unsigned kThreads = 128;
    void* parameters[] = {&out, &base, &runs};
    driver.check(driver.cuLaunchKernel(function_, static_cast<unsigned>(n), 1, 1, kThreads, 1, 1, 0,
                                       stream, parameters, nullptr),
                 "launching the kernel that copies");
  }

 private:
  // If this fails, the next launch tries again.
  void load(const Driver& driver) const {
    if (module_ == nullptr)
      driver.check(driver.cuModuleLoadData(&module_, kPtx), "loading the kernel that copies");
    driver.check(driver.cuModuleGetFunction(&function_, module_, "acrobat_copy_runs"),
                 "finding the kernel that copies");
  }

  // One thread block per run.
  static constexpr const char* kPtx = R"(
.version 6.4
.target sm_75
.address_size 64

.visible .entry acrobat_copy_runs(
  .param .u64 out,
  .param .u64 base,
  .param .u64 runs
)
{
  .reg .pred %p;
  .reg .b32 %from, %to, %length, %at, %step, %run;
  .reg .b64 %out, %base, %runs, %source, %target, %bytes, %a, %b;
  .reg .f32 %value;

  ld.param.u64 %out, [out];
  ld.param.u64 %base, [base];
  ld.param.u64 %runs, [runs];
  cvta.to.global.u64 %out, %out;
  cvta.to.global.u64 %base, %base;
  cvta.to.global.u64 %runs, %runs;
  mov.u32 %run, %ctaid.x;
  mul.wide.u32 %bytes, %run, 12;
  add.u64 %runs, %runs, %bytes;
  ld.global.u32 %from, [%runs];
  ld.global.u32 %to, [%runs+4];
  ld.global.u32 %length, [%runs+8];
  mul.wide.u32 %bytes, %from, 4;
  add.u64 %source, %base, %bytes;
  mul.wide.u32 %bytes, %to, 4;
  add.u64 %target, %out, %bytes;
  mov.u32 %at, %tid.x;
  mov.u32 %step, %ntid.x;
$next:
  setp.ge.u32 %p, %at, %length;
  @%p bra $done;
  mul.wide.u32 %bytes, %at, 4;
  add.u64 %a, %source, %bytes;
  add.u64 %b, %target, %bytes;
  ld.global.f32 %value, [%a];
  st.global.f32 [%b], %value;
  add.u32 %at, %at, %step;
  bra $next;
$done:
  ret;
}
)";

  mutable std::once_flag loaded_;
  mutable Module module_ = nullptr;
  mutable Function function_ = nullptr;
};

}  // namespace acrobat::cuda
