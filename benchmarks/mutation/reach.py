"""Which tests reach which statement: the sources count, each test and whatever processes it starts.

Each statement of a function sets a byte of a file that all processes map into their memory: a fork has the mapping from
the process that it comes from, also in a box whose files are others. A plugin of pytest's reads and clears it after
each test.
"""

from __future__ import annotations

import ast
import json
import mmap
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from . import trial
from .changes import FUNCTIONS

HITS, FOUND = "MUTATION_HITS", "MUTATION_FOUND"
"""The variables of the environment that name the mapped file, and the one for what was found."""
NAME = "mutation_hits"
_MODULE = f"""\
import mmap, os
with open(os.environ[{HITS!r}], "r+b") as file:
    hits = mmap.mmap(file.fileno(), 0)
"""
_IMPORT = f"from {NAME} import hits as _mutation_hits_"


def statements(tree: ast.Module) -> list[ast.stmt]:
    """The statements of all functions, docstrings left out."""
    inside = {id(node): node for function in ast.walk(tree) if isinstance(function, FUNCTIONS)
              for block in _blocks(function) for node in block}  # fmt: skip
    return [node for node in inside.values() if not _is_text(node)]


def _blocks(function: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for _, block in ast.iter_fields(node):
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def counting(source: str, first: int) -> tuple[str, int]:
    """A file whose statements set the bytes from `first` on; and the one after the last."""
    tree = ast.parse(source)
    numbers = {id(node): number for number, node in enumerate(statements(tree), first)}
    for function in [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]:
        for block in _blocks(function):
            block[:] = [new for node in block for new in (*_count(numbers.pop(id(node), None)), node)]
    at = next((i for i, node in enumerate(tree.body) if not (_is_text(node) or _is_future(node))), len(tree.body))
    tree.body[at:at] = ast.parse(_IMPORT).body
    return ast.unparse(tree), first + len(statements(ast.parse(source)))


def _count(number: int | None) -> Sequence[ast.stmt]:
    return () if number is None else ast.parse(f"_mutation_hits_[{number}] = 1").body


def instrument(package: Path, files: Sequence[str]) -> dict[str, int]:
    """Let files of a copied package count; the first number of each. The package itself opens the file first."""
    (package.parent / f"{NAME}.py").write_text(_MODULE, encoding="utf-8")
    first, begins = 0, {}
    for file in files:
        begins[file] = first
        text, first = counting((package / file).read_text(encoding="utf-8"), first)
        (package / file).write_text(text, encoding="utf-8")
    start = package / "__init__.py"
    text, _ = counting(start.read_text(encoding="utf-8"), first)
    start.write_text(text, encoding="utf-8")
    return begins | {"": first + 1000}


class Reached:
    """A plugin of pytest's: what each test that passes reached, and how long it took."""

    def __init__(self, hits: mmap.mmap) -> None:
        """`hits`: a byte for each statement, of all processes."""
        self._hits, self._empty = hits, bytes(len(hits))
        self._seconds = 0.0
        self._passed = True
        self.found: dict[str, tuple[float, list[int]]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After set-up, call and teardown."""
        begun = report.when == "setup"
        self._seconds = report.duration + (0 if begun else self._seconds)
        self._passed = report.outcome == "passed" and (begun or self._passed)
        if report.when == "teardown":
            if self._passed:
                reached = [number for number, hit in enumerate(self._hits[:]) if hit]
                self.found[report.nodeid] = round(self._seconds, 3), reached
            self._hits[:] = self._empty

    def pytest_sessionfinish(self) -> None:
        """Write it."""
        Path(os.environ[FOUND]).write_text(json.dumps(self.found), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Called where this file is a plugin: `pytest -p mutation.reach`."""
    with Path(os.environ[HITS]).open("r+b") as file:
        config.pluginmanager.register(Reached(mmap.mmap(file.fileno(), 0)))


def reached(kept: Path | None, files: Sequence[str], tests: Sequence[str]) -> dict[str, Any]:
    """What tests reach of files below `src/miscast`: as it was kept, or recorded on an instrumented copy.

    "found" has the seconds of each test and the numbers of statements, which "begins" counts by file.
    """
    if kept is not None and kept.exists():
        told: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return told
    with trial.copied() as tree:
        begins = instrument(tree / "src" / "miscast", files)
        found = tree / "found.json"
        record(tree, tests, begins, found)
        told = {"begins": begins, "found": json.loads(found.read_text(encoding="utf-8"))}
    if kept is not None:
        kept.write_text(json.dumps(told), encoding="utf-8")
    return told


def record(tree: Path, tests: Sequence[str], begins: Mapping[str, int], found: Path) -> int:
    """Run tests of an instrumented copy of the repository; the exit code of pytest's."""
    hits = tree / "hits"
    hits.write_bytes(bytes(begins[""]))
    path = os.pathsep.join([str(tree / "src"), str(Path(__file__).parents[1])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "mutation.reach", *tests]
    env = os.environ | {HITS: str(hits), FOUND: str(found), "PYTHONPATH": path}
    return subprocess.run(command, cwd=tree, env=env, check=False).returncode
