"""What is told when a GPU is missing or fails, and what works afterwards."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import acrobat as ab
import workloads
from acrobat.aot.toolchain import find_compiler
from acrobat.doctor import examine
from acrobat.targets import choose_target
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import check, on_gpu, problem

NO_DEVICE, NO_BINARY, ILLEGAL, RESOURCES, OUT_OF_MEMORY = 100, 209, 700, 701, 2
LAUNCH_FAILED = 719


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_LIBCUDA", "/nowhere/libcuda.so")
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        "there is no NVIDIA driver: /nowhere/libcuda.so: cannot open shared object file: "
        "No such file or directory"
    )


def test_an_old_driver(mock: Mock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, library = tmp_path / "old.cc", tmp_path / "old.so"
    functions = ["Init(unsigned)", "DeviceGetCount(int* n)", "DeviceGet(int*, int)"]
    functions += ["DeviceGetAttribute(int*, int, int)", "DeviceGetName(char*, int, int)"]
    text = ""
    for f in functions:
        body = "*n = 1; return 0;" if "Count" in f else "return 0;"
        text += f'extern "C" int cu{f} {{ {body} }}\n'
    source.write_text(text)
    compiler, _ = find_compiler()
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(library))
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        f"{library} has no cuGetErrorName: the driver is older than CUDA 11.0; install a newer one"
    )


def test_no_gpu(mock: Mock) -> None:
    mock.reset(gpus=0)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        "the NVIDIA driver cannot start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"
    )


def test_errors_without_a_name(mock: Mock) -> None:
    mock.fail("cuInit", 999)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == "the NVIDIA driver cannot start: error 999"
    mock.fail("cuDevicePrimaryCtxRetain", 999)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == "CUDA: creating a context failed: error 999"


def test_a_driver_that_shows_none(mock: Mock) -> None:
    mock.reset(gpus=-1)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == "the NVIDIA driver shows no GPU"


def test_a_gpu_without_mapping(mock: Mock) -> None:
    mock.fail("cuDeviceGetAttribute", 1)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        "GPU 0 cannot map memory to reserved addresses, which mini-batches that grow while they "
        "run need; use target='cpu'"
    )


def test_machine_code_for_another_gpu(mock: Mock) -> None:
    mock.fail("cuModuleLoad", NO_BINARY)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    spec, variant = next(iter(mock.specs.values()))
    assert str(info.value) == (
        f"CUDA: loading kernel {spec.name} from {variant.cubin} failed: "
        f"CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is available for execution on the device)"
    )


def test_a_symbol_that_is_missing(mock: Mock) -> None:
    mock.fail("cuModuleGetFunction", 500)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    _, variant = next(iter(mock.specs.values()))
    assert str(info.value) == (
        f"CUDA: finding {variant.symbol} in {variant.cubin} failed: CUDA_ERROR_NOT_FOUND "
        f"(named symbol not found)"
    )


def test_too_much_shared_memory(mock: Mock) -> None:
    mock.shared = 300 << 10
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    spec, _ = next(iter(mock.specs.values()))
    assert str(info.value) == (
        f"CUDA: giving kernel {spec.name} 307200 bytes of shared memory failed: "
        f"CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )


def test_weights_that_cannot_be_copied(mock: Mock) -> None:
    """Their memory is given back when no copy to it is under way any more."""
    mock.fail("cuMemcpyHtoD", 1, call=2)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        "CUDA: copying weights to the GPU failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )


def test_weights_that_do_not_arrive(mock: Mock) -> None:
    mock.fail("cuStreamSynchronize", ILLEGAL)
    with pytest.raises(ab.DeviceError) as info:
        on_gpu("treelstm")
    assert str(info.value) == (
        "CUDA: copying weights to the GPU failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
        "access was encountered); this process can use the GPU no more: start a new one"
    )


def test_buffers_of_a_call(mock: Mock) -> None:
    """A call that cannot have a stream of its own is an error as others are."""
    fast = on_gpu("treelstm")
    _, instances, want = problem("treelstm", 2)
    mock.fail("cuStreamCreate", OUT_OF_MEMORY)
    with pytest.raises(ab.CapacityError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: creating a stream failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
    )
    check(want, fast(instances))


@pytest.mark.parametrize("call", [1, 2])
def test_buffers_on_a_gpu_that_is_lost(mock: Mock, call: int) -> None:
    fast = on_gpu("treelstm")
    _, instances, _ = problem("treelstm", 2)
    mock.fail("cuEventCreate", ILLEGAL, call)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: creating an event failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was "
        "encountered); this process can use the GPU no more: start a new one"
    )


@pytest.mark.parametrize("call", [1, 5])
def test_a_launch_that_fails(mock: Mock, call: int) -> None:
    """The next call is as good as the first."""
    fast = on_gpu("treelstm")
    _, instances, want = problem("treelstm", 2)
    # Behind the first one kernels begin early.
    mock.fail("cuLaunchKernel" if call == 1 else "cuLaunchKernelEx", RESOURCES, max(1, call - 1))
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    spec = mock.specs[next(s for s in mock.specs if ("lookup" in s) == (call == 1))][0]
    rows = str(info.value).split(" over ")[1].split()[0]
    assert str(info.value) == (
        f"CUDA: launching kernel {spec.name} over {rows} rows (1024 bytes of shared memory) "
        f"failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (too many resources requested for launch)"
    )
    check(want, fast(instances))


def test_between_decisions(mock: Mock) -> None:
    """Fibers are dropped where they stand; the next call begins anew."""
    fast = on_gpu("drnn")
    _, instances, want = problem("drnn", 7)
    mock.fail("cuMemcpyHtoDAsync", 1, call=3)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: copying the offsets of operands failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )
    check(want, fast(instances))


def test_page_locked_memory(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    _, instances, want = problem("treelstm", 2)
    mock.fail("cuMemHostAlloc", OUT_OF_MEMORY)
    with pytest.raises(ab.CapacityError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: taking 65536 bytes of page-locked memory failed: CUDA_ERROR_OUT_OF_MEMORY "
        "(out of memory)"
    )
    check(want, fast(instances))


def test_a_gpu_that_is_lost(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    _, instances, _ = problem("treelstm", 2)
    mock.fail("cuStreamSynchronize", ILLEGAL)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    lost = (
        "failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered); this "
        "process can use the GPU no more: start a new one"
    )
    assert str(info.value) == f"CUDA: computing the mini-batch {lost}"
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    assert str(info.value).endswith(lost)


def test_results_that_cannot_be_copied(mock: Mock) -> None:
    fast = on_gpu("treelstm")
    _, instances, want = problem("treelstm", 2)
    results = fast(instances)
    mock.fail("cuMemcpyDtoH", 1)
    with pytest.raises(ab.DeviceError) as info:
        results[0][0].numpy()
    assert str(info.value) == (
        "CUDA: copying results to the host failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"
    )
    check(want, results)


def test_options_of_the_other_target() -> None:
    with pytest.raises(ab.OptionError) as info:
        choose_target("gpu", ab.Options())
    assert str(info.value) == "target='gpu': the targets are 'auto', 'cpu', 'cuda'"
    with pytest.raises(ab.OptionError) as info:
        choose_target("cuda", ab.Options(executor="vm"))
    assert str(info.value) == (
        "Options.executor='vm': the interpreter runs on the CPU only; pass target='cpu'"
    )
    params, _, _ = problem("treelstm", 1)
    for executor in ("aot", "vm"):
        with pytest.raises(ab.OptionError) as info:
            options = ab.Options(precision="tf32", executor=executor)
            ab.compile(workloads.get("treelstm").model, params, "cpu", options)
        assert str(info.value) == (
            "Options.precision='tf32': the CPU computes in fp32 only, or, if it has "
            "AMX, in bf16; pass target='cuda'"
        )


def test_the_doctor_names_it(mock: Mock) -> None:
    found = {c.name: c for c in examine()}["gpu"]
    assert (found.ok, found.detail) == (True, "Mock GPU, sm_90")
    mock.reset(gpus=0)
    found = {c.name: c for c in examine()}["gpu"]
    assert not found.ok and found.detail.endswith("is detected); everything runs on the CPU")


def test_auto(mock: Mock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    mock.log()
    assert choose_target("auto", ab.Options()) == "cuda"
    assert "cuDevicePrimaryCtxRetain" not in mock.log()
    assert choose_target("auto", ab.Options(executor="vm")) == "cpu"
    mock.reset(gpus=0)
    assert choose_target("auto", ab.Options()) == "cpu"
    mock.reset()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert choose_target("auto", ab.Options()) == "cpu"


def test_a_persistent_kernel_that_gave_up(mock: Mock) -> None:
    """Its thread blocks waited for each other for too long, and it ended itself."""
    fast = on_gpu("treelstm", ab.Options(gpu_mode="persistent"))
    _, instances, _ = problem("treelstm", 2)
    mock.fail("cuStreamSynchronize", LAUNCH_FAILED)
    with pytest.raises(ab.DeviceError) as info:
        fast(instances)
    assert str(info.value) == (
        "CUDA: computing the mini-batch failed: CUDA_ERROR_LAUNCH_FAILED (unspecified launch "
        "failure); the persistent kernel ends so, too, if a thread block has waited for the others "
        "for some seconds: if that is what happened, use Options.gpu_mode='launches'; this process "
        "can use the GPU no more: start a new one"
    )
