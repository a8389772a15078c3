"""After a machine, torch is as it was: every attribute of every owner, by identity."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from types import ModuleType
from typing import Any

import pytest
import torch
import torch._dynamo

from miscast.core.machines import find
from miscast.running.process.patching import applied
from miscast.vm.torch_api.queries import State, forgotten, patches

MACHINES = ["cpu", "t4", "4xv100", "mi300x", "m1"]


def _touched(machine: str) -> list[Any]:
    owners = {id(patch.owner): patch.owner for patch in patches(find(machine), State())}
    return list(owners.values())


@pytest.mark.parametrize("machine", MACHINES)
def test_as_before(machine: str) -> None:
    owners = _touched(machine)
    before = [dict(vars(owner)) for owner in owners]

    def run() -> None:
        with applied(patches(find(machine), State())):
            torch.manual_seed(1)
            torch.cuda.is_bf16_supported()
            raise KeyError

    with pytest.raises(KeyError):
        run()
    for owner, kept in zip(owners, before, strict=True):
        assert vars(owner).keys() == kept.keys(), owner
        assert not [name for name, value in kept.items() if vars(owner)[name] is not value], owner


@pytest.mark.parametrize("machine", MACHINES)
def test_every_patch_is_in_effect(machine: str) -> None:
    state, described = State(), find(machine)
    names = {(id(patch.owner), patch.name) for patch in patches(described, state)}
    assert len(names) == len(list(patches(described, state))), "a name has one answer"


def test_caches_forget() -> None:
    with applied(patches(find("m1"), State())):
        assert torch.backends.mps.is_available()
        torch.accelerator.get_device_capability()
    with applied(patches(find("v100"), State())):
        assert torch.cuda.is_bf16_supported()
    with applied(patches(find("cpu"), State())):
        assert not torch.backends.mps.is_available()
        with pytest.raises(RuntimeError):
            torch.accelerator.get_device_capability()
        assert not torch.cuda.is_bf16_supported()


def test_libraries_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    module, kept = ModuleType("a_library"), object()

    @lru_cache
    def is_cuda_available() -> bool:
        return torch.cuda.is_available()

    @lru_cache
    def settings() -> object:
        return object()

    module.is_cuda_available, module.settings = is_cuda_available, settings  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_library", module)
    with applied(patches(find("cpu"), State())):
        assert not is_cuda_available()
        kept = settings()
    with forgotten(), applied(patches(find("v100"), State())):
        assert is_cuda_available()
    with applied(patches(find("cpu"), State())):
        assert not is_cuda_available()
    assert settings() is kept, "what does not speak of devices is remembered"


def test_machines_in_a_row() -> None:
    for name in ("h100", "cpu", "2xa100"):
        with applied(patches(find(name), State())):
            assert torch.cuda.device_count() == (find(name).count if name != "cpu" else 0)


def test_xpu() -> None:
    before = {name: value for name, value in vars(torch.xpu).items() if not name.startswith("__")}
    with forgotten(), applied(patches(find("2xmax1100"), State())):
        assert (torch.xpu.is_available(), torch.xpu.device_count(), torch.cuda.is_available()) == (True, 2, False)
        assert torch.xpu.get_device_name(1) == "Intel(R) Data Center GPU Max 1100"
        assert torch.xpu.is_bf16_supported()
        assert torch.xpu.get_device_properties().has_fp64
        assert torch.xpu.get_device_capability()["gpu_eu_count"] == 448
        assert torch.accelerator.current_accelerator() == torch.device("xpu")
        assert torch.get_device_module() is torch.xpu
        with torch.xpu.device(1):
            assert torch.xpu.current_device() == 1 == torch.xpu.current_stream().device_index
        torch.xpu.set_device("xpu:1")
        torch.xpu.manual_seed_all(3)
        torch.manual_seed(4)
        assert torch.xpu.initial_seed() == 4
        with torch.random.fork_rng(devices=[0], device_type="xpu"):
            torch.xpu.manual_seed(9)
        assert torch.Generator("xpu").device == torch.device("xpu:1")
        stream, happened = torch.xpu.Stream(), torch.xpu.Event(enable_timing=True)
        with torch.xpu.stream(stream):
            happened.record()
            assert torch.xpu.current_stream() == stream
        assert torch.xpu.mem_get_info()[1] > 45 << 30
        assert torch.xpu.memory_allocated() == 0
        torch.xpu.reset_peak_memory_stats()
        torch.xpu.empty_cache()
        torch.xpu.synchronize()
    assert not torch.xpu.is_available()
    assert before == {name: value for name, value in vars(torch.xpu).items() if not name.startswith("__")}


NPU = """
import torch, torch._dynamo
from miscast.core.machines import find
from miscast.running.process.patching import applied
from miscast.vm.torch_api.queries import State, patches
before = set(vars(torch)), set(vars(torch.Tensor))
with applied(patches(find("2xascend910b"), State())):
    import torch_npu
    assert torch_npu.npu is torch.npu
    assert torch.npu.is_available() and torch.npu.device_count() == 2 and not torch.cuda.is_available()
    assert torch.npu.is_bf16_supported() and torch.npu.get_device_name(0).startswith("Ascend910B")
    assert torch.accelerator.current_accelerator() == torch.device("npu")
    assert torch.get_device_module("npu") is torch.npu is torch.get_device_module()
    with torch.npu.device(1):
        assert torch.npu.current_device() == 1 == torch.npu.current_stream().device_index
    torch.npu.set_device("npu:1")
    torch.npu.manual_seed_all(3); torch.manual_seed(4)
    assert torch.npu.initial_seed() == 4
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        torch.npu.manual_seed(9)
    assert torch.Generator("npu").device == torch.device("npu:1")
    with torch.npu.stream(torch.npu.Stream()):
        e = torch.npu.Event(enable_timing=True); e.record()
    assert torch.npu.mem_get_info()[1] > 60 << 30 and torch.npu.memory_allocated() == 0
    assert hasattr(torch.zeros(1), "npu") and not torch.zeros(1).is_npu
assert before == (set(vars(torch)), set(vars(torch.Tensor)))
try:
    import torch_npu
except ImportError:
    print("fine")
"""


def test_npu() -> None:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", NPU], capture_output=True, text=True, check=False, env=env)
    assert (ran.stdout, ran.returncode) == ("fine\n", 0), ran.stderr
