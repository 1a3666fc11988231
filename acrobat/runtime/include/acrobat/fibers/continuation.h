// Where the code on a stack goes on: what a switch between stacks needs of either.
#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace acrobat {

#if defined(__x86_64__)

// Saves what a call must preserve (System V ABI) on the present stack, stores the stack pointer in
// *from, and goes on where `to` was saved.
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
