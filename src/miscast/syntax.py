"""Python sources as text and as trees: of a script, of a frame's file, of a line. No torch, and nothing runs."""

from __future__ import annotations

import ast
import linecache
import os
from functools import lru_cache


@lru_cache(maxsize=32)  # each finding asks for the files of its frames, over and over
def parsed(source: str) -> ast.Module | None:
    """The tree; None for what is no Python. Whoever gets it leaves it as it is."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parsed_file(file: str) -> ast.Module | None:
    """The tree of a file as tracebacks see it; None for what is no Python, as the cell of a notebook that is gone."""
    return parsed("".join(linecache.getlines(file))) if file else None


def text_of(target: str, most: int = -1) -> str:
    """The text of a script, up to `most` characters; "" for a module, a command, and a pipe, which can be read once."""
    if not os.path.isfile(target):
        return ""
    try:
        with open(target, encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except OSError:  # told when it is to be run
        return ""


def last_name(node: ast.AST | None) -> str:
    """Of `exit` and `sys.exit` "exit"; empty for what has no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
