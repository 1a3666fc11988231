"""Gradients in plain Python: instances run on a tape that records their operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..driver.observed import run_observed
from ..eager import EagerProgram
from ..lang.draws import Noise, drawing
from ..lang.mapped_params import mapped_params
from ..lang.model import Model
from ..runtime.object_inputs import require_list
from ..tape.contributions import Sum
from ..tape.recording import Tape
from ..tape.variable import Variable
from .cotangents import tensors_of, without_variables
from .weight_gradients import WeightGradient, finished

Array = np.ndarray


class TapeRun:
    """A mini-batch that has run forward: `results`, and `tensors`, those in each result."""

    def __init__(
        self,
        model: Model[..., Any],
        params: Any,
        wrt: Sequence[str],
        dtype: Any = np.float32,
        stack_bytes: int = 1 << 30,
    ) -> None:
        self.tape, self.stack_bytes = Tape(dtype), stack_bytes
        self.weights: dict[str, Variable] = {}
        self.outputs: list[Any] = []  # as the model returned them, with variables
        self.results: list[Any] = []  # with arrays
        self.tensors: list[list[Any]] = []
        self._program = EagerProgram(model, mapped_params(params, self._weight(wrt)))

    def _weight(self, wrt: Sequence[str]) -> Callable[[str, Array], Any]:
        def one(path: str, weight: Array) -> Any:
            array = np.asarray(weight, self.tape.dtype)
            if path not in wrt:
                return array
            made = self.weights[path] = Variable(self.tape, array)
            made.gradient = Sum(array.shape, self.tape.dtype, joins=True)
            return made

        return one

    def forward(
        self,
        instances: Sequence[Any],
        then: Callable[[int], None] | None = None,
        noise: Noise | None = None,
    ) -> None:
        """Run the instances, and call `then` with the number of each after it has run; with
        `noise`, dropout is active. InstanceError if they are not in a list; exceptions of the model
        propagate."""
        require_list(instances)

        def work() -> None:
            for number, instance in enumerate(instances):
                with drawing(noise, number):
                    result = self._program.call(instance)
                self.outputs.append(result)
                self.tensors.append(list(tensors_of(result)))
                self.results.append(without_variables(result))
                if then is not None:
                    then(number)

        run_observed(self.tape, work, self.stack_bytes)

    @staticmethod
    def is_variable(tensor: Any) -> bool:
        """Whether a tensor of an output changes with the weights."""
        return isinstance(tensor, Variable)

    def backward_from(self, tensor: Variable) -> None:
        """Run backward from one tensor of one element, whose gradient is 1."""
        self.tape.backward([(tensor, np.ones(tensor.shape, self.tape.dtype))])

    def backward(self, cotangents: Mapping[int, Sequence[Array | None]]) -> None:
        """Run backward with gradients for the tensors of some instances' results, by the instance's
        number. This uses up the tape: call it once for all instances, or for each after it has
        run."""
        seeds = [
            (tensor, np.asarray(given, self.tape.dtype))
            for number, of_result in cotangents.items()
            for tensor, given in zip(self.tensors[number], of_result, strict=True)
            if isinstance(tensor, Variable) and given is not None
        ]
        self.tape.backward(seeds)

    def gradients(self) -> dict[str, WeightGradient]:
        """The gradients of the weights so far, by path."""
        totals = {path: v.gradient for path, v in self.weights.items()}
        return {path: finished(total) for path, total in totals.items() if total is not None}
