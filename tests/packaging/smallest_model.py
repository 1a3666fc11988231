"""The smallest model, compiled and run, beside plain Python: what an installed wheel has to do."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Weights:
    w: Float32[Tensor, "H H"]


@ab.model
def layer(p: Weights, x: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return ops.tanh(ops.linear(x, p.w))


def main() -> None:
    rng = np.random.default_rng(0)
    weights = Weights(w=rng.standard_normal((5, 5), dtype=np.float32))
    batch = list(rng.standard_normal((3, 5), dtype=np.float32))
    fast = ab.compile(layer, weights, target="cpu")
    for found, x in zip(fast(batch), batch, strict=True):
        np.testing.assert_allclose(found, layer(weights, x), rtol=1e-5, atol=1e-6)
    print(f"compiled and run: {ab.__file__}")


if __name__ == "__main__":
    main()
