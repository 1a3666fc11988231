"""Compile every kernel once, to a separate object file: TVM is imported only when one is not in the
cache. Programs that have a kernel in common share its object.

g++ links the objects into the generated program. `nm -u` of an object lists one symbol (a test
checks this), which the program must provide (runtime/include/acrobat/python/entry.h does):

    void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** parts, int32_t n)

By the packed convention a kernel calls it, and returns nonzero, when the number or the types of its
arguments are wrong. Nothing else is needed: kernels allocate no workspace, start no threads, check
no bounds, and use no mathematical library.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ....cache import cached_file, content_hash, is_cached
from ....log import logger
from ...specification.spec import KernelSpec, check_names
from ...specification.weight_types import described
from ..calling_convention import ChosenMatrix, CompiledKernel, KernelObjects
from .chosen import chosen_operands
from .compile import executable, ingredients, object_file
from .emit import kernel_source, packed_floats, vector_offsets
from .rule import choose_template
from .schedule import Schedule
from .target import CpuTarget, host_target, with_matrix_unit
from .template import Template

# Schedules by kernel name; kernels that are not listed have the rule's.
Schedules = Mapping[str, Schedule]
# The kind and suffix of an object file in the cache.
_KIND, _SUFFIX = "kernels", ".o"


class KernelBuild:
    """The object files of kernels, each with all its variants, for this machine unless `target`
    says otherwise; kernels that differ only in their names are compiled once. Their descriptions
    (`described`) are available before they are built. `schedules` must fit their kernels
    (`fit.misfit`). ValueError for names that are not unique C identifiers."""

    def __init__(
        self,
        specs: Sequence[KernelSpec],
        target: CpuTarget | None = None,
        schedules: Schedules | None = None,
    ) -> None:
        self._target, scheduled = target or host_target(), schedules or {}
        check_names(specs)
        first: dict[tuple[str, Schedule | None], KernelSpec] = {}
        alike = {
            s.name: first.setdefault((what_computes(s), scheduled.get(s.name)), s) for s in specs
        }
        found: dict[str, CompiledKernel] = {}
        # By name: the sources of each kernel, its key in the cache, and the machine it is for.
        self._files: dict[str, tuple[dict[str, str], str, CpuTarget]] = {}
        for s in first.values():
            template = choose_template(s, self._target, scheduled.get(s.name))
            found[s.name] = describe(s, template)
            sources = sources_of(s, template, template.tiles)
            machine = target_of(s, self._target)
            key = content_hash([*ingredients(machine), *sources.values()])
            self._files[s.name] = sources, key, machine
        self.described = {name: found[s.name] for name, s in alike.items()}

    @property
    def cached(self) -> bool:
        """Whether there is nothing to compile."""
        return all(is_cached(_KIND, key, _SUFFIX) for _, key, _ in self._files.values())

    def objects(self) -> KernelObjects:
        """The object files; those that are not in the cache are compiled now. ToolchainError if TVM
        is needed and missing."""
        start = time.perf_counter()
        paths: list[Path] = []
        seconds: dict[str, float] = {}
        for name, (sources, key, machine) in self._files.items():
            began = time.perf_counter()
            make = partial(_write_object, sources, machine)
            path, hit = cached_file(_KIND, key, _SUFFIX, make, check=False)
            paths.append(path)
            if not hit:
                seconds[name] = time.perf_counter() - began
        build_s = time.perf_counter() - start if seconds else 0.0
        if seconds:
            logger.info("%d of %d kernels: %.1f s", len(seconds), len(paths), build_s)
        return KernelObjects(tuple(paths), self.described, build_s, seconds)


def build_kernels(
    specs: Sequence[KernelSpec],
    target: CpuTarget | None = None,
    schedules: Schedules | None = None,
) -> KernelObjects:
    """The object files of `specs`, at once: see `KernelBuild`, whose errors it raises."""
    return KernelBuild(specs, target, schedules).objects()


def _write_object(sources: Mapping[str, str], target: CpuTarget, path: Path) -> None:
    path.write_bytes(object_file(sources, target))


def target_of(spec: KernelSpec, target: CpuTarget) -> CpuTarget:
    """The target that a kernel is compiled for: only kernels that need the matrix unit may use
    it."""
    return with_matrix_unit(target) if spec.weight_type == "tiles" else target


def sources_of(spec: KernelSpec, template: Template, heights: Sequence[int]) -> dict[str, str]:
    """The text of a kernel's variants, by the names of their functions."""
    return {f"{spec.name}_r{r}": kernel_source(spec, template, r) for r in heights}


def what_computes(spec: KernelSpec) -> str:
    """What `spec` computes, whatever its name; as text, in which 0.0 and -0.0 differ."""
    stored = f" of {described(spec.weight_type)}" if spec.weight_type != "fp32" else ""
    return repr(replace(spec, name="")) + stored


def describe(spec: KernelSpec, template: Template) -> CompiledKernel:
    """What the run-time needs to call the kernel."""
    return CompiledKernel(
        name=spec.name,
        tiles=template.tiles,
        usual=template.usual,
        join=template.schedule.join,
        rows_at_once=template.schedule.rows_at_once,
        column_blocks=template.blocks,
        weight_floats=packed_floats(spec, template) * template.blocks,
        vector_floats=vector_offsets(spec, template)[-1],
        chosen=tuple(_chosen(spec, template)),
    )


def _chosen(spec: KernelSpec, template: Template) -> Iterator[ChosenMatrix]:
    for n, chosen in chosen_operands(spec, template).items():
        width, rows = spec.operands[n].width, spec.operands[n].rows
        floats = chosen.floats(spec, n, template)
        yield ChosenMatrix(spec.indexed.index(n), width, floats, rows, chosen.packed)


# The kernels compiled into this process, by what they compute, whatever their names, and their
# schedules: a function for every height of tiles.
_loaded: dict[tuple[str, Schedule], dict[int, Callable[..., object]]] = {}


def load_kernels(
    specs: Sequence[KernelSpec], schedules: Schedules | None = None
) -> tuple[dict[str, CompiledKernel], dict[str, Callable[..., object]]]:
    """The kernels compiled into this process, and their functions by symbol. Each is compiled once
    per process, and only TVM's own compiler is needed. ToolchainError if TVM is missing."""
    target, scheduled = host_target(), schedules or {}
    check_names(specs)
    templates = {s.name: choose_template(s, target, scheduled.get(s.name)) for s in specs}
    kernels = {s.name: describe(s, templates[s.name]) for s in specs}
    keys = {s.name: (what_computes(s), templates[s.name].schedule) for s in specs}
    new = {keys[s.name]: s for s in specs if keys[s.name] not in _loaded}
    if new:
        for machine in {target_of(s, target) for s in new.values()}:
            some = {key: s for key, s in new.items() if target_of(s, target) == machine}
            sources: dict[str, str] = {}
            for s in some.values():
                sources |= sources_of(s, templates[s.name], templates[s.name].tiles)
            module = executable(sources, machine)
            for key, s in some.items():
                _loaded[key] = {r: module[f"{s.name}_r{r}"] for r in kernels[s.name].tiles}
    functions = {
        k.symbol(r): _loaded[keys[name]][r] for name, k in kernels.items() for r in k.tiles
    }
    return kernels, functions
