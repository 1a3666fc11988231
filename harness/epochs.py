"""Training epoch by epoch, in one system's process."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import baselines
from acrobat.lang.params import sizes
from baselines.api import Problem, Supported, Training
from baselines.shared.steps import Steps
from workloads import losses
from workloads.data.source import find_source
from workloads.losses.sentiment_accuracy import accuracy
from workloads.losses.treelstm import labelled_trees

_WORKLOAD = "treelstm"
# Steps before anything is timed; afterwards the weights are reset.
_WARM_UP = 2


class Epochs:
    """A system that trains the sentiment model. `request` has the keys of config/sentiment.yaml,
    with `threads` as a number, and also `system` and `variant`."""

    def __init__(self, request: dict[str, Any]) -> None:
        source = find_source(request.get("sst_dir"))
        seed, self.batch = request["seed"], request["batch"]
        train, self.dev = (
            labelled_trees(source, split, request[key], seed)
            for split, key in (("train", "trees"), ("dev", "dev_trees"))
        )
        self.seed, self.count, self.label = seed, len(train), source.label
        params = losses.get(_WORKLOAD).make_params(request["size"], seed, source)
        self.hidden = sizes(params.inner)["H"]
        problem = Problem(
            workload=_WORKLOAD,
            size=request["size"],
            batch=self.batch,
            seed=seed,
            device="cpu",
            threads=request["threads"],
            variant=request["variant"],
            params=params,
            instances=train,
            training=Training(request["rate"], request["optimiser"]),
        )
        answer = baselines.supports(request["system"], problem)
        if not isinstance(answer, Supported):
            raise RuntimeError(answer.reason)
        trainer = baselines.trainer(request["system"])
        assert trainer is not None
        made = trainer()
        assert isinstance(made, Steps), f"{request['system']} trains no epochs"
        self.trainer = made
        self.trainer.prepare(problem)
        for which in self._batches(0)[:_WARM_UP]:
            self.trainer.choose(which)
            self.trainer.run()
        self.trainer.reset()

    def about(self) -> dict[str, Any]:
        """The data, and the accuracy of the initial weights."""
        found = accuracy(self.trainer.weights(), self.dev)
        about = {"data": self.label, "trees": self.count, "dev_trees": len(self.dev)}
        return about | {"roots": found.roots, "nodes": found.nodes}

    def _batches(self, epoch: int) -> Sequence[np.ndarray]:
        """The mini-batches of an epoch, which are the same for every system."""
        order = np.random.default_rng([self.seed, epoch]).permutation(self.count)
        firsts = range(0, self.count, self.batch)
        return [order[at : at + self.batch].astype(np.int64) for at in firsts]

    def run(self, epoch: int) -> dict[str, Any]:
        """Train for an epoch. Returns its seconds, the mean loss per tree (each computed with the
        weights of its step), and the accuracy on the development trees afterwards (not timed)."""
        batches = self._batches(epoch)
        total = 0.0
        gc.collect()
        start = time.perf_counter()
        for which in batches:
            self.trainer.choose(which)
            self.trainer.run()
            total += float(self.trainer.losses().sum(dtype=np.float64))
        seconds = time.perf_counter() - start
        found = accuracy(self.trainer.weights(), self.dev)
        return {
            "seconds": seconds,
            "loss": total / self.count,
            "roots": found.roots,
            "nodes": found.nodes,
        }
