"""Small models that show one thing of the run-time each, as text for the fixture `load_model`."""

from __future__ import annotations

# Two tensors as long as the weight, made of a number.
SCALED = """
@ab.params
class P:
    w: Tensor["N"]

@ab.model
def model(p: P, x: float) -> tuple[Tensor["N"], Tensor["N"]]:
    y = p.w * x
    return y, p.w + y
"""

# Decisions on a value in a long tensor.
DECIDING = """
@ab.params
class P:
    w: Tensor["N"]

@ab.model
def model(p: P, x: float) -> Tensor["N"]:
    y = p.w * x
    while ops.item(y[0]) < 100.0:
        y = y + y
    return y
"""

# Decisions on what the GPU need not compute: a tensor of the instance, and a number.
READING = """
@ab.params
class P:
    w: Tensor["N"]

@ab.model
def model(p: P, x: Tensor[2]) -> Tensor["N"]:
    if ops.item(x[0]) > ops.item(x[1]):
        return p.w + ops.item(x[0])
    return p.w * ops.item(x[1])
"""

# Nothing is computed: results are weights and tensors of the instances.
PASSING = """
@ab.params
class P:
    w: Tensor["N"]

@ab.model
def model(p: P, x: Tensor["N"]) -> tuple[Tensor["N"], Tensor["N"]]:
    return x, p.w
"""

# Tensors of the instance are computed with.
ADDING = """
@ab.params
class P:
    w: Tensor["N"]

@ab.model
def model(p: P, x: Tensor["N"]) -> Tensor["N"]:
    return p.w + x
"""

# A million numbers of temporaries per node.
ATTENTION = """
@ab.params
class P:
    w: Tensor["E", "E"]

@ab.model
def model(p: P, x: Tensor[1024, "E"]) -> Tensor[1024, "E"]:
    return ops.attention(x @ p.w, x, x, heads=1)
"""
