"""What the programs share. A program is functions of one instance, decorated in one context; they
call each other and themselves, and each of their variables has a value per instance of the
mini-batch.

There are neither data types nor loops in what can be batched: nodes and words are rows of tables,
numbered through the mini-batch, which all instances share, and loops are recursion. An operation
computes all instances, also those that are elsewhere, whose values are then dropped: whatever they
have there must not make it fail.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow_probability.python.experimental import auto_batching


def as_tensorflow(params: Any) -> SimpleNamespace:
    """The fields of `params`, nested ones too, as tensors."""
    found = {f.name: getattr(params, f.name) for f in dataclasses.fields(params)}
    made = {
        name: as_tensorflow(value) if dataclasses.is_dataclass(value) else tf.constant(value)
        for name, value in found.items()
    }
    return SimpleNamespace(**made)


def array(*shape: int, dtype: type = np.float32) -> Any:
    """The type of a value of one instance: an array."""
    return auto_batching.TensorType(dtype, shape)


def row(table: Any, at: Any) -> Any:
    """Rows of a table, one for each instance; where there is no such row, another one."""
    return tf.gather(table, tf.clip_by_value(at, 0, tf.shape(table)[0] - 1))


def own_row(tables: Any, at: Any) -> Any:
    """A row of each instance's own table [rows, ...]; where there is no such row, another one."""
    return tf.gather(tables, tf.clip_by_value(at, 0, tables.shape[1] - 1), batch_dims=1)


def with_row(tables: Any, at: Any, values: Any) -> Any:
    """Each instance's own table [rows, ...] with another row at `at`."""
    here = tf.one_hot(at, tables.shape[1], on_value=True, off_value=False, dtype=tf.bool)
    shape = [tables.shape[0], tables.shape[1], *[1] * (len(tables.shape) - 2)]
    return tf.where(tf.reshape(here, shape), values[:, None], tables)


class Program(abc.ABC):
    """One workload's functions over a mini-batch in its flat form."""

    def __init__(self, params: Any, form: Any) -> None:
        self.p, self.form = as_tensorflow(params), form
        # What operations look up: the mini-batch's; while it is staged, what stands for them.
        self.tables = SimpleNamespace()
        self.function = self.define(auto_batching.frontend.Context())

    @abc.abstractmethod
    def define(self, context: Any) -> Any:
        """The batched function."""

    @abc.abstractmethod
    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """The tables of the mini-batch, and the function's arguments, [batch, ...]."""

    @abc.abstractmethod
    def depth(self) -> int:
        """How many calls are within each other at most, or more."""

    @abc.abstractmethod
    def results(self, values: Any) -> list[Any]:
        """What the function returned, numpy arrays, by instance."""
