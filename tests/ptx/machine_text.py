"""The PTX that Triton makes of a source, from the cache or compiled. No GPU is needed."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from acrobat.cache import cached_file, content_hash, verified
from acrobat.kernels.printers.cuda import compile
from acrobat.kernels.printers.cuda.compile import Source


@dataclass(frozen=True, slots=True)
class MachineText:
    """PTX, and how many bytes of shared memory a launch gives it."""

    text: str
    shared: int


@functools.cache
def _imported() -> str:
    return Path(compile.__file__).with_name("device_functions.py").read_text()


def machine_text(source: Source) -> MachineText:
    """The PTX of `source`."""
    settings = f"ptx triton=={compile.triton_version()} sm_{source.arch} {source.warps}"
    key = content_hash([settings, _imported(), source.text])

    def make(path: Path) -> None:
        with compile.triton_cache():
            result = compile.compiled(source, key)
        path.write_text(json.dumps({"text": result.asm["ptx"], "shared": result.metadata.shared}))

    made = json.loads(verified(cached_file("ptx", key, ".json", make)[0]))
    return MachineText(made["text"], made["shared"])
