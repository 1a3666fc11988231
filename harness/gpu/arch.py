"""The architecture of this machine's GPU, such as sm_90: `python -m harness.gpu.arch`."""

from __future__ import annotations

import sys

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu

if __name__ == "__main__":
    try:
        print(f"sm_{find_gpu().arch}")
    except DeviceError as error:
        sys.exit(f"harness.gpu.arch: {error}")
