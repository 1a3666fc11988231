"""What to write instead of the functions of numpy that models cannot call."""

from __future__ import annotations

_ROUNDING = "`math.floor(x[i])`, `math.ceil` or `round`, of one element"
_REMEDIES = {
    "append": "`np.append(x, y)` of a vector, or `np.concatenate([a, b], axis=0)`",
    "arange": "`range(n)`, or `np.arange(n)` of an int without a dtype",
    "argsort": "`np.argsort(x)` of a vector, or of a list of numbers",
    "array_equal": "`bool(np.all(a == b))` of tensors of one shape",
    "array": "`np.array([a, b])` of numbers or of vectors",
    "bincount": "`[xs.count(i) for i in range(n)]`",
    "ceil": _ROUNDING,
    "concatenate": "`np.concatenate([a, b], axis=0)`, or `np.stack(xs)` of any number of vectors",
    "cumprod": "a loop that multiplies",
    "diag": "`np.diag(x)` of a vector or of a square matrix",
    "einsum": 'a formula with an arrow, `np.einsum("ij,jk->ik", a, b)`, of vectors and matrices',
    "eye": "a size that is known when the model is compiled, `np.eye(4)`, or `np.eye(4)[i]`",
    "fix": _ROUNDING,
    "floor": _ROUNDING,
    "hypot": "`np.sqrt(a * a + b * b)`",
    "meshgrid": "`a[:, None]` and `b[None]`, which are broadcast",
    "nan_to_num": "`np.where(np.isnan(x), 0.0, x)`",
    "pad": "`np.pad(x, (1, 2))` with numbers around a tensor of known size",
    "prod": "a loop that multiplies",
    "reduce": "`np.max(np.stack([a, b]), axis=0)`, or `np.sum` and the like",
    "repeat": "`np.repeat(x, 2)` of a vector and a number",
    "rint": _ROUNDING,
    "roll": "`np.roll(x, n)` of a vector, or with `axis=0`",
    "round": _ROUNDING,
    "select": "`np.where(c, a, np.where(d, b, 0.0))`",
    "sort": "`sorted(xs)` of a list",
    "squeeze": "`x[0]` or `x[:, 0]`, or `np.squeeze(x)` of a known size",
    "std": "`np.std(x)`, `np.std(x, axis=0)`",
    "tile": "`np.tile(x, (2, 1))` with numbers, or `np.stack([x for _ in range(n)])`",
    "trunc": _ROUNDING,
    "unique": "`sorted(set(xs))` of a list",
    "var": "`np.var(x)`, `np.var(x, axis=0)`",
    "zeros": "`np.zeros(n)`, of floats",
}


def instead_of_numpy(text: str) -> str | None:
    """The remedy for a call of the function written as `text`; None if there is no particular
    one."""
    *owners, name = text.split(".")
    if "random" in owners:
        return "numbers that are drawn outside and passed in with the instance, or `ops.dropout`"
    return _REMEDIES.get(name)
