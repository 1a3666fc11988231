"""The limits of kernels, tables and the run-time, in one place.

C++ has the same numbers in runtime/include/acrobat/limits.h. A generated program asserts when it is
compiled that the two agree (`aot/tables.py`), and so does the run-time when a library is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Operands of one kernel that have an offset per node: those of kind "gathered" and "gathered_row".
MAX_OPERANDS: Final = 64

# Instructions of one kernel. What would take more is computed in pieces, which are stored: the time
# to compile a kernel grows with them, and every kernel that reads an expression computes it anew.
MAX_INSTRUCTIONS: Final = 128

# Instructions of a value that kernels compute anew where they need it, although an earlier one has
# stored it; what takes more is read.
MAX_RECOMPUTED: Final = 16

# Rows of the tallest tile that a CPU kernel computes at once.
MAX_TILE: Final = 12

# Floats of temporaries of a batch on the CPU, which stay in the last-level cache (10 MiB): larger
# batches run slice by slice.
SLICE_FLOATS: Final = 5 << 19

# Dimensions of a tensor that an instance brings or a model returns.
MAX_RANK: Final = 3

# Data types of a model: a union's members are the bits of a word.
MAX_DATA_TYPES: Final = 64

# Numbers that one mini-batch may turn into tensors.
MAX_SCALARS: Final = 1 << 22

# Floats, a cache line and the widest vector: records, weights and temporaries begin at multiples.
ALIGN: Final = 16

# Floats of the smallest matrix that nodes of a batch share if they chose the same one of a table:
# with less there is less to share than it takes to find out.
LEAST_CHOSEN: Final = 1 << 11

# Floats of a table of matrices that CPU kernels read as packed copies, and in any direction.
MOST_PACKED: Final = 1 << 24

# Floats of one call's arena: offsets of operands are int32, counted in floats. Behind them lie the
# numbers that became tensors, and room for kernels that read a vector past a row.
ARENA_FLOATS: Final = (1 << 31) - 2 * MAX_SCALARS

# Elements of a weight that kernels read by row.
TABLE_FLOATS: Final = 1 << 31

# Hoisted nodes run ahead of time together with those of later depths, so that a batch has about
# HOISTED_ROWS nodes, over LEAST_DEPTHS_AHEAD depths at least.
HOISTED_ROWS: Final = 1024
LEAST_DEPTHS_AHEAD: Final = 16

# Operations of one static block. The time to lower a block grows faster than they do; and long runs
# of like operations become blocks of which many are the same.
MAX_BLOCK_OPERATIONS: Final = 128

# Statements of a function that is copied to where it is called; far above any cell one would write
# by hand. And of the whole program: where it would have more, and more than twice what its author
# wrote, fewer functions are copied.
MAX_INLINED: Final = 2000
MAX_PROGRAM: Final = 8000

# Sets of weights and constants per function for which it is duplicated; and of params objects, for
# which it has to be.
MAX_CONTEXTS: Final = 64
MAX_GROUP_CONTEXTS: Final = 512

MAX_CONSTANTS: Final = 256  # items of a list or dict of the module that a model reads
# Iterations of a loop that are written out one after the other, and rows of a slice that begins
# where only the instance knows.
MAX_UNROLLED: Final = 64
MAX_PARTS: Final = 16  # heads: parts of a tensor in a loop that is written out for them

# How deep the source of one function may be nested: statements in statements (an `elif` is in the
# `else` of the `if` before it), and expressions in expressions.
MAX_NESTING: Final = 1000

# How deep a type may be nested (`list[list[int]]` is 2 deep), and how many parts it may have.
MAX_TYPE_DEPTH: Final = 32
MAX_TYPE_PARTS: Final = 4096

# What C++ calls them.
CPP_NAMES: Final[Mapping[str, int]] = {
    "kMaxOperands": MAX_OPERANDS,
    "kMaxTile": MAX_TILE,
    "kSliceFloats": SLICE_FLOATS,
    "kMaxRank": MAX_RANK,
    "kMaxDataTypes": MAX_DATA_TYPES,
    "kMaxScalars": MAX_SCALARS,
    "kAlign": ALIGN,
    "kArenaFloats": ARENA_FLOATS,
    "kHoistedRows": HOISTED_ROWS,
    "kLeastDepthsAhead": LEAST_DEPTHS_AHEAD,
}
