"""Loading DyNet's Python wheel (PyPI `dynet38`), which is configured once, before its import.

The wheel is built for a generic AVX2 CPU and runs on one thread. DyNet: Neubig et al., "DyNet: The
Dynamic Neural Network Toolkit", 2017; its autobatching: Neubig, Goldberg, Dyer, "On-the-fly
Operation Batching in Dynamic Computation Graphs", NeurIPS 2017.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from dataclasses import dataclass
from types import ModuleType

MODULE, PACKAGE = "dynet", "dynet38"
# Name of the variant -> DyNet's --dynet-autobatch: 0 is off, 1 to 3 are its strategies.
STRATEGIES = {f"autobatch{strategy}": strategy for strategy in range(4)}
# What a variant begins with that is the wheel's, and ends with that decides in lockstep.
WHEEL, LOCKSTEP = "wheel-", "-lockstep"

_loaded: list[int] = []


@dataclass(frozen=True, slots=True)
class Memory:
    """Sizes of DyNet's pools in MiB. All but the parameters' grow when full; that costs time
    once."""

    forward: int
    parameters: int
    backward: int = 1

    def descriptor(self) -> str:
        """As --dynet-mem wants it: forward, backward, parameters, scratch."""
        return f"{self.forward},{self.backward},{self.parameters},64"


def load(strategy: int, memory: Memory) -> ModuleType:
    """The `dynet` module under that autobatch strategy.

    RuntimeError if this process has it under another one: the strategy is fixed at the import.
    """
    if not _loaded:
        if MODULE in sys.modules:
            raise RuntimeError(
                "dynet is already imported in this process, with an unknown autobatch strategy; "
                "measure it in a process of its own"
            )
        config = importlib.import_module("dynet_config")
        config.set(mem=memory.descriptor(), autobatch=strategy, random_seed=1)
        _loaded.append(strategy)
    elif _loaded[0] != strategy:
        raise RuntimeError(
            f"dynet runs with autobatch={_loaded[0]} in this process and cannot change to "
            f"{strategy}; measure every strategy in a process of its own"
        )
    return importlib.import_module(MODULE)


def version() -> str:
    """The wheel's version."""
    return f"{PACKAGE} {importlib.metadata.version(PACKAGE)}"
