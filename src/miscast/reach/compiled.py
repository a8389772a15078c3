"""The program's own sources, compiled so that their branches call out, as a run comes to them."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..process.patching import Patch, applied
from ..provenance.origin import USER, kind_of_file
from .branches import BEGUN, EACH, PASSED, SUBJECT, TAKEN, told_apart
from .ways import Ways


@contextmanager
def told(ways: Ways) -> Iterator[None]:
    """What is imported or run from now on tells `ways` at each branch; what was, goes on to after the end.

    From Python 3.11 on: before, what a frame's instruction stands for is found by compiling its source again.
    """
    loader = importlib.machinery.SourceFileLoader
    get_code, compiled = loader.get_code, builtins.compile

    def code_of(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        if kind_of_file(path) != USER:
            return get_code(self, name)
        try:
            return _compiled(self.get_data(path), path)
        except (SyntaxError, ValueError, RecursionError, OSError):
            return get_code(self, name)  # which says it as Python does

    def of_script(source: Any, file: Any, mode: str, *args: Any, **kwargs: Any) -> Any:
        if (
            mode == "exec"
            and isinstance(source, bytes)
            and kind_of_file(str(file)) == USER
        ):
            try:
                return _compiled(source, file)
            except (SyntaxError, ValueError, RecursionError):
                pass
        return compiled(source, file, mode, *args, **kwargs)

    def _compiled(source: bytes, path: str) -> Any:
        tree = ast.parse(source, path)
        branches = told_apart(tree, path, len(ways.branches))
        code = compiled(tree, path, "exec", dont_inherit=True)
        ways.add(branches, tree)
        return code

    # not taken away afterwards: a program's thread or its end may still come to a branch
    for name, call in (
        (TAKEN, ways.taken),
        (PASSED, ways.passed),
        (EACH, ways.each),
        (BEGUN, ways.begun),
        (SUBJECT, ways.subject),
    ):
        setattr(builtins, name, call)
    with applied(
        [Patch(loader, "get_code", code_of), Patch(runpy, "compile", of_script)]
    ):
        yield
