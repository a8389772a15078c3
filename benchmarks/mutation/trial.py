"""Tests run on a changed copy of the repository, each time in a fork of a process that has torch loaded.

The copy's sources are imported anew in the fork, and by the processes that the tests start: one file is another.
"""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("src", "tests", "docs", "examples", "recipes", "benchmarks", "corpus", "hatch_build.py", "pyproject.toml",
         "Makefile", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "constraints.txt")  # fmt: skip
HEAVY = ("torch", "torch._dynamo", "torch.utils.data", "numpy", "rich.text", "rich.console", "libcst")
"""What takes long to import, and is no part of Miscast."""
PATIENCE = 20.0, 8.0
"""Seconds that any tests may take, and how many times as long as they took when they were recorded."""


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the repository, which ends with the block."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for part in PARTS:
            start = ROOT / part
            if start.is_dir():
                shutil.copytree(start, Path(folder, part), symlinks=True,
                                ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
            elif start.exists():
                shutil.copy2(start, Path(folder, part))
        yield Path(folder)


@contextmanager
def changed(file: Path, source: str) -> Iterator[None]:
    """Another source in a file, until the end of the block; no bytecode of it stays."""
    before = file.read_text(encoding="utf-8")
    file.write_text(source, encoding="utf-8")
    _forget(file)
    try:
        yield
    finally:
        file.write_text(before, encoding="utf-8")
        _forget(file)


def _forget(file: Path) -> None:
    for compiled in file.parent.glob(f"__pycache__/{file.stem}.*.pyc"):
        compiled.unlink()


@dataclass(slots=True, eq=False)
class Chosen:
    """A plugin of pytest's: exactly these tests, in this order; the first that failed, and how many passed."""

    tests: Sequence[str]
    failed: list[str] = field(default_factory=list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Take those that are asked for."""
        order = {name: index for index, name in enumerate(self.tests)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what failed."""
        if report.failed:
            self.failed.append(report.nodeid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What tests came to: those that failed, or that they could not be imported, or did not end."""

    failed: tuple[str, ...] = ()
    broken: bool = False
    late: bool = False
    seconds: float = 0.0
    output: str = ""

    @property
    def by(self) -> str:
        """What noticed the change: the first test that failed, "no import", "no end"; "" where nothing did."""
        if self.failed:
            return self.failed[0]
        return "no import" if self.broken else "no end" if self.late else ""


def load() -> None:
    """Import what no mutant changes, before the first fork."""
    for name in HEAVY:
        importlib.import_module(name)
    gc.freeze()


def run(tree: Path, tests: Sequence[str], seconds: float, *, all_of_them: bool = False) -> Outcome:
    """Run tests of a copy in a fork; up to the first that fails, unless `all_of_them`. They took `seconds` before."""
    begin, limit = time.monotonic(), PATIENCE[0] + PATIENCE[1] * seconds
    with tempfile.TemporaryFile() as output:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _child(tree, tests, output.fileno(), writing, all_of_them=all_of_them)
        os.close(writing)
        status = _waited(pid, begin + limit)
        with os.fdopen(reading, encoding="utf-8") as told:
            failed = tuple(told.read().split("\0")[:-1])
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    code = None if status is None else os.waitstatus_to_exitcode(status)
    return Outcome(failed=failed, broken=code not in (None, 0, 5) and not failed,
                   late=code is None, seconds=time.monotonic() - begin, output=text)  # fmt: skip


def _waited(pid: int, deadline: float) -> int | None:
    """How a fork ended; None: it was ended, with all that it started."""
    status = None
    while status is None and time.monotonic() < deadline:
        done, found = os.waitpid(pid, os.WNOHANG)
        status = found if done else None
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
    return status


def _is_of_the_repository(path: str) -> bool:
    return path.startswith(str(ROOT)) and not path.startswith(sys.prefix)  # its environment may lie within


def _child(tree: Path, tests: Sequence[str], output: int, writing: int, *, all_of_them: bool) -> None:
    """In the fork: pytest, as its command would run; never returns."""
    code = 3
    try:
        os.setsid()
        os.chdir(tree)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.environ |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        sys.path[:] = [str(tree / "src"), *(path for path in sys.path if not _is_of_the_repository(path))]
        chosen = Chosen(tests)
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        code = pytest.main(["-q", "-p", "no:cacheprovider", *([] if all_of_them else ["-x"]), *files], [chosen])
        os.write(writing, "".join(f"{name}\0" for name in dict.fromkeys(chosen.failed)).encode())
    finally:
        sys.stdout.flush()
        os._exit(code)
