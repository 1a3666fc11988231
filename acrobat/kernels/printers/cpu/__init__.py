"""CPU kernels: Apache TVM's TIR and LLVM under our own schedule template."""
