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
from .branches import NAMES, told_apart
from .ways import Ways


@contextmanager
def told(ways: Ways) -> Iterator[None]:
    """Report each branch of what is imported or run within the block to `ways`; that code reports until after the end.

    From Python 3.11 on: before, what a frame's instruction stands for is found by compiling its source again.
    """
    loader = importlib.machinery.SourceFileLoader
    get_code, compiled = loader.get_code, builtins.compile

    def ours(source: str | bytes, path: str, flags: int = 0) -> Any:
        """Compile a source so that it calls out; return None if it is not Python, an error that Python reports."""
        only_tree = flags | ast.PyCF_ONLY_AST
        try:
            tree = compiled(source, path, "exec", only_tree, dont_inherit=True)
            branches = told_apart(tree, path, len(ways.branches), ways.loops)
            code = compiled(tree, path, "exec", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return None
        ways.add(branches, tree)
        return code

    def code_of(self: Any, name: str) -> Any:
        path, code = self.get_filename(name), None
        if kind_of_file(path) == USER:
            with suppress(OSError):
                code = ours(self.get_data(path), path)
        return code or theirs(get_code, self, name)

    def of_script(source: Any, file: Any, mode: str, *args: Any, **kwargs: Any) -> Any:
        is_users = isinstance(source, bytes) and kind_of_file(str(file)) == USER
        code = ours(source, file) if is_users and mode == "exec" else None
        return code or theirs(compiled, source, file, mode, *args, **kwargs)

    def of_cell(source: str, name: str, mode: str, flags: int, **how: bool) -> Any:
        return ours(source, name, flags) or theirs(
            compiled, source, name, mode, flags, **how
        )

    # not taken away afterwards: a program's thread or its end may still come to a branch
    for method, name in NAMES.items():
        setattr(builtins, name, getattr(ways, method))
    wanted = [
        Patch(loader, "get_code", code_of),
        Patch(runpy, "compile", of_script),
        Patch(notebook, "compile", of_cell),
    ]
    with applied(wanted):
        yield
