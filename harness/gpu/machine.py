"""Describe the machine as JSON on standard output: `python -m harness.gpu.machine`."""

from __future__ import annotations

import datetime
import json
import os
import platform

from harness.environment import device_name, git_sha, versions


def describe() -> dict[str, object]:
    """GPU, host and versions."""
    return {
        "gpu": device_name("cuda"),
        "host": device_name("cpu"),
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "versions": versions("cuda"),
        "git_sha": git_sha(),
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


if __name__ == "__main__":
    print(json.dumps(describe(), indent=1))
