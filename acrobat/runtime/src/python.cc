// The library's entry points, for programs that build a dataflow graph and run it on the CPU.
#include "acrobat/cpu/device.h"
#include "acrobat/gradients/entry.h"
#include "acrobat/program.h"
#include "acrobat/python/entry.h"

ACROBAT_ENTRY_POINTS(acrobat::Program<acrobat::CpuDevice>)
ACROBAT_GRADIENT_ENTRY_POINTS(acrobat::Program<acrobat::CpuDevice>)
