"""Who failed: the program, or torch for it, or Miscast itself? A case per way in which an exception comes."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import miscast
from miscast import commands
from miscast.cli import main
from miscast.running.process import everywhere
from miscast.vm.dispatch import Dispatcher
from miscast.vm.judging.verdict import Judge


def raises() -> None:
    raise KeyError("mine")


def unreadable() -> None:
    class Own(Exception):  # noqa: N818 - a program's
        def __str__(self) -> str:
            raise ValueError

    raise Own


def deep() -> None:
    deep()


def shapes() -> None:
    torch.ones(2, 3) @ torch.ones(2, 3)


def bad_argument() -> None:
    torch.ones(2).sum(dim="x")  # type: ignore[arg-type]


def bad_index() -> None:
    torch.ones(2)[5]


def no_file() -> None:
    torch.load("/nowhere/x.pt")


def no_folder() -> None:
    torch.save({}, "/nowhere/x.pt")


def no_command() -> None:
    subprocess.check_output(["/nowhere/nvidia-smi"])


def callback() -> None:
    def wrong(*_: Any) -> Any:
        raise LookupError("mine")

    torch.save({"x": torch.ones(2)}, "own.pt")
    torch.load("own.pt", map_location=wrong)


def spawned() -> None:
    torch.multiprocessing.spawn(lambda rank: {}[rank], nprocs=2)


def no_copy() -> None:
    class Own:
        def __deepcopy__(self, _: Any) -> Any:
            raise AssertionError("mine")

    torch.save({"x": Own()}, "own.pt")


def hook() -> None:
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda _: {}["mine"])
    (x * 2).sum().backward()


def packs() -> None:
    with torch.autograd.graph.saved_tensors_hooks(lambda _: {}["mine"], lambda x: x):
        torch.ones(2, requires_grad=True).exp()


def data() -> None:
    class Own(torch.utils.data.Dataset[Any]):
        def __len__(self) -> int:
            return 3

        def __getitem__(self, _: int) -> Any:
            raise OSError("mine")

    list(torch.utils.data.DataLoader(Own()))


THEIRS = [raises, unreadable, deep, shapes, bad_argument, bad_index, no_file, no_folder, no_command, callback, spawned,
          no_copy, hook, packs, data]  # fmt: skip


@pytest.mark.parametrize("program", THEIRS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("machine", ["cpu", "a100"])
def test_the_programs(program: Callable[[], None], machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    report = miscast.check(program, machine=machine)
    assert report.failed is None
    assert str(report.ended).startswith("the program raised ")
    assert program.__name__ in report.traceback
    assert "runpy" not in report.traceback
    assert "in theirs" not in report.traceback.split(program.__name__)[0]


def broken(*_: Any, **__: Any) -> Any:
    raise KeyError("x")


def test_miscasts_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "__call__", broken)
    report = miscast.check(lambda: torch.ones(2) + torch.ones(2))
    assert str(report.failed).startswith("Miscast itself failed: KeyError: 'x' at miscast/vm/dispatch.py:")
    assert "test_whose_failure.py:" in str(report.failed).split("while the program was at")[1]
    assert report.ended is not None
    assert "in broken" in report.traceback


def test_the_program_swallows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless() -> None:
        with contextlib.suppress(Exception):
            torch.ones(2) + torch.ones(2)

    monkeypatch.setattr(Dispatcher, "made", broken)
    report = miscast.check(careless)
    assert report.ended is None
    assert "KeyError: 'x'" in str(report.failed)


def test_half_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.ones, torch.save, torch.cuda.is_available
    monkeypatch.setattr(everywhere, "_holders", broken)
    report = miscast.check(torch.ones, 2, machine="a100")
    assert "while it entered or left the machine" in str(report.failed)
    assert (torch.ones, torch.save, torch.cuda.is_available) == before
    monkeypatch.undo()
    assert miscast.check(torch.ones, 2, machine="a100").failed is None


def test_an_escape_is_no_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    alone = [replace(command, run=broken) for command in commands.known() if command.name == "machines"]
    monkeypatch.setattr("miscast.cli.known", lambda *_: alone)
    assert main(["machines"]) == 2
    assert capsys.readouterr().err == "miscast: failed: KeyError: 'x'\n"
    monkeypatch.setenv("MISCAST_TRACEBACK", "1")
    assert main(["machines"]) == 2
    assert "in broken" in capsys.readouterr().err
