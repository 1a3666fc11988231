// Where the code on a stack resumes: the saved state that a switch between stacks needs.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace acrobat {

#if defined(__x86_64__)

// Saves the registers that a call must preserve (System V ABI) on the current stack, stores the
// stack pointer in *from, and resumes where `to` was saved.
extern "C" void acrobat_switch(void** from, void* to);
asm(R"(
.text
.p2align 4
.local acrobat_switch
.type acrobat_switch, @function
acrobat_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size acrobat_switch, .-acrobat_switch
)");

struct Continuation {
  void* sp = nullptr;

  // Prepares a fresh stack so that the first switch to it calls `entry`, which must not return.
  void prepare(char* stack, size_t bytes, void (*entry)()) {
    auto* top = reinterpret_cast<void**>(stack + bytes);
    *--top = nullptr;  // a call leaves the stack 8 bytes off a multiple of 16
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    sp = top;
  }
  void switch_to(Continuation& next) { acrobat_switch(&sp, next.sp); }
};

#elif defined(__aarch64__)

// The same by the procedure call standard of the architecture (AAPCS64): x19 to x30 and the lower
// halves of v8 to v15. A fresh stack begins in acrobat_begin, with the function to call in x19 and
// without a return address, so that walking up the frames stops there.
extern "C" void acrobat_switch(void** from, void* to);
// Hidden, so that its address is not taken from the global offset table: ld 2.40 puts the address
// of another function there if several files have a local one of this name.
extern "C" [[gnu::visibility("hidden")]] void acrobat_begin();
asm(R"(
.text
.p2align 4
.local acrobat_switch
.type acrobat_switch, %function
acrobat_switch:
  stp d8, d9, [sp, #-160]!
  stp d10, d11, [sp, #16]
  stp d12, d13, [sp, #32]
  stp d14, d15, [sp, #48]
  stp x19, x20, [sp, #64]
  stp x21, x22, [sp, #80]
  stp x23, x24, [sp, #96]
  stp x25, x26, [sp, #112]
  stp x27, x28, [sp, #128]
  stp x29, x30, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x29, x30, [sp, #144]
  ldp x27, x28, [sp, #128]
  ldp x25, x26, [sp, #112]
  ldp x23, x24, [sp, #96]
  ldp x21, x22, [sp, #80]
  ldp x19, x20, [sp, #64]
  ldp d14, d15, [sp, #48]
  ldp d12, d13, [sp, #32]
  ldp d10, d11, [sp, #16]
  ldp d8, d9, [sp], #160
  ret
.size acrobat_switch, .-acrobat_switch
.local acrobat_begin
.type acrobat_begin, %function
acrobat_begin:
  mov x30, xzr
  br x19
.size acrobat_begin, .-acrobat_begin
)");

struct Continuation {
  void* sp = nullptr;

  // As above.
  void prepare(char* stack, size_t bytes, void (*entry)()) {
    constexpr size_t kSaved = 20, kFirst = 8, kReturn = 19;  // words; where x19 and x30 are
    auto* saved = reinterpret_cast<void**>(stack + bytes) - kSaved;
    for (size_t i = 0; i < kSaved; i++) saved[i] = nullptr;
    saved[kFirst] = reinterpret_cast<void*>(entry);
    saved[kReturn] = reinterpret_cast<void*>(&acrobat_begin);
    sp = saved;
  }
  void switch_to(Continuation& next) { acrobat_switch(&sp, next.sp); }
};

#else

struct Continuation {
  ucontext_t context;

  void prepare(char* stack, size_t bytes, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = bytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  void switch_to(Continuation& next) { swapcontext(&context, &next.context); }
};

#endif

}  // namespace acrobat
