// The library's entry points, for programs that build a dataflow graph and run it on a GPU.
#include "acrobat/cuda/device.h"
#include "acrobat/entry.h"
#include "acrobat/program.h"

ACROBAT_ENTRY_POINTS(acrobat::Program<acrobat::cuda::Device>)
