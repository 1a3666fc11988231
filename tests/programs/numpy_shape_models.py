"""Functions and methods of numpy that make tensors, or give them another shape."""

# Models as they are written in a hurry.
# mypy: disable-error-code="misc, arg-type, call-overload, type-var"

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def other_shapes(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.expand_dims(h, 0),
        np.expand_dims(h, axis=1),
        np.squeeze(h[None]),
        h[None].squeeze(),
        np.squeeze(h[:, None], axis=1),
        np.squeeze(h[:1]),
        np.ravel(p.w),
        np.swapaxes(p.w, 0, 1),
        p.w.transpose(1, 0),
        np.transpose(p.w, (1, 0)),
        np.moveaxis(p.w, 0, 1),
        np.broadcast_to(h, (3, 4)),
        np.atleast_2d(h),
        np.size(h),
        np.ndim(h),
        np.shape(h)[0],
    )


@ab.model
def made(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.full(4, 0.5) + h,
        np.full((2, 4), -1.0),
        np.full(4, -np.inf),
        np.full(len(xs), 1.5),
        np.full_like(h, 2.0),
        np.full(3, -1),
        np.full((2, 4), h),
        np.eye(4),
        np.eye(h.shape[0]) @ h,
        np.eye(4)[xs[0] % 4],
        np.identity(4) + p.w,
        np.eye(9)[xs[0]] @ p.emb,
        np.eye(9)[xs],
        np.arange(4) + h,
        np.arange(4, dtype=np.float32),
        np.arange(len(xs)),
        np.arange(h.shape[0]) * 0.5,
        np.arange(1, 5) * h,
        np.arange(0.0, 1.0, 0.25) * h,
        np.arange(5, 1, -1) * h,
        [i * 2 for i in np.arange(len(xs))],
        np.linspace(0, 1, 4) * h,
        np.linspace(-1.0, 1.0, 5),
    )


@ab.model
def triangles(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    return (
        np.triu(p.w),
        np.tril(p.w),
        np.tril(np.ones((4, 4))),
        np.triu(p.w, k=1),
        np.where(np.triu(np.ones((4, 4)), k=1) > 0, -1e9, p.w),
        np.diag(h),
        np.diag(p.w),
        np.trace(p.w),
    )


@ab.model
def norms_and_products(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.linalg.norm(h, 1),
        np.linalg.norm(h, ord=2),
        np.linalg.norm(h, np.inf),
        np.linalg.norm(p.w, ord=1, axis=0),
        np.inner(h, v),
        np.vdot(h, v),
        np.dot([1.0, 2.0, 3.0, 4.0], h),
        np.clip(h, 0, None),
        h.clip(min=0),
        np.clip(h, a_min=-0.5, a_max=0.5),
        np.clip(h, 0.1, None),
        h.clip(max=0.3),
        h.clip(-0.1, 0.1),
        h.clip(0, 1),
    )


@ab.model
def arrays(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        np.array([h @ v, 1.0, 2]),
        np.array([[h[0], h[1]], [v[0], 1.0]]),
        np.array([[1.0, 2.0], [3.0, 4.0]]),
        np.array(h),
        np.array(xs, dtype=np.float32) * 2.0,
        np.asarray([h, v]),
        np.float32(1.5) * h,
        np.float64(len(xs)),
        np.int64(3) + len(xs),
    )


@ab.model
def copies(p: P, xs: list[int]) -> Any:
    h = p.emb[xs[0]]
    v = p.b
    return (
        h.copy(),
        np.copy(h),
        h.tolist(),
        p.w.tolist(),
        p.emb[xs].tolist(),
        h.astype(np.float32),
        h.astype("float32"),
        (h > 0).astype(np.float32),
        h.item(0),
        np.take(p.emb, xs, axis=0),
        np.take(h, 1),
        np.take(h, [1, 2]),
        h.take(1),
        h.argmin(),
        np.sort(h),
        np.sort(p.emb[xs] @ v),
    )


MODELS = (
    other_shapes,
    made,
    triangles,
    norms_and_products,
    arrays,
    copies,
)
