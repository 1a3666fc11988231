"""A trace as trace events ("Trace Event Format", the JSON that chrome://tracing and Perfetto open):
complete events with begin and duration in microseconds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..runtime.watched_call import ACTIVITIES
from .tables import Tables

_THREADS, _INSTANCES = 1, 2


def chrome_events(model: str, blocks: Sequence[str], tables: Tables) -> str:
    """Return the JSON text. The time of a single node is not known: it is shown where its batch
    is."""
    events: list[dict[str, Any]] = [
        _name("process_name", _THREADS, 0, f"{model}: threads"),
        _name("process_name", _INSTANCES, 0, f"{model}: instances"),
    ]
    for thread in sorted(set(tables.spans["thread"].tolist())):
        events.append(_name("thread_name", _THREADS, thread, f"thread {thread}"))
    for span in tables.spans:
        activity = ACTIVITIES[span["activity"]]
        arguments: dict[str, Any] = {}
        if span["batch"] >= 0:
            batch = tables.batches[span["batch"]]
            arguments = _batch(int(span["batch"]), batch)
            if span["nodes"]:
                arguments["nodes of this part"] = int(span["nodes"])
            if activity == "kernels":
                activity = blocks[batch["block"]]
        name, of = activity, (_THREADS, int(span["thread"]))
        events.append(_event(name, of, int(span["begin"]), int(span["end"]), arguments))
    begins, ends = _extents(tables)
    for cell in tables.cells:
        number, instance = int(cell["batch"]), int(cell["instance"])
        if number < 0 or ends[number] < 0:
            continue
        batch = tables.batches[number]
        arguments = {**_batch(number, batch), "nodes of this instance": int(cell["n"])}
        name, of = blocks[batch["block"]], (_INSTANCES, instance)
        events.append(_event(name, of, int(begins[number]), int(ends[number]), arguments))
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})


def _extents(tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """When the kernels of each batch began and ended (-1 if that is not known)."""
    begins = np.full(len(tables.batches), np.iinfo(np.int64).max)
    ends = np.full(len(tables.batches), -1)
    kernels = tables.spans[(tables.spans["activity"] == 0) & (tables.spans["batch"] >= 0)]
    np.minimum.at(begins, kernels["batch"], kernels["begin"])
    np.maximum.at(ends, kernels["batch"], kernels["end"])
    return begins, ends


def _batch(number: int, batch: np.void) -> dict[str, int]:
    parts = ("n", "computation", "phase", "depth")
    return {"batch": number, **{p if p != "n" else "nodes": int(batch[p]) for p in parts}}


def _event(
    name: str, of: tuple[int, int], begin: int, end: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    process, thread = of
    times = {"ts": begin / 1000, "dur": (end - begin) / 1000}
    return {"name": name, "ph": "X", "pid": process, "tid": thread, **times, "args": arguments}


def _name(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
