"""Set up a virtual environment from a checkout: `python3 requirements/install.py bench`.

What a machine has to bring is looked at first: whatever is missing is named with the package that
has it, and nothing is downloaded (exit code 2). Then pip installs a lock of this folder by its
hashes, PyTorch, and the checkout itself, editable. Only the standard library is used here.

PyTorch is CUDA's build where `nvidia-smi` finds a GPU and the build without CUDA elsewhere;
`--torch` decides otherwise. If it cannot be had, there are no rows of PyTorch, and that is said.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"
OLDEST = (3, 11)
# An index that does not answer is given up after 30 s.
PATIENCE = ("--retries", "1", "--timeout", "15")


def missing(python: str | None = None) -> list[str]:
    """What this machine lacks, a line each, with the packages that have it."""
    version = "{}.{}".format(*sys.version_info[:2])
    if sys.version_info < OLDEST:
        return [
            f"{sys.executable} is Python {version}, and 3.11 or later is needed: name another "
            "(make setup PYTHON=python3.12)"
        ]
    found = []
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        found.append(
            "virtual environments (the module ensurepip): Debian and Ubuntu: apt-get install "
            f"python{version}-venv; Fedora: dnf install python3-pip; conda: conda install pip"
        )
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        found.append(
            "Python.h: Debian and Ubuntu: apt-get install "
            f"python{version}-dev; Fedora: dnf install python3-devel; conda: conda install python"
        )
    for tool, debian, fedora, conda in (
        ("g++", "g++", "gcc-c++", "gxx_linux-64"),
        ("make", "make", "make", "make"),
    ):
        if shutil.which(tool) is None:
            found.append(
                f"{tool}: Debian and Ubuntu: apt-get install {debian}; Fedora: dnf install "
                f"{fedora}; conda: conda install {conda}"
            )
    return found


def has_gpu() -> bool:
    """Whether `nvidia-smi` lists a GPU."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and "GPU 0" in done.stdout


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / "bin" / "python"


def version_of(python: Path) -> str:
    """ "3.11", or "" if that does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()


def make_venv(venv: Path, recreate: bool) -> None:
    """The virtual environment, made anew if it does not run or, where a Python was named
    (`recreate`), has another."""
    have, wanted = version_of(python_of(venv)), "{}.{}".format(*sys.version_info[:2])
    if have == wanted or (have and not recreate):
        return
    if have:
        print(f"{venv} has Python {have}: it is made anew with {wanted}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)


def pip(venv: Path, *arguments: str | Path) -> int:
    """Run pip in the environment, with the user's settings; its exit code."""
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    command = [str(python_of(venv)), "-m", "pip", "install", *quiet, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT).returncode


def install_lock(venv: Path, name: str) -> None:
    """Everything in `requirements/NAME.txt`, by hashes; what has no wheel is built with the
    setuptools of `build.txt`."""
    for lock in ("build", name):
        built = ("--no-build-isolation", "--use-pep517")
        code = pip(venv, "--require-hashes", *built, "-r", FOLDER / f"{lock}.txt")
        if code:
            sys.exit(code)


def torch_version(venv: Path) -> str:
    """The installed version, or ""."""
    code = "import importlib.metadata as m; print(m.version('torch'))"
    done = subprocess.run([str(python_of(venv)), "-c", code], capture_output=True, text=True)
    return done.stdout.strip()


def install_torch_cpu(venv: Path) -> None:
    """PyTorch without CUDA; a sentence if there is none to be had."""
    requirement = (FOLDER / "torch-cpu.txt").read_text().split()[-1]
    have = torch_version(venv)
    if have and have.split("+")[0] == requirement.split("==")[1].split("+")[0]:
        return
    if pip(venv, "--no-deps", "--only-binary=torch", *PATIENCE, "-r", FOLDER / "torch-cpu.txt"):
        print(
            f"{requirement} could not be installed: there will be no rows of PyTorch and of the "
            "floor, and no tests of them. To take the build with CUDA instead (3 GB): "
            "make setup TORCH=cuda",
            flush=True,
        )


def start_dynet(venv: Path) -> subprocess.Popen[bytes]:
    """Begin DyNet's native build, which takes longer than anything else, beside pip; it says how
    far it is."""
    install_lock(venv, "native")
    path = {"PATH": os.pathsep.join([str(venv.absolute() / "bin"), os.environ.get("PATH", "")])}
    command = [str(python_of(venv).absolute()), "-m", "baselines.dynet.build"]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **path})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lock", choices=["bench", "dev", "cloud"])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--torch", choices=["auto", "cpu", "cuda", "none"], default="auto")
    parser.add_argument(
        "--recreate", action="store_true", help="make the environment anew for another Python"
    )
    parser.add_argument(
        "--dynet", action="store_true", help="build DyNet natively meanwhile, for its rows"
    )
    args = parser.parse_args()
    lacking = missing()
    if lacking:
        print("This machine lacks:", *lacking, sep="\n  ", file=sys.stderr)
        return 2
    start = time.perf_counter()
    make_venv(args.venv, args.recreate)
    torch = args.torch if args.torch != "auto" else "cuda" if has_gpu() else "cpu"
    dynet = start_dynet(args.venv) if args.dynet else None
    install_lock(args.venv, args.lock)
    if torch == "cuda":
        install_lock(args.venv, "gpu")
    elif torch == "cpu":
        install_torch_cpu(args.venv)
    code = pip(args.venv, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    if dynet is not None and dynet.wait():
        print("DyNet could not be built: the rows of its native build will say so", flush=True)
    if code == 0:
        seconds = time.perf_counter() - start
        print(f"{os.path.relpath(args.venv)} holds {args.lock}.txt, after {seconds:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
