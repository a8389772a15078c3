"""Which suites of a program begin, in the run and in all of its forks: a file that they share has their first lines."""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from miscast.core.syntax import suites
from miscast.vm.reach import compiled

_BEGUN = "__reaching_begun__"
Place = tuple[str, int]


@contextmanager
def written_down(log: Path) -> Iterator[None]:
    """What `reach` compiles in this block, and its forks run, writes each suite that begins into `log`, once each."""
    told_apart = compiled.told_apart
    known: set[Place] = set()
    with log.open("ab", buffering=0) as file:

        def begun(path: str, line: int) -> None:
            if (path, line) not in known:
                known.add((path, line))
                os.write(file.fileno(), f"{path}:{line}\n".encode())

        def and_suites(tree: ast.Module, path: str, first: int) -> Any:
            found = told_apart(tree, path, first)
            for suite in every_suite(tree):
                suite.insert(0, _call(suite[0], path))
            return found

        setattr(builtins, _BEGUN, begun)
        compiled.told_apart = and_suites
        try:
            yield
        finally:
            compiled.told_apart = told_apart


def read(log: Path) -> set[Place]:
    """The suites that began, each by its file and its first line."""
    places = (line.rpartition(":") for line in log.read_text(encoding="utf-8").splitlines())
    return {(file, int(line)) for file, _, line in places}


def every_suite(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a tree but for a module's own, which begins with the run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield from (suite for suite in suites(child) if suite)
            yield from every_suite(child)


def _call(at: ast.stmt, path: str) -> ast.stmt:
    where: Sequence[ast.expr] = (ast.Constant(path), ast.Constant(at.lineno))
    call = ast.Expr(ast.Call(func=ast.Name(id=_BEGUN, ctx=ast.Load()), args=[*where], keywords=[]))
    for node in ast.walk(call):
        ast.copy_location(node, at)
    return call


