"""Each question a program asks torch about its devices, and the answer on each machine."""

# ruff: noqa: PLW0108 - a question is looked up when it is asked, not before the machine is on

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.checkpoint import get_device_states

from miscast.vm.memory_ledger import ACTIVATIONS
from sweep import sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from miscast.vm.torch_api.queries import State

GIB = 1 << 30

QUESTIONS: dict[str, Callable[[], Any]] = {
    "available": lambda: torch.cuda.is_available(),
    "count": lambda: torch.cuda.device_count(),
    "initialized": lambda: torch.cuda.is_initialized(),
    "capability": lambda: torch.cuda.get_device_capability(),
    "name": lambda: torch.cuda.get_device_name(0),
    "processors": lambda: torch.cuda.get_device_properties("cuda:0").multi_processor_count,
    "warp": lambda: torch.cuda.get_device_properties(0).warp_size,
    "gcn": lambda: torch.cuda.get_device_properties(0).gcnArchName.split(":")[0],
    "memory": lambda: round(torch.cuda.get_device_properties(0).total_memory / GIB),
    "free": lambda: round(torch.cuda.mem_get_info()[0] / GIB),
    "arches": lambda: torch.cuda.get_arch_list(),
    "bf16": lambda: torch.cuda.is_bf16_supported(),
    "bf16 native": lambda: torch.cuda.is_bf16_supported(including_emulation=False),
    "tf32": lambda: torch.cuda.is_tf32_supported(),
    "built": lambda: torch.backends.cuda.is_built(),
    "cudnn": lambda: (torch.backends.cudnn.is_available(), torch.backends.cudnn.version() is not None),
    "nccl": lambda: torch.distributed.is_nccl_available(),
    "cuda": lambda: torch.version.cuda is not None,
    "hip": lambda: torch.version.hip is not None,
    "mps": lambda: (torch.backends.mps.is_available(), torch.backends.mps.is_built()),
    "xpu": lambda: torch.xpu.is_available(),
    "accelerator": lambda: torch.accelerator.current_accelerator(),
    "accelerators": lambda: torch.accelerator.device_count(),
    "module": lambda: torch.get_device_module().__name__,
    "float64": lambda: torch.float64 in torch.accelerator.get_device_capability()["supported_dtypes"],
    "generator": lambda: torch.Generator(torch.accelerator.current_accelerator()).device,
    "scaler": lambda: torch.amp.GradScaler("cuda").is_enabled(),
}

NO_CUDA = {
    "available": False, "count": 0, "initialized": False, "arches": [], "bf16": False, "tf32": False, "built": False,
    "cudnn": (False, False), "nccl": False, "cuda": False, "hip": False, "xpu": False,
    "capability": AssertionError, "name": AssertionError,
}  # fmt: skip
CUDA = {
    "available": True, "initialized": False, "bf16": True, "built": True, "cudnn": (True, True), "nccl": True,
    "mps": (False, False), "xpu": False, "accelerator": torch.device("cuda"), "module": "torch.cuda", "float64": True,
    "generator": torch.device("cuda:0"), "scaler": True,
}  # fmt: skip
NVIDIA = {**CUDA, "cuda": True, "hip": False, "warp": 32}

ANSWERS: dict[str, dict[str, Any]] = {
    "4xv100": {
        **NVIDIA, "count": 4, "capability": (7, 0), "name": "Tesla V100-SXM2-16GB", "bf16 native": False, "tf32": False,
        "memory": 16, "free": 16, "processors": 80, "arches": ["sm_70"], "accelerators": 4,
    },
    "t4": {**NVIDIA, "count": 1, "capability": (7, 5), "bf16 native": False, "tf32": False},
    "a100-80": {**NVIDIA, "capability": (8, 0), "bf16 native": True, "tf32": True, "memory": 79},
    "2xh100": {**NVIDIA, "count": 2, "capability": (9, 0), "arches": ["sm_90"], "bf16 native": True},
    "rtx5090": {**NVIDIA, "capability": (12, 0), "arches": ["sm_120"]},
    "mi250x": {**CUDA, "cuda": False, "hip": True, "warp": 64, "gcn": "gfx90a", "tf32": False, "bf16 native": True},
    "mi300x": {**CUDA, "cuda": False, "hip": True, "capability": (9, 4), "gcn": "gfx942", "tf32": True},
    "cpu": {
        **NO_CUDA, "mps": (False, False), "accelerator": None, "accelerators": 0, "module": "torch.cpu",
        "float64": RuntimeError,
    },
    "m2": {
        **NO_CUDA, "mps": (True, True), "accelerator": torch.device("mps"), "accelerators": 1, "module": "torch.mps",
        "float64": False, "generator": torch.device("mps:0"),
    },
}  # fmt: skip


@pytest.mark.parametrize("believed", ANSWERS, indirect=True)
@sweep("question", QUESTIONS)
def test_answer(believed: str, question: str) -> None:
    if question not in ANSWERS[believed]:
        return
    expected = ANSWERS[believed][question]
    if isinstance(expected, type):
        with pytest.raises(expected):
            QUESTIONS[question]()
    else:
        assert QUESTIONS[question]() == expected


