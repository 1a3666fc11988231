// The library's entry points, for programs that build a dataflow graph.
#include "acrobat/entry.h"

ACROBAT_ENTRY_POINTS(acrobat::Program)
