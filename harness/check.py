"""Compare a system's results with plain Python for all workloads: `python -m harness.check`.

Prints a line per workload, variant and mini-batch; the exit code is the number of wrong ones.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import traceback
from collections.abc import Sequence

import baselines
import workloads
from baselines.api import NotBuilt, Unsupported

from .outputs import compare
from .references import as_arrays, reference
from .row import TOLERANCE, within
from .worker import make_problem

# Sizes of the mini-batches, and the source of their trees.
BATCHES, DATA = (1, 8, 64), "generated"


def check(
    workload: str, batch: int, device: str, system: str, variant: str, size: str
) -> tuple[bool, str]:
    """Whether two runs of a mini-batch give the reference's results, and a description of the
    outcome."""
    request = {
        "workload": workload,
        "size": size,
        "batch": batch,
        "seed": 0,
        "device": device,
        "threads": 1,
        "sst_dir": DATA,
    }
    try:
        problem, _ = make_problem(request, variant)
        tried = baselines.get(system)()
        supported = tried.supports(problem)
        if isinstance(supported, (Unsupported, NotBuilt)):
            return False, supported.reason
        tried.prepare(problem)
        for _ in range(2):
            tried.run()
        want, refused = reference(workload, problem)
        error, why = compare(want, as_arrays(tried.outputs()))
        found = why or f"max_abs_err {error:.1e}"
        return within(error, TOLERANCE), f"{found} ({refused})" if refused else found
    except Exception:
        return False, traceback.format_exc()


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="harness.check", description=__doc__)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--system", choices=baselines.names(), default="acrobat")
    parser.add_argument("--variants", nargs="+", help="default: the system's first")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--workloads", nargs="+", choices=workloads.ALL, default=workloads.NAMES)
    parser.add_argument("--batches", nargs="+", type=int, default=BATCHES)
    args = parser.parse_args(argv)
    variants = args.variants or baselines.variants(args.system)[:1]
    wrong = 0
    for workload, variant, batch in itertools.product(args.workloads, variants, args.batches):
        good, found = check(workload, batch, args.device, args.system, variant, args.size)
        wrong += not good
        what = f"{workload} {variant} bs{batch}"
        print(f"{'ok   ' if good else 'WRONG'}  {what}: {found}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
