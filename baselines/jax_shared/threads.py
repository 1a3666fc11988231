"""How many threads XLA has on a CPU: set before `jax` is imported, for it looks once.

`NPROC` sizes the pool on which XLA runs kernels and their parts (`DefaultThreadPoolSize` in
xla/pjrt/utils.cc); without Eigen's threads a product runs where it is called. Neither is a promise
for what a later XLA starts, so the process is also bound to as many CPUs.
"""

from __future__ import annotations

import os
import sys

# Of this process: what it has been limited to.
_GIVEN = "ACROBAT_JAX_THREADS"


def limit_threads(threads: int) -> None:
    """Let XLA have `threads` threads. RuntimeError if it has been given another number before."""
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
