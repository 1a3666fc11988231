"""Prints and verifies the product of any pass."""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_verify import verify_batched
from ..ir.printer import print_batched, print_typed
from ..ir.typed_verify import Verified, verify_typed
from ..kernels.specification.printer import print_plan
from ..kernels.specification.verify import verify_plan
from .records import Product


def text_of(product: Product) -> str:
    """Return a module or kernel specifications as text."""
    if isinstance(product, T.Module):
        return print_typed(product)
    if isinstance(product, B.Module):
        return print_batched(product)
    return "\n".join(map(print_plan, product))


def verify(product: Product, known: dict[str, Verified]) -> None:
    """Raise CompilerBug if a module or a kernel specification breaks an invariant. `known`: the
    functions of the typed IR that were already verified in the same compilation, by name; those
    that are unchanged are not verified again."""
    if isinstance(product, T.Module):
        verify_typed(product, known)
    elif isinstance(product, B.Module):
        verify_batched(product)
    else:
        for plan in product:
            verify_plan(plan)
