"""The base of all programs. A program is a set of functions of one instance, decorated in one
context; they call each other and themselves, and each of their variables has a value per instance
of the mini-batch.

Code that can be batched has neither data types nor loops: nodes and words are rows of tables that
all instances share, numbered through the mini-batch, and loops are recursion. An operation computes
all instances, including those that are elsewhere in the program, whose results are dropped; no
value of theirs may make it fail.
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
    """Return the fields of `params`, nested ones too, as tensors."""
    found = {f.name: getattr(params, f.name) for f in dataclasses.fields(params)}
    made = {
        name: as_tensorflow(value) if dataclasses.is_dataclass(value) else tf.constant(value)
        for name, value in found.items()
    }
    return SimpleNamespace(**made)


def array(*shape: int, dtype: type = np.float32) -> Any:
    """Return the type of an array value of one instance."""
    return auto_batching.TensorType(dtype, shape)


def row(table: Any, at: Any) -> Any:
    """Return one row of a table for each instance; a row out of range gives another one."""
    return tf.gather(table, tf.clip_by_value(at, 0, tf.shape(table)[0] - 1))


def own_row(tables: Any, at: Any) -> Any:
    """Return a row of each instance's own table [rows, ...]; out of range, another row."""
    return tf.gather(tables, tf.clip_by_value(at, 0, tables.shape[1] - 1), batch_dims=1)


def with_row(tables: Any, at: Any, values: Any) -> Any:
    """Return each instance's own table [rows, ...] with its row `at` replaced."""
    here = tf.one_hot(at, tables.shape[1], on_value=True, off_value=False, dtype=tf.bool)
    shape = [tables.shape[0], tables.shape[1], *[1] * (len(tables.shape) - 2)]
    return tf.where(tf.reshape(here, shape), values[:, None], tables)


class Program(abc.ABC):
    """One workload's functions over a mini-batch in its flat form."""

    def __init__(self, params: Any, form: Any) -> None:
        self.p, self.form = as_tensorflow(params), form
        # The tables that operations read: the mini-batch's, or placeholders while it is staged.
        self.tables = SimpleNamespace()
        self.function = self.define(auto_batching.frontend.Context())

    @abc.abstractmethod
    def define(self, context: Any) -> Any:
        """Return the batched function."""

    @abc.abstractmethod
    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Return the tables of the mini-batch, and the function's arguments, [batch, ...]."""

    @abc.abstractmethod
    def depth(self) -> int:
        """Return an upper bound on the depth of nested calls."""

    @abc.abstractmethod
    def results(self, values: Any) -> list[Any]:
        """Split the function's results, numpy arrays, by instance."""
