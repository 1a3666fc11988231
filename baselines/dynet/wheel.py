"""Loads DyNet's Python wheel (PyPI `dynet38`), which is configured once, before its import.

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
# The prefix of the wheel's variants, and the suffix of those that decide in lockstep.
WHEEL, LOCKSTEP = "wheel-", "-lockstep"

_loaded: list[int] = []


@dataclass(frozen=True, slots=True)
class Memory:
    """The sizes of DyNet's pools in MiB. All pools but that of the parameters grow when full, which
    costs time once."""

    forward: int
    parameters: int
    backward: int = 1

    def descriptor(self) -> str:
        """The sizes in the form of --dynet-mem: forward, backward, parameters, scratch."""
        return f"{self.forward},{self.backward},{self.parameters},64"


def load(strategy: int, memory: Memory) -> ModuleType:
    """Import the `dynet` module with an autobatch strategy.

    RuntimeError if this process uses another strategy: it is fixed when the module is imported.
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
