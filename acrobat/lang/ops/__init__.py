"""The tensor operations with their numpy semantics. All take and return float32.

The operators + - * / @, unary -, `x[a:b]` and `table[i]` are operations too. What the compiler
knows of an operation is in its record (`ir.ops`); the functions here are what people and type
checkers see.
"""

from __future__ import annotations

# What is public follows from the modules' `__all__`.
from .pointwise import *
from .products import *
from .reductions import *
from .shapes import *
