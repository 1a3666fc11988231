"""The number of XLA's threads on a CPU, set before `jax` is imported, since it is read only once.

`NPROC` sizes the pool on which XLA runs kernels and their parts (`DefaultThreadPoolSize` in
xla/pjrt/utils.cc); without Eigen's threads a product runs on the calling thread. Neither limits
what a later XLA may start, so the process is also bound to as many CPUs.
"""

from __future__ import annotations

import os
import sys

# The environment variable that has the limit already set for this process.
_GIVEN = "ACROBAT_JAX_THREADS"


def limit_threads(threads: int) -> None:
    """Limit XLA to `threads` threads. RuntimeError if `jax` was imported with another limit."""
    if os.environ.get(_GIVEN) == str(threads):
        return
    if "jax" in sys.modules:
        raise RuntimeError("jax has been imported: its number of threads cannot be changed")
    flags = [f for f in os.environ.get("XLA_FLAGS", "").split() if "multi_thread_eigen" not in f]
    flags.append(f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}")
    os.environ[_GIVEN] = str(threads)
    os.environ |= {"XLA_FLAGS": " ".join(flags), "NPROC": str(threads), "JAX_PLATFORMS": "cpu"}
    cpus = sorted(os.sched_getaffinity(0))
    if threads < len(cpus):
        os.sched_setaffinity(0, cpus[:threads])
