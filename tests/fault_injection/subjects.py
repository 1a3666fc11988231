"""What a trial compiles and runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import acrobat as ab
from tests.runtime.kept_models import encode, step, trees, weights

SIZE = 8


@dataclass(eq=False)
class Subject:
    """A model with instances, and the results that are right, to the last bit."""

    name: str
    model: Any
    instances: list[Any]
    want: list[np.ndarray] = field(default_factory=list)

    def compile(self) -> Any:
        """The compiled model; two threads, so that there is a pool of them."""
        return ab.compile(self.model, weights(SIZE), "cpu", ab.Options(threads=2))

    def is_right(self, results: list[np.ndarray]) -> bool:
        """Whether results are those of the first call."""
        return all(map(np.array_equal, self.want, results)) and len(results) == len(self.want)


def make_subjects() -> list[Subject]:
    """One that never waits, and one that waits for values; compared with plain Python."""
    vectors = [leaf.x for leaf in trees(6, 0, SIZE)]  # type: ignore[union-attr]
    made = [
        Subject("encode", encode, trees(6, 3, SIZE)),
        Subject("step", step, [(x, 2 + i) for i, x in enumerate(vectors)]),
    ]
    for subject in made:
        subject.want = subject.compile()(subject.instances)
        for got, instance in zip(subject.want, subject.instances, strict=True):
            arguments = instance if isinstance(instance, tuple) else (instance,)
            if subject.model is step:
                plain = step(weights(SIZE), arguments[0], times=arguments[1])
            else:
                plain = subject.model(weights(SIZE), *arguments)
            np.testing.assert_allclose(got, plain, rtol=1e-4, atol=1e-5)
    return made
