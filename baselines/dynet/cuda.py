"""Build DyNet and the driver for a GPU: `python -m baselines.dynet.build --cuda sm_90`.

DyNet's own CMake file lists architectures that nvcc no longer supports, so its units are compiled
here one by one: GPU code by nvcc, all units by g++. cuBLAS and cuRAND for CUDA 13 come from the
installed packages `nvidia-cublas` and `nvidia-curand`, which PyTorch depends on; if they are
missing, they are installed from PyPI. The build takes about 8 minutes on two cores.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from acrobat.cache import cache_dir, cached_file, content_hash
from acrobat.errors import ToolchainError

from .driver import built_files, driver_files, driver_key
from .sources import DYNET, EIGEN, PACKAGES, compiler, run, tool, unpack

# Package -> the version to install if the package is missing, and its library.
LIBRARIES = {
    "nvidia-cublas": ("13.0.0.19", "cublas"),
    "nvidia-curand": ("10.4.0.35", "curand"),
}
# Eigen 3.4 has renamed CudaStreamDevice, which DyNet uses.
_COMMON = ("-DEIGEN_USE_GPU", "-DHAVE_CUDA", "-DCudaStreamDevice=GpuStreamDevice", "-std=c++17")
_DEVICE = (
    *("-O1", "-D_FORCE_INLINES", "--expt-relaxed-constexpr", "--expt-extended-lambda"),
    *("-Xcompiler", "-fPIC", "-w"),
)
HOST_FLAGS = ("-O2", "-DEIGEN_FAST_MATH", "-fPIC", "-w")


def built_cuda(arch: str) -> tuple[Path, Path] | None:
    """DyNet and the driver for `arch`, in the order in which they must be loaded, if they have been
    built with this compiler and from these sources."""
    try:
        key = _key(arch)
    except ToolchainError:
        return None
    return built_files(key, content_hash([key, driver_key()]))


def load_libraries() -> None:
    """Load cuBLAS and cuRAND into this process, because DyNet refers to them by names that are in
    no search path."""
    for _, library in LIBRARIES.values():
        path = _library_file(library)
        # cuBLAS refers in the same way to cuBLASLt, on which it depends.
        for behind in sorted(path.parent.glob(f"lib{library}Lt.so.*")):
            ctypes.CDLL(str(behind), ctypes.RTLD_GLOBAL)
        ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)


def _key(arch: str) -> str:
    nvcc = tool("nvcc", "install NVIDIA's CUDA toolkit, version 13", "build for the CPU")
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True)
    version = done.stdout.splitlines()[-1]
    flags = [arch, *LIBRARIES, *_COMMON, *_DEVICE, *HOST_FLAGS]
    return content_hash([DYNET.sha256, EIGEN.sha256, compiler(), version, *flags])


def build_cuda(arch: str, jobs: int, note: Callable[[str], None]) -> Path:
    """Build DyNet and the driver for `arch`; returns the driver's path. ToolchainError says what is
    missing."""
    if not re.fullmatch(r"sm_\d+[a-z]?", arch):
        raise ToolchainError(f"--cuda wants a GPU architecture such as sm_90, not {arch!r}")
    key = _key(arch)
    nvcc = tool("nvcc")

    def library(path: Path) -> None:
        note(f"building DyNet for {arch} with {jobs} jobs, about {15 // jobs + 1} minutes ...")
        with tempfile.TemporaryDirectory() as scratch:
            _library(Path(scratch), nvcc, arch, jobs, path)

    shared, hit = cached_file("dynet", key, ".so", library)
    note(f"DyNet for {arch}: {'already there' if hit else 'built'}, {shared}")

    def driver(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            options = [*_COMMON, *HOST_FLAGS, *_includes(Path(scratch), nvcc)]
            files = [str(p) for p in driver_files()]
            run([tool("g++"), *options, "-shared", *files, str(shared), "-o", str(path)])

    path, hit = cached_file("dynet", content_hash([key, driver_key()]), ".so", driver)
    note(f"driver for {arch}: {'already there' if hit else 'built'}, {path}")
    return path


def _library(scratch: Path, nvcc: str, arch: str, jobs: int, path: Path) -> None:
    includes = _includes(scratch, nvcc)
    source = scratch / DYNET.file.removesuffix(".tar.gz") / "dynet"
    lists = (source / "CMakeLists.txt").read_text()
    # cudaDeviceProp no longer has clock rates, which DyNet only prints.
    cuda = source / "cuda.cc"
    lines = cuda.read_text().splitlines()
    cuda.write_text("\n".join(line for line in lines if "memoryClockRate" not in line) + "\n")
    host = [source / name for name in _names(lists, "dynet_library_SRCS")] + [cuda]
    device = [source / "gpu-ops.cu", source / "cudnn-ops.cu"]
    for name in _names(lists, "dynet_gpu_mergeable_SRCS"):
        wrapper = scratch / f"gpu-{name}.cu"
        wrapper.write_text(f'#include "{source / name}.cc"\n')
        device.append(wrapper)
    gcc = tool("g++")
    commands = [
        [nvcc, "-c", f"-arch={arch}", *_COMMON, *_DEVICE, *includes, str(f)] for f in device
    ]
    commands += [[gcc, "-c", *_COMMON, *HOST_FLAGS, *includes, str(f)] for f in host]
    objects = [str(scratch / f"{n}.o") for n in range(len(commands))]
    with ThreadPoolExecutor(jobs) as pool:
        compiled = [
            pool.submit(run, [*command, "-o", out])
            for command, out in zip(commands, objects, strict=True)
        ]
        try:
            for one in compiled:
                one.result()
        except ToolchainError:
            pool.shutdown(cancel_futures=True)
            raise
    libraries = [str(_library_file(library)) for _, library in LIBRARIES.values()]
    runtime = ["-L", str(_toolkit(nvcc) / "lib64"), "-lcudart_static", "-lpthread", "-ldl", "-lrt"]
    run([gcc, "-shared", *objects, *libraries, *runtime, "-o", str(path)])


def _includes(scratch: Path, nvcc: str) -> list[str]:
    """Unpack the sources below `scratch`; returns include options for these and the libraries."""
    sources = unpack(scratch)
    roots = dict(zip(("cublas_v2.h", "curand.h"), map(_package, LIBRARIES), strict=True))
    folders = [p.parent for name, root in roots.items() for p in root.rglob(name)]
    folders += [sources.dynet, sources.eigen, _toolkit(nvcc) / "include"]
    return [f"-I{folder}" for folder in dict.fromkeys(folders)]


def _toolkit(nvcc: str) -> Path:
    """The folder of the CUDA toolkit; ToolchainError if it contains no headers."""
    done = subprocess.run(
        [nvcc, "--dryrun", "-c", "-x", "cu", "/dev/null"], capture_output=True, text=True
    )
    found = re.search(r"^#\$ TOP=(.+)$", done.stderr, re.MULTILINE)
    folder = Path(found[1]).resolve() if found else Path(nvcc).resolve().parents[1]
    if not (folder / "include" / "cuda_runtime.h").exists():
        raise ToolchainError(
            f"cuda_runtime.h is needed to build DyNet for a GPU and is not in {folder}/include; "
            f"install NVIDIA's CUDA toolkit, version 13"
        )
    return folder


def _package(name: str) -> Path:
    """The folder that contains the files of an NVIDIA package for CUDA 13, installed if missing."""
    version, _ = LIBRARIES[name]
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        folder = cache_dir() / "dynet" / f"{name}-{version}"
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            packages = os.environ.get(PACKAGES)
            index = ["--no-index", "--find-links", packages] if packages else []
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *index]
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                whole = Path(scratch) / "whole"
                run([*pip, "--target", str(whole), f"{name}=={version}"])
                whole.rename(folder)
        return folder
    if found.version.split(".")[0] != version.split(".")[0]:
        raise ToolchainError(
            f"{name} {found.version} is installed; DyNet is built with {name} {version} for CUDA 13"
        )
    return Path(str(found.locate_file("nvidia")))


def _library_file(library: str) -> Path:
    (name,) = (n for n, (_, of) in LIBRARIES.items() if of == library)
    found: Sequence[Path] = sorted(_package(name).rglob(f"lib{library}.so.*"))
    if not found:
        raise ToolchainError(f"lib{library}.so is not in the package {name}")
    return found[0]


def _names(lists: str, variable: str) -> list[str]:
    found = re.search(rf"set\({variable}\s([^)]*)\)", lists)
    assert found is not None, f"DyNet's CMakeLists.txt does not set {variable}"
    return found[1].split()
