"""After a check the process is as before: attributes, registrations, modes, random state, however the program ended."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import torch._dynamo
import torch.distributed as dist

from miscast.core.machines import find
from miscast.running.process.patching import Patch
from miscast.running.program.run import run_callable, run_program
from miscast.vm.machine import VirtualMachine
from miscast.vm.torch_api import patches as patch_files

KEY = "TESTING_ONLY_GenericMode"
MACHINES = ["cpu", "2xv100", "m1"]


def train() -> None:
    """Touches as much of torch as a program may."""
    torch.manual_seed(7)
    random.seed(7)
    np.random.seed(7)  # noqa: NPY002 - the state that programs change
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)
    torch.autograd.set_detect_anomaly(mode=True)
    os.environ["SET_BY_THE_PROGRAM"] = "1"
    torch.set_default_device("cpu")
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    model = torch.compile(torch.nn.Linear(4, 4))
    with torch.enable_grad():
        model(torch.randn(2, 4)).sum().backward()
    torch.utils.data.DataLoader(torch.arange(8), num_workers=2).__iter__()
    dist.init_process_group("gloo", rank=0, world_size=1)
    threading.Thread(target=lambda: torch.ones(2).sum()).start()  # not joined


def fails() -> None:
    """Ends by an error of its own, in a region and a mode."""
    train()
    with torch.autocast("cpu"), torch.device("cpu"):
        raise ValueError("mine")


def interrupted() -> None:
    train()
    raise KeyboardInterrupt


def exits() -> None:
    train()
    sys.exit(3)


def raises_inside_an_op() -> None:
    torch.ones(2, 3) @ torch.ones(2, 3)


PROGRAMS = [train, fails, interrupted, exits, raises_inside_an_op]


def _attributes(owners: list[Any]) -> list[dict[str, Any]]:
    return [dict(owner if isinstance(owner, dict) else vars(owner)) for owner in owners]


def _owners(machine: str) -> list[Any]:
    """Whatever a patch replaces something of."""
    vm = VirtualMachine(find(machine))
    owners: dict[int, Any] = {}
    for patch in patch_files._all(vm):
        assert isinstance(patch, Patch)
        owners[id(patch.owner)] = patch.owner
    return [*owners.values(), torch.nn.functional, torch.distributed, torch.utils.data]


def _state() -> dict[str, Any]:
    return {
        "default dtype": torch.get_default_dtype(),
        "default device": torch.get_default_device(),
        "grad": torch.is_grad_enabled(),
        "anomaly": torch.is_anomaly_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "threads": torch.get_num_threads(),
        "autocast": [(k, torch.is_autocast_enabled(k), torch.get_autocast_dtype(k)) for k in ("cpu", "cuda")],
        "torch seed": torch.get_rng_state().tolist(),
        "python seed": random.getstate(),
        "numpy seed": np.random.get_state()[1].tolist(),  # noqa: NPY002
        "argv": list(sys.argv),
        "path": list(sys.path),
        "main": sys.modules["__main__"],
        "excepthook": sys.excepthook,
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "distributed": dist.is_initialized(),
        "cuda": torch.cuda.is_available(),
        "registered": torch._C._dispatch_has_kernel_for_dispatch_key("aten::add.Tensor", KEY),
        "switched on": torch._C._dispatch_tls_is_dispatch_key_included(torch._C._dispatch_key_parse(KEY)),
        "modes": torch.overrides._get_current_function_mode_stack(),
    }


def _behaves() -> None:
    """Torch does what torch does."""
    x = torch.arange(4.0).reshape(2, 2)
    assert x.device.type == "cpu"
    assert not x.is_meta
    assert (x @ x).tolist() == [[2, 3], [6, 11]]
    with pytest.raises(RuntimeError, match="same dtype"):
        x.half() @ x
    layer = torch.nn.Linear(2, 2)
    layer(x).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.tolist() == [[2, 4], [2, 4]]
    assert x.numpy().sum() == 6
    with pytest.raises((RuntimeError, AssertionError)):
        torch.zeros(1).cuda()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("machine", MACHINES)
def test_as_before(machine: str, program: Callable[[], None]) -> None:
    owners = _owners(machine)
    before, state = _attributes(owners), _state()
    trace, _ = run_callable(program, (), {}, find(machine))
    assert (trace.ended is None) == (program is train)
    for owner, old, new in zip(owners, before, _attributes(owners), strict=True):
        assert old.keys() == new.keys(), getattr(owner, "__name__", owner)
        assert not [name for name in old if old[name] is not new[name]], getattr(owner, "__name__", owner)
    after = _state()
    assert {name: after[name] for name in state if after[name] != state[name]} == {}
    _behaves()


def test_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, os; sys.path.append('/nowhere'); sys.argv.append('x'); os.chdir('/'); value = 1\n")
    before = _state()
    run_program(str(script), ("--flag",), find("cpu"))
    assert _state() == before


@pytest.fixture
def imported_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module that takes torch's functions by name, and is imported by the program."""
    names = "save, load, compile, zeros"
    (tmp_path / "takes_names.py").write_text(
        f"from torch import {names}\nfrom torch.cuda import is_available\nfrom torch.distributed import all_reduce\n"
        "from torch import Tensor\ntable = [Tensor.to]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "takes_names"
    sys.modules.pop("takes_names", None)


def test_imported_modules_hold_originals(imported_late: str) -> None:
    def program() -> None:
        module = __import__(imported_late)
        assert module.is_available()

    trace, _ = run_callable(program, (), {}, find("v100"))
    assert trace.ended is None
    module: ModuleType = sys.modules[imported_late]
    for name in ("save", "load", "compile", "zeros"):
        assert getattr(module, name) is getattr(torch, name), name
    assert module.is_available is torch.cuda.is_available
    assert module.all_reduce is dist.all_reduce


def test_refuses_to_nest() -> None:
    def inner() -> None:
        torch.ones(1, device="cuda").sum()

    def outer() -> None:
        run_callable(inner, (), {}, find("v100"))

    trace, _ = run_callable(outer, (), {}, find("v100"))
    assert trace.ended is not None
    assert "check" in trace.ended
    _behaves()


def test_real_tensors_stay_real() -> None:
    model, x = torch.nn.Linear(4, 2), torch.ones(1, 4)
    weight, expected = model.weight, model(x).tolist()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)

    def step() -> None:
        model.half().cuda()(x.cuda().half()).sum().backward()
        optimizer.step()

    trace, _ = run_callable(step, (), {}, find("v100"))
    assert trace.ended is None
    assert model.weight is weight
    assert not weight.is_meta
    assert weight.dtype == torch.float32
    assert weight.grad is None
    assert model(x).tolist() == expected
    assert x.tolist() == [[1, 1, 1, 1]]


def test_nothing_is_kept() -> None:
    def count() -> int:
        gc.collect()
        return sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())

    def program() -> None:
        model = torch.nn.Linear(64, 64, device="cuda")
        model(torch.randn(2, 64, device="cuda")).sum().backward()

    run_callable(program, (), {}, find("v100"))
    before = count()
    for _ in range(3):
        run_callable(program, (), {}, find("v100"))
    assert count() <= before + 2


FORKS = """
import os, sys
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
"""


def test_children_do_not_report(tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    code = "import sys; from miscast.running.program.run import run_program; from miscast.core.machines import find; "
    code += f"print(run_program({str(script)!r}, (), find('cpu')).ended)"
    environment = {**os.environ, "PYTHONPATH": "src"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert ran.stdout == "None\n", ran.stderr


def test_a_module_that_was_compiled_keeps_no_hooks() -> None:
    module = torch.nn.Linear(4, 4)
    run_callable(lambda: torch.compile(module)(torch.randn(2, 4)), (), {}, find("cpu"))
    assert not module._forward_hooks
    assert not module._forward_pre_hooks