RUNS: dict[str, Callable[[], Any]] = {
    "housekeeping": lambda: (torch.cuda.synchronize(), torch.cuda.empty_cache(), torch.cuda.ipc_collect()),
    "one device": lambda: (torch.cuda.synchronize("cuda:3"), torch.cuda.memory_reserved(torch.device("cuda:2"))),
    "summary": lambda: torch.cuda.memory_summary(abbreviated=True),
    "snapshot": lambda: (torch.cuda.memory_snapshot(), torch.cuda.memory._snapshot()),
    "history": lambda: torch.cuda.memory._record_memory_history(max_entries=10),
    "resets": lambda: (torch.cuda.reset_peak_memory_stats(), torch.cuda.reset_accumulated_memory_stats()),
    "fraction": lambda: torch.cuda.set_per_process_memory_fraction(0.5, 1),
    "processes": lambda: (torch.cuda.list_gpu_processes(), torch.cuda.utilization(), torch.cuda.temperature()),
    "runtime": lambda: torch.cuda.check_error(torch.cuda.cudart().cudaProfilerStart()),
    "peers": lambda: torch.cuda.can_device_access_peer(0, 3),
    "debug": lambda: (torch.cuda.set_sync_debug_mode("warn"), torch.cuda.get_sync_debug_mode()),
    "profiler": lambda: (torch.cuda.profiler.start(), torch.cuda.profiler.stop()),
    "tunable": lambda: torch.cuda.tunable.is_enabled(),
    "flash": lambda: torch.backends.cuda.is_flash_attention_available(),
    "states": lambda: get_device_states(torch.zeros(1)),
    "nccl": lambda: torch.cuda.nccl.version(),
    "accelerator": lambda: (torch.accelerator.synchronize(), torch.accelerator.empty_cache()),
    "accelerator memory": lambda: (torch.accelerator.memory_stats(), torch.accelerator.max_memory_allocated()),
    "pool": lambda: (torch.cuda.MemPool().id, torch.cuda.get_allocator_backend()),
    "init": lambda: (torch.cuda.init(), torch.cuda.current_blas_handle(), torch.cuda._sleep(1)),
}


@pytest.mark.parametrize("believed", ["4xv100", "4xmi300x"], indirect=True)
@sweep("run", RUNS)
@pytest.mark.usefixtures("believed")
def test_runs(run: str) -> None:
    RUNS[run]()


@pytest.mark.parametrize("believed", ["4xv100"], indirect=True)
@pytest.mark.usefixtures("believed")
class TestFourV100:
    """Devices that switch, memory that is counted, cuDNN flags that go back."""

    def test_current_device(self) -> None:
        assert torch.cuda.current_device() == 0
        with torch.cuda.device(2):
            assert torch.cuda.current_device() == 2
            with torch.cuda.device("cuda:1"):
                assert torch.accelerator.current_device_index() == 1
            with torch.cuda.device(None), torch.cuda.device(-1), torch.cuda.device_of(torch.zeros(1)):
                assert torch.cuda.current_device() == 2
        torch.cuda.set_device(torch.device("cuda:3"))
        assert (torch.cuda.current_device(), torch.Generator("cuda").device.index) == (3, 3)
        torch.accelerator.set_device_index(1)
        assert torch.cuda.current_device() == 1

    def test_no_such_device(self) -> None:
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            torch.cuda.set_device(4)
        with pytest.raises(RuntimeError, match="invalid device ordinal"), torch.cuda.device(7):
            pytest.fail("there is no such device")
        with pytest.raises(AssertionError, match="Invalid device id"):
            torch.cuda.get_device_properties(4)
        with pytest.raises(ValueError, match="Expected a cuda device"):
            torch.cuda.set_device("cpu")

    def test_memory_is_what_is_counted(self, state: State) -> None:
        held = [state.account(0).take(GIB, ACTIVATIONS), state.account(0).take(2 * GIB, ACTIVATIONS)]
        held.append(state.account(1).take(5, ACTIVATIONS))
        assert (torch.cuda.is_initialized(), torch.cuda.memory_allocated()) == (False, 0)  # torch does not even ask
        torch.cuda.init()
        assert (torch.cuda.is_initialized(), torch.cuda.memory_allocated()) == (True, 3 * GIB)
        assert torch.cuda.memory_reserved(1) == 2 << 20
        assert torch.cuda.memory_stats(0)["allocated_bytes.all.current"] == 3 * GIB
        assert torch.cuda.mem_get_info()[1] - torch.cuda.mem_get_info()[0] == 3 * GIB
        del held[1]
        assert (torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()) == (GIB, 3 * GIB)
        assert torch.accelerator.max_memory_allocated() == 3 * GIB
        torch.cuda.reset_peak_memory_stats()
        assert torch.cuda.max_memory_allocated() == GIB

    def test_cudnn_flags(self) -> None:
        before = torch.backends.cudnn.benchmark
        with torch.backends.cudnn.flags(enabled=True, benchmark=not before):
            assert torch.backends.cudnn.benchmark is not before
        assert torch.backends.cudnn.benchmark is before

    def test_no_warning_of_autocast(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with torch.autocast("cuda", dtype=torch.bfloat16):
                assert torch.is_autocast_enabled("cuda")
