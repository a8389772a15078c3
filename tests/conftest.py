"""What all tests share: modules beside this file are importable from every folder, and the options of `pytest`.

    python -m pytest --ring quick                 rings.py says which there are
    python -m pytest --record-durations           write which tests are slow
    python -m pytest -k KEY --entry 'matmul*'     sweep.py: some entries of a table
    python -m pytest --renew tests/programs       write the golden files of tests anew: look at the difference
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from rings import DURATIONS, SLOW, is_run, mark_slow

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of a thousand processes would compile Miscast again
os.environ.setdefault("MISCAST_GPU_FOLDERS", f"{os.devnull}:{os.devnull}")  # no test hangs on this computer's GPU
os.environ.setdefault("OMP_NUM_THREADS", "1")  # who waits for a thread spins, on the core of the test beside it

GOLDEN = "2.13.0+cpu"  # the torch of the golden files


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ring", choices=("quick", "ci", "all"), default="all", help="run these tests (tests/rings.py)")
    parser.addoption("--entry", default="*", metavar="GLOB", help="of sweeps over a table, run the entries named so")
    parser.addoption("--changed-since", metavar="REV", help="run what changes since then can affect (affected.py)")
    parser.addoption("--renew", action="store_true", help="write golden files anew, in place of comparing with them")
    parser.addoption("--record-durations", action="store_true", help=f"write {DURATIONS.name}")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recording())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_slow(items)
    ring, base = config.getoption("--ring"), config.getoption("--changed-since")
    run = [item for item in items if is_run(item, ring)]
    if base:
        from affected import affected_tests

        files = affected_tests(base)
        run = [item for item in run if item.path in files]
    config.hook.pytest_deselected(items=[*set(items).difference(run)])
    items[:] = run


def pytest_collection_finish() -> None:
    _set_aside()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    try:
        return (yield)
    finally:
        if nextitem is not None and nextitem.path != item.path:
            _set_aside()


def _set_aside() -> None:
    """Let no check look for tensors that a program left among a million objects of modules, items and earlier files."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def all_objects() -> Iterator[None]:
    """Let `gc` find the objects from before the test, too."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with that of a file, or write it there."""

    def same(file: Path, text: str) -> None:
        import torch

        text = text.replace(f"torch {torch.__version__}", f"torch {GOLDEN}")
        if request.config.getoption("--renew"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return same


@pytest.fixture(autouse=True)
def _accelerate_forgets() -> Iterator[None]:
    """accelerate keeps its state for the whole process: what a test's Trainer chose is nothing to the next test."""
    yield
    if state := sys.modules.get("accelerate.state"):
        state.GradientState._reset_state()
        state.AcceleratorState._reset_state(reset_partial_state=True)


@pytest.fixture(autouse=True)
def _as_torch_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test before decide: torch's own tests forbid flags, and its compiler switches checks of arguments off."""
    if torch := sys.modules.get("torch"):
        monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", __debug__)
        monkeypatch.setitem(torch.backends.flags_frozen.__globals__, "__allow_nonbracketed_mutation_flag", True)


class Recording:
    """Sum what set-up, call and teardown of each test take, and write it for those that ran."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = json.loads(DURATIONS.read_text("utf-8")) | {name: round(took, 2) for name, took in self.seconds.items()}
        slow = {name: took for name, took in known.items() if took >= SLOW and _is_there(name)}
        text = json.dumps(slow, indent=0, ensure_ascii=False, sort_keys=True)
        DURATIONS.write_text(f"{text}\n", encoding="utf-8")


def _is_there(name: str) -> bool:
    return Path(__file__).parents[1].joinpath(name.partition("::")[0]).exists()
