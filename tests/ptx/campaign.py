"""What `python -m tests.ptx` runs: every part yields lines, and whether what they say is right."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import acrobat as ab
from acrobat.kernels.printers.cuda.tile import PRECISIONS
from tests.kernels.run_cuda import run
from tests.ptx.emulated import Emulated, emulate
from tests.ptx.families import FAMILIES, kernels_of
from tests.ptx.launched import Launched
from tests.ptx.mutations import Mutation, Outcome, judge, mutations_of_order, without_each
from tests.ptx.syntax import parse

Lines = Iterator[tuple[str, bool]]
PERSISTENT = ab.Options(gpu_mode="persistent")
_TOLERANCE = {"fp32": 2e-4, "tf32x3": 2e-4, "bf16x6": 2e-4, "tf32": 1e-2, "bf16": 1e-1}


def launched(arguments: argparse.Namespace) -> Lines:
    """All families, launch by launch; on sm_80 at every precision."""
    for arch in arguments.arch:
        for precision in PRECISIONS if arch == 80 else ("fp32", "tf32x3"):
            emulator = Launched(arch)
            failed: list[str] = []
            chosen = FAMILIES if precision == "fp32" else {"tree cell": FAMILIES["tree cell"]}
            for name, spec in chosen.items():
                for nodes in (1, 7, 40):
                    tolerance = _TOLERANCE[precision]
                    try:
                        run(
                            spec, nodes, execute=emulator, precision=precision,
                            rtol=tolerance, atol=tolerance,
                        )  # fmt: skip
                    except Exception as error:
                        failed.append(f"{name}, {nodes} nodes: {type(error).__name__}: {error}")
            counts = f"{len(chosen)} families, {emulator.launches} launches"
            yield (
                f"sm_{arch} {precision}: {counts}, {emulator.report.instructions} instructions",
                True,
            )
            yield from ((text, False) for text in failed)


def persistent(arguments: argparse.Namespace) -> Lines:
    """Persistent kernels of workloads at `tiny`, in several interleavings."""
    for arch in arguments.arch:
        for name in arguments.workload:
            launches = instructions = 0
            failed = ""
            for seed in range(arguments.runs):
                how = {"arch": arch, "most": arguments.programs, "seed": 1000 * seed}
                try:
                    done = emulate(name, 3, PERSISTENT, **how)
                except Exception as error:
                    failed = f"{type(error).__name__}: {error}"
                    break
                launches += done.launches
                instructions += done.report.instructions
                if done.report.problems:
                    failed = str(dict(done.report.problems))
            counts = f"{arguments.runs} runs, {launches} launches, {instructions} instructions"
            yield f"sm_{arch} {name}: {counts} {failed}".rstrip(), not failed


def tiles(arguments: argparse.Namespace) -> Lines:
    """The kernels of TreeLSTM and BERxiT at `small`: their tiles are those of real batches."""
    for arch in arguments.arch:
        for name in ("treelstm", "berxit"):
            emulator, failed = Launched(arch), ""
            specs = {k.signature if hasattr(k, "signature") else k.name: k
                     for k in kernels_of(name, "small")}  # fmt: skip
            for spec in specs.values():
                try:
                    run(spec, 1 if spec.rows > 1 else 17, execute=emulator, rtol=1e-3, atol=1e-3)
                except Exception as error:
                    failed += f" {spec.name}: {type(error).__name__}: {error}"
            counts = f"{len(specs)} kernels, {emulator.launches} launches"
            line = f"sm_{arch} {name} small: {counts}, {emulator.report.instructions} instructions"
            yield line + failed, not failed


def mutations(arguments: argparse.Namespace) -> Lines:
    """Mistakes in the order of memory, which must all be noticed, and CTA barriers and waits that
    are missing, with those that are not."""
    for name in arguments.workload:
        done = emulate(name, 2, PERSISTENT, most=arguments.programs, keep=True)
        runs = arguments.runs
        launch = max(done.recorded, key=lambda r: r.parameters[2])
        right = judge(Mutation("none", done.text), launch, runs)
        yield f"{name}: as it is: noticed in {right.noticed} of {runs}", right.noticed == 0
        for mutation in mutations_of_order(done.text):
            outcome = judge(mutation, launch, runs)
            yield f"{name}: {_said(mutation, outcome)}", outcome.noticed == runs
        yield from _missing(name, done, arguments)


def _said(mutation: Mutation, outcome: Outcome) -> str:
    by = ", ".join(f"{what} {n}" for what, n in sorted(outcome.by.items()))
    return f"{mutation.what}: noticed in {outcome.noticed} of {outcome.runs} ({by})"


def _missing(name: str, done: Emulated, arguments: argparse.Namespace) -> Lines:
    launch = max(done.recorded, key=lambda r: r.parameters[2])
    functions = parse(done.text)
    for opcode in ("bar.sync", "cp.async.wait_group"):
        outcomes: Counter[str] = Counter()
        left: list[str] = []
        for mutation in without_each(done.text, opcode):
            outcome = judge(mutation, launch, 1)
            kind = "unnoticed" if mutation.ran(functions, launch.report) else "never run"
            outcomes["noticed" if outcome.noticed else kind] += 1
            if not outcome.noticed and kind == "unnoticed":
                left.append(mutation.where)
        counts = ", ".join(f"{n} {k}" for k, n in outcomes.items())
        yield f"{name}: {opcode} removed one by one: {counts}", True
        for where in left:
            yield f"    unnoticed: {where}", True
