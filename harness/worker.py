"""The child: hosts one system and answers the parent's requests (`python -m harness.start_worker`).

Requests and answers are lines of JSON on standard input and output; anything that a library prints
goes to standard error instead. Only `run` is timed, with the garbage collector off.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import operator
import os
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import baselines
import workloads
from acrobat.cache.seal import DamagedFile
from baselines.api import NotBuilt, Problem, Supported, System, Trainer, Training, Unsupported
from workloads import losses
from workloads.data.source import find_source

from .energy import energy_per_run
from .guard import WORKER
from .peak_memory import forget_peak, peak_mib
from .references import as_arrays, reference
from .worker_limits import die_first

# Bound here, before a system could replace it.
_clock = time.perf_counter
# Seconds of untimed runs at the beginning of a round on a GPU.
_WARM_S = 0.02
# Characters of an error's message.
_LONGEST = 2000


class Worker:
    """The child's state: the system, once it is prepared."""

    def __init__(self) -> None:
        self.system: System | None = None
        self.trainer: Trainer | None = None
        self.device = "cpu"
        # The time (ms) of the last run of each round, and its breakdown.
        self.profiled: list[tuple[float, dict[str, Any]]] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve one request."""
        match request["command"]:
            case "reference":
                return self.reference(request)
            case "supports":
                return self.supports(request)
            case "prepare":
                return self.prepare(request)
            case "sample":
                return self.sample(request["count"])
            case "finish":
                return self.finish(request["path"])
            case "begin training":
                return self.begin_training(request)
            case "epoch":
                return self.epochs.run(request["epoch"])
            case command:
                raise ValueError(f"there is no command {command!r}")

    def reference(self, request: dict[str, Any]) -> dict[str, Any]:
        problem, label = make_problem(request, "full")
        if problem.training:
            from .step_reference import reference_step

            save_outputs(request["path"], reference_step(problem))
            return {"data": label}
        outputs, refused = reference(request["workload"], problem)
        np.savez(request["path"], **outputs)  # type: ignore[arg-type]
        return {"data": label, "refused": refused}

    def supports(self, request: dict[str, Any]) -> dict[str, Any]:
        problem = _problem(request, request["variant"], None, [])
        match baselines.supports(request["system"], problem):
            case Supported():
                return {"status": "", "reason": ""}
            case Unsupported(reason):
                return {"status": "unsupported", "reason": str(reason)}
            case NotBuilt(reason):
                return {"status": "skipped", "reason": str(reason)}
            case other:
                raise TypeError(f"`supports` must return Supported or Unsupported, not {other!r}")

    def prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        problem, _ = make_problem(request, request["variant"])
        self.device = problem.device
        if problem.training:
            trainer = baselines.trainer(request["system"])
            assert trainer is not None
            self.system = self.trainer = trainer()
        else:
            self.system = baselines.get(request["system"])()
        self.system.prepare(problem)
        if problem.training:
            forget_peak()
        # The present objects stay alive, so the collection before each round may skip them.
        gc.collect()
        gc.freeze()
        return {}

    def begin_training(self, request: dict[str, Any]) -> dict[str, Any]:
        from .epochs import Epochs

        self.epochs = Epochs(request)
        return self.epochs.about()

    def sample(self, count: int) -> dict[str, Any]:
        assert self.system is not None
        samples: list[float] = []
        gc.collect()
        gc.disable()
        try:
            if self.device == "cuda":
                # Another system used the GPU: the caches hold its data, and clocks may be lower.
                start = _clock()
                while _clock() - start < _WARM_S:
                    self.system.run()
            if self.trainer:  # Every round repeats the same steps.
                self.trainer.reset()
            for _ in range(count):
                start = _clock()
                self.system.run()
                samples.append((_clock() - start) * 1e3)
        finally:
            gc.enable()
        if samples:
            self.profiled.append((samples[-1], dataclasses.asdict(self.system.breakdown())))
        return {"samples_ms": samples}

    def finish(self, path: str) -> dict[str, Any]:
        assert self.system is not None
        # The peak of training steps excludes the copies for the check; that of inference includes
        # `prepare`. It is read before the energy, since repeated runs add memory of the harness.
        peak = peak_mib() if self.trainer else None
        save_outputs(path, self.system.outputs())
        peak = peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        energy = energy_per_run(self.system.run, self.device)
        # A single run, so that its activities add up, and a typical one: the median.
        profiled = sorted(self.profiled, key=operator.itemgetter(0))
        middle, breakdown = profiled[(len(profiled) - 1) // 2]
        return {
            "breakdown": breakdown,
            "profiled_ms": round(middle, 6),
            "peak_mem_mb": round(peak, 1),
            "energy_j": energy,
        }


def make_problem(request: dict[str, Any], variant: str) -> tuple[Problem, str]:
    """The mini-batch of a request, which is the same in every process, and the label of its
    data."""
    source = find_source(request["sst_dir"])
    name, size, batch, seed = (request[key] for key in ("workload", "size", "batch", "seed"))
    made = losses.get(name) if request.get("training") else workloads.get(name)
    params = made.make_params(size, seed, source)
    instances = made.make_instances(size, batch, seed, source)
    return _problem(request, variant, params, instances), source.label


def _problem(
    request: dict[str, Any], variant: str, params: Any, instances: Sequence[Any]
) -> Problem:
    return Problem(
        workloads.get(request["workload"]).implementation,
        request["size"],
        request["batch"],
        request["seed"],
        request["device"],
        request["threads"],
        variant,
        params,
        instances,
        Training(**request["training"]) if request.get("training") else None,
    )


def save_outputs(path: str, outputs: list[Any]) -> None:
    """Outputs as an npz file."""
    np.savez(path, **as_arrays(outputs))  # type: ignore[arg-type]


def main() -> None:
    """Answer requests until standard input ends. Answers start with a token that no other output
    starts with."""
    die_first()
    # A library that prints must not break the protocol.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    start = os.environ[WORKER]
    worker = Worker()
    for line in sys.stdin:
        _send(answers, start + answer_to(worker, line))


def answer_to(worker: Worker, line: str) -> str:
    """The answer to a request, whatever the system does: a failure is an answer, too."""
    try:
        return json.dumps(worker.answer(json.loads(line)))
    except DamagedFile as error:
        return _failure("skipped", f"{_text(error)}; the next run builds it again")
    except MemoryError as error:
        return _failure("oom", f"out of memory: {_text(error)}")
    except BaseException as error:  # A system may call sys.exit.
        name = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        # PyTorch's exception is not a MemoryError.
        status = "oom" if name == "OutOfMemoryError" else "error"
        return _failure(status, f"{name}: {_text(error)} ({where})")


def _failure(status: str, reason: str) -> str:
    return json.dumps({"failure": reason, "status": status})


def _text(error: BaseException) -> str:
    """The error's message, truncated if too long."""
    try:
        text = str(error)
    except BaseException as again:
        return f"its message cannot be shown, for that raises {type(again).__name__}"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _send(answers: TextIO, line: str) -> None:
    # The leading newline ends anything that a system may have written to the pipe before.
    answers.write(f"\n{line}\n")
    answers.flush()
