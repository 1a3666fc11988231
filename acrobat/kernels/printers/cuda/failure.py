"""The error for a compilation that Triton or its ptxas did not finish."""

from __future__ import annotations

import re
import signal
from pathlib import Path

from ....errors import ToolchainError

# Triton reports how ptxas ended only in its message.
_SIGNALLED = re.compile(r"`ptxas` failed with error code -(\d+)")
_ADVICE = {
    "SIGKILL": "the system ends processes so when memory is short; compile again with more of it, "
    "or with fewer programs beside it",
    "SIGTERM": "something on this machine ended it; compile again",
}


def compilation_failed(symbol: str, arch: int, source: Path, error: Exception) -> ToolchainError:
    """The error for a kernel `symbol` whose text is in the file `source`: Triton's whole message,
    including ptxas's output and command, and how ptxas ended."""
    said = str(error).strip() or "(it says nothing)"
    lines = [f"Triton failed to compile {symbol} for sm_{arch}: {type(error).__name__}: {said}"]
    if found := _SIGNALLED.search(said):
        name = _signal(int(found[1]))
        advice = _ADVICE.get(name, "it crashed; please report it with the kernel's source")
        lines.append(f"ptxas was ended by {name}: {advice}")
    elif isinstance(error, OSError):
        lines.append("the system refused that, not the compiler: see that the machine has memory, "
                     "processes and room in its temporary folder, and compile again")  # fmt: skip
    elif "PassManager::run failed" in said:
        # The passes are C++ and write to the process's standard error.
        lines.append("what the pass found wrong is on standard error, above")
    lines.append(f"the kernel's source is {source}")
    return ToolchainError("\n".join(lines))


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
