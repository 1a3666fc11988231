"""The name of a device in titles of tables and figures."""

from __future__ import annotations

from typing import Any

from plots.devices import device_title
from tests.plots.plot_rows import HOST, frame, on_gpu, row


def _title(*hosts: dict[str, Any]) -> str:
    rows = [row("acrobat", 1.0, batch_size=n + 1, host=host) for n, host in enumerate(hosts)]
    return device_title(frame(*rows))


def test_a_cpu_has_its_design_and_vectors() -> None:
    """Hypervisors call a Zen 3, a Zen 4 and a Zen 5 by one name."""
    assert _title(HOST, HOST) == "CPU: A CPU, 2 cores (znver4, 256-bit vectors)"


def test_cpus_of_one_name_are_told_apart() -> None:
    assert _title(HOST, {**HOST, "design": "znver5", "lanes": 16}) == (
        "CPU: A CPU, 2 cores (znver4, 256-bit vectors) and A CPU, 2 cores (znver5, 512-bit vectors)"
    )


def test_older_rows_have_numbers_or_nothing() -> None:
    old = {name: HOST[name] for name in HOST if name != "design"}
    assert _title(old) == "CPU: A CPU, 2 cores (family 25, model 17, 256-bit vectors)"
    assert _title(old | {"cpu": "An Arm"}) == "CPU: A CPU, 2 cores (256-bit vectors)"
    assert _title({}) == "CPU: A CPU, 2 cores"


def test_a_gpu_is_its_name() -> None:
    assert device_title(frame(on_gpu("acrobat", 1.0))) == "GPU: NVIDIA H200"
