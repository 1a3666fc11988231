"""How a record of a point-wise operation is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import meaning as M
from ..arithmetic import Form
from ..definition import Array, Code, Pointwise
from ..derivative import Derivative, Partial
from ..shapes import broadcast

ELEMENTARY = 2e-6  # relative error of the elementary functions against numpy
POSITIVE = (0.0, math.inf)


def pointwise(
    name: str,
    exact: Callable[..., Array],
    cpu: Code | Form,
    written: str,
    doc: str,
    *,
    derivative: Derivative,
    partials: tuple[Partial | None, ...],
    cuda: Code | None = None,
    **rest: Any,
) -> Pointwise:
    """A record; a form without `Code` agrees with numpy to the bit. The GPU's code is the CPU's
    unless another is given."""
    code = cpu if isinstance(cpu, Code) else Code(cpu)
    return Pointwise(
        name=name,
        kind="pointwise",
        result=broadcast(name, len(code.operands)),
        numpy=M.float32(exact),
        written=written,
        doc=doc,
        arity=len(code.operands),
        exact=exact,
        cpu=code,
        cuda=cuda or code,
        derivative=derivative,
        partials=partials,
        **rest,
    )
