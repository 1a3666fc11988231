// The library's entry points, for programs that build a dataflow graph and run it on a GPU.
#include "acrobat/program.h"

#include "acrobat/cuda/device.h"
#include "acrobat/python/entry.h"

ACROBAT_ENTRY_POINTS(acrobat::Program<acrobat::cuda::Device>)
