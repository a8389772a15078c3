"""Many checks in one process: what stays between them has no effect on torch, does not grow, and holds nothing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import miscast
from miscast.vm.fallback import handled
from miscast.vm.key import KEY, KEYSET, Exclude
from miscast.vm.machine import VirtualMachine

OPS = ("add.Tensor", "mm", "linear", "native_layer_norm", "to.dtype")
MANY = 200  # ops from which on shapes are remembered


def chain(count: int) -> torch.Tensor:
    x = torch.ones(2, 2)
    for _ in range(count):
        x = x + x
    return x


@pytest.fixture(autouse=True)
def _first() -> None:
    miscast.check(chain, 1)


@pytest.mark.parametrize("machine", ["cpu", "v100"])
@pytest.mark.parametrize("count", [1, MANY])
def test_kernels_are_those_from_before(machine: str, count: int) -> None:
    before = [torch._C._dispatch_dump(f"aten::{op}") for op in OPS]
    assert miscast.check(chain, count, machine=machine).ops > count
    assert [torch._C._dispatch_dump(f"aten::{op}") for op in OPS] == before


def test_ordinary_ops_do_not_meet_it() -> None:
    files: list[str] = []
    x, y = torch.ones(2), torch.empty(2, device="meta")
    miscast.check(chain, MANY)
    sys.setprofile(lambda frame, event, _arg: files.append(frame.f_code.co_filename) if event == "call" else None)
    try:
        torch.mul(x, x)
        assert files == []
        torch.add(y, y)
    finally:
        sys.setprofile(None)
    assert files, "torch's own meta kernel is Python"
    assert not [file for file in files if file.startswith(str(Path(miscast.__file__).parent))]


def test_the_key_alone_changes_nothing() -> None:
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    with torch._C._IncludeDispatchKeyGuard(KEY):
        (x @ x).sum().backward()
        with pytest.raises(RuntimeError, match="same dtype"):
            x.half() @ x
    assert x.grad is not None
    assert x.grad.tolist() == [[3, 7], [5, 9]]


def test_a_thread_that_outlives_its_check() -> None:
    ended, results = threading.Event(), []

    def later() -> None:
        ended.wait(20)
        results.append(torch.ones(3).sum().item())

    threads = [threading.Thread(target=later, daemon=True)]
    report = miscast.check(threads[0].start)
    assert report.ended is None
    ended.set()
    threads[0].join(20)
    assert results == [3]


def test_handled_until_the_end_also_by_an_error() -> None:
    seen: list[str] = []

    def handler(op: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(op.name())
        with Exclude(KEYSET):
            return op(*args, **kwargs)

    def run() -> None:
        with handled(handler), torch._C._IncludeDispatchKeyGuard(KEY):
            torch.ones(2)
            with pytest.raises(RuntimeError, match="cannot be nested"), handled(handler):
                pytest.fail("the body must not run")
            raise KeyError

    with pytest.raises(KeyError):
        run()
    assert seen == ["aten::ones"]
    with torch._C._IncludeDispatchKeyGuard(KEY):
        torch.ones(2)
    assert seen == ["aten::ones"]


@pytest.mark.parametrize("machine", ["cpu", "v100"])
def test_no_state_from_one_to_the_next(machine: str) -> None:
    first = miscast.check(torch.mm, torch.ones(2, 2), torch.ones(2, 2).half(), machine=machine)
    for _ in range(3):
        assert miscast.check(torch.mm, torch.ones(2, 2), torch.ones(2, 2), machine=machine).findings == ()
        again = miscast.check(torch.mm, torch.ones(2, 2), torch.ones(2, 2).half(), machine=machine)
        assert again.findings[0].message == first.findings[0].message
        assert again.ops == first.ops


@pytest.mark.parametrize("machine", ["cpu", "v100"])
def test_nothing_grows(machine: str) -> None:
    x = torch.ones(3)

    def objects(checks: int) -> int:
        for _ in range(checks):
            miscast.check(torch.add, x, x, machine=machine)
        gc.collect()
        return len(gc.get_objects())

    objects(5)
    before = objects(5)
    assert objects(50) < before + 50


def test_a_name_taken_between_two_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    here = sys.modules[__name__]
    monkeypatch.setattr(here, "taken", torch.cuda.is_available, raising=False)
    assert miscast.check(lambda: taken(), machine="v100").result is True  # type: ignore[name-defined]  # noqa: F821, PLW0108
    assert taken() is False  # type: ignore[name-defined]  # noqa: F821


def test_a_model_made_between_two_checks() -> None:
    for _ in range(3):
        layer = torch.nn.Linear(2, 2)
        gc.collect()
        assert miscast.check(lambda: layer.half().weight.dtype == torch.float16).result is True  # noqa: B023
        assert layer.weight.dtype is torch.float32


def test_beside_a_scripted_module() -> None:
    scripted = torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))
    weight = scripted.weight.tolist()
    report = miscast.check(chain, 1)
    assert (report.ended, report.findings) == (None, ())
    assert scripted.weight.tolist() == weight


def test_the_same_machine_again() -> None:
    vm = VirtualMachine(miscast.core.machines.find("v100"))
    for _ in range(2):
        with vm.on():
            assert torch.cuda.is_available()
            assert chain(MANY).shape == (2, 2)
        assert not torch.cuda.is_available()


def test_what_an_earlier_program_left_is_not_told_of():
    left = []

    def program():
        model = torch.nn.Linear(2, 2, device="meta")
        model(torch.ones(1, 2, device="meta")).sum().backward()
        model.weight.data = torch.empty(2, 2)
        left.append(torch.optim.SGD(model.parameters(), lr=0.1))

    miscast.check(program, machine="cpu")
    assert left[0].param_groups[0]["params"][0].grad is not None
    assert miscast.check(lambda: torch.ones(2) + 1, machine="cpu").findings == ()


def test_numbers_of_the_modules_that_it_imports_stay(tmp_path):
    """A number that stands in for another is not taken for it elsewhere: a hub's retries are set to 1 for the run."""
    (tmp_path / "of_its_own.py").write_text("ONE, FIVE, YES = 1, 5, True\n")
    code = (
        "import miscast\n"
        "def program():\n"
        "    import huggingface_hub.utils._http, of_its_own\n"
        "    assert huggingface_hub.utils._http.http_backoff.__kwdefaults__['max_retries'] == 1\n"
        "report = miscast.check(program)\n"
        "import of_its_own\n"
        "print(report.ended, of_its_own.ONE, of_its_own.FIVE, of_its_own.YES)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )  # fmt: skip
    assert found.stdout == "None 1 5 True\n"
