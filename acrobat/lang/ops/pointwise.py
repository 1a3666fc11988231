"""Operations that work element by element. They broadcast: a vector [N] over the rows of a matrix
[M, N], a number or a tensor of rank 0 over everything."""

from __future__ import annotations

from ..draws import DRAWS
from ..tensor import Tensor
from .apply import apply

__all__ = [
    "abs",
    "add",
    "clip",
    "cos",
    "div",
    "dropout",
    "elu",
    "equal",
    "erf",
    "exp",
    "expm1",
    "gelu",
    "greater",
    "greater_equal",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "less",
    "less_equal",
    "log",
    "log1p",
    "logsigmoid",
    "maximum",
    "minimum",
    "mish",
    "mul",
    "neg",
    "not_equal",
    "pow",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
    "softsign",
    "sqrt",
    "stop_gradient",
    "sub",
    "tanh",
    "where",
]

Operand = Tensor | float


def add(a: Operand, b: Operand) -> Tensor:
    """a + b; one of them may be a number."""
    return apply("add", a, b)


def sub(a: Operand, b: Operand) -> Tensor:
    """a - b; one of them may be a number."""
    return apply("sub", a, b)


def mul(a: Operand, b: Operand) -> Tensor:
    """a * b; one of them may be a number."""
    return apply("mul", a, b)


def div(a: Operand, b: Operand) -> Tensor:
    """a / b; one of them may be a number."""
    return apply("div", a, b)


def maximum(a: Operand, b: Operand) -> Tensor:
    """The larger of a and b; NaN if either is."""
    return apply("maximum", a, b)


def minimum(a: Operand, b: Operand) -> Tensor:
    """The smaller of a and b; NaN if either is."""
    return apply("minimum", a, b)


def less(a: Operand, b: Operand) -> Tensor:
    """1.0 where a < b, else 0.0."""
    return apply("less", a, b)


def greater(a: Operand, b: Operand) -> Tensor:
    """1.0 where a > b, else 0.0."""
    return apply("greater", a, b)


def less_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a <= b, else 0.0."""
    return apply("less_equal", a, b)


def greater_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a >= b, else 0.0."""
    return apply("greater_equal", a, b)


def equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a == b, else 0.0."""
    return apply("equal", a, b)


def not_equal(a: Operand, b: Operand) -> Tensor:
    """1.0 where a != b, else 0.0."""
    return apply("not_equal", a, b)


def where(c: Operand, a: Operand, b: Operand) -> Tensor:
    """a where c is not 0 (NaN is not), else b."""
    return apply("where", c, a, b)


def neg(x: Tensor) -> Tensor:
    """-x."""
    return apply("neg", x)


def tanh(x: Tensor) -> Tensor:
    """Hyperbolic tangent."""
    return apply("tanh", x)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), without overflow."""
    return apply("sigmoid", x)


def relu(x: Tensor) -> Tensor:
    """max(x, 0)."""
    return apply("relu", x)


def gelu(x: Tensor) -> Tensor:
    """x * P(Z <= x) for a standard normal Z, by the error function (Hendrycks, Gimpel 2016)."""
    return apply("gelu", x)


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x) (also called swish)."""
    return apply("silu", x)


def softplus(x: Tensor) -> Tensor:
    """log(1 + e^x), without overflow."""
    return apply("softplus", x)


def mish(x: Tensor) -> Tensor:
    """x * tanh(softplus(x)) (Misra 2019)."""
    return apply("mish", x)


def softsign(x: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return apply("softsign", x)


def logsigmoid(x: Tensor) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return apply("logsigmoid", x)


def leaky_relu(x: Tensor, slope: Operand = 0.01) -> Tensor:
    """x where it is above 0, else x * slope: a number, 0.01 if it is left out, or a tensor."""
    return apply("leaky_relu", x, slope)


def elu(x: Tensor, alpha: Operand = 1.0) -> Tensor:
    """x where it is above 0, else (e^x - 1) * alpha: 1 if it is left out (Clevert et al. 2016)."""
    return apply("elu", x, alpha)


def selu(x: Tensor) -> Tensor:
    """1.0507 * elu(x, 1.6733), whose outputs normalise themselves (Klambauer et al. 2017)."""
    return apply("selu", x)


def erf(x: Tensor) -> Tensor:
    """The error function."""
    return apply("erf", x)


def sin(x: Tensor) -> Tensor:
    """Sine; beyond 8192 its error grows with x."""
    return apply("sin", x)


def cos(x: Tensor) -> Tensor:
    """Cosine; beyond 8192 its error grows with x."""
    return apply("cos", x)


def exp(x: Tensor) -> Tensor:
    """e^x."""
    return apply("exp", x)


def log(x: Tensor) -> Tensor:
    """Natural logarithm."""
    return apply("log", x)


def expm1(x: Tensor) -> Tensor:
    """e^x - 1, also where e^x is near 1."""
    return apply("expm1", x)


def log1p(x: Tensor) -> Tensor:
    """log(1 + x), also where x is near 0."""
    return apply("log1p", x)


def pow(a: Operand, b: Operand) -> Tensor:
    """a to the power of b; one of them may be a number."""
    return apply("pow", a, b)


def sqrt(x: Tensor) -> Tensor:
    """Square root."""
    return apply("sqrt", x)


def abs(x: Tensor) -> Tensor:
    """|x|."""
    return apply("abs", x)


def clip(x: Tensor, low: Operand, high: Operand) -> Tensor:
    """x, but not below `low` nor above `high`."""
    return minimum(maximum(x, low), high)


def hardtanh(x: Tensor, low: Operand = -1.0, high: Operand = 1.0) -> Tensor:
    """x, but not below `low` nor above `high`."""
    return clip(x, low, high)


def relu6(x: Tensor) -> Tensor:
    """x, but not below 0 nor above 6."""
    return clip(x, 0.0, 6.0)


def hardsigmoid(x: Tensor) -> Tensor:
    """x / 6 + 0.5, but not below 0 nor above 1 (as PyTorch has it)."""
    return clip(add(div(x, 6.0), 0.5), 0.0, 1.0)


def hardswish(x: Tensor) -> Tensor:
    """x * hardsigmoid(x)."""
    return mul(x, hardsigmoid(x))


def stop_gradient(x: Tensor) -> Tensor:
    """x, as a constant of whatever is differentiated."""
    return apply("stop_gradient", x)


def dropout(x: Tensor, p: float) -> Tensor:
    """x with each element 0 with probability p and divided by 1 - p else, in a step of training
    (Srivastava et al. 2014); elsewhere x. Which are 0 follows from the step's seed and number, the
    instance, and how often it has dropped out before."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout with probability {p}: it is between 0 and 1")
    draws = DRAWS.get()
    return x if draws is None else mul(x, draws.mask(x.shape, p))
