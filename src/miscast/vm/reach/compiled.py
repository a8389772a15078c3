"""The program's own sources, compiled so that their branches call out, as a run comes to them."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import runpy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...running.launching import notebook
from ...running.process.patching import Patch, applied
from ..provenance.on_behalf import theirs
from ..provenance.origin import USER, kind_of_file
from .branches import (
    AGAIN,
    BEGUN,
    EACH,
    PASSED,
    ROUNDS,
    SUBJECT,
    TAKEN,
    THROUGH,
    told_apart,
)
from .ways import Ways


class _Compiling:
    """Sources made into code that calls out."""

    def __init__(self, ways: Ways) -> None:
        self._ways, self._compile = ways, builtins.compile

    def code(self, source: str | bytes, path: str, flags: int = 0) -> Any:
        """Compile the source; return None if it is not Python, an error that Python itself reports."""
        only_tree = flags | ast.PyCF_ONLY_AST
        try:
            tree = self._compile(source, path, "exec", only_tree, dont_inherit=True)
            first, loops = len(self._ways.branches), self._ways.loops
            branches = told_apart(tree, path, first, loops)
            code = self._compile(tree, path, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return None
        self._ways.add(branches, tree)
        return code


@contextmanager
def told(ways: Ways) -> Iterator[None]:
    """Report each branch of what is imported or run within the block to `ways`; that code reports until after the end.

    From Python 3.11 on: before, what a frame's instruction stands for is found by compiling its source again.
    """
    loader = importlib.machinery.SourceFileLoader
    get_code, compiled, ours = loader.get_code, builtins.compile, _Compiling(ways)

    def code_of(self: Any, name: str) -> Any:
        path, code = self.get_filename(name), None
        if kind_of_file(path) == USER:
            with suppress(OSError):
                code = ours.code(self.get_data(path), path)
        return code or theirs(get_code, self, name)

    def of_script(source: Any, file: Any, mode: str, *args: Any, **kwargs: Any) -> Any:
        is_users = isinstance(source, bytes) and kind_of_file(str(file)) == USER
        code = ours.code(source, file) if is_users and mode == "exec" else None
        return code or theirs(compiled, source, file, mode, *args, **kwargs)

    def of_cell(source: str, name: str, mode: str, flags: int, **how: bool) -> Any:
        return ours.code(source, name, flags) or theirs(
            compiled, source, name, mode, flags, **how
        )

    # not taken away afterwards: a program's thread or its end may still come to a branch
    names = TAKEN, PASSED, EACH, BEGUN, THROUGH, SUBJECT, ROUNDS, AGAIN
    calls = (
        *(ways.taken, ways.passed, ways.each, ways.begun),
        *(ways.through, ways.subject, ways.rounds_of, ways.again),
    )
    for name, call in zip(names, calls, strict=True):
        setattr(builtins, name, call)
    wanted = [
        Patch(loader, "get_code", code_of),
        Patch(runpy, "compile", of_script),
        Patch(notebook, "compile", of_cell),
    ]
    with applied(wanted):
        yield
