"""Python sources as text and as trees: of a script, of a frame's file, of a line. No torch, and nothing runs."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)


@lru_cache(maxsize=32)  # each finding asks for the files of its frames, over and over
def parsed(source: str) -> ast.Module | None:
    """Return the syntax tree; None for invalid Python. Callers must not change it."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parsed_file(file: str) -> ast.Module | None:
    """Return the tree of a file as tracebacks see it; None for invalid Python, or a notebook's cell that is gone."""
    return parsed("".join(linecache.getlines(file))) if file else None


def text_of(target: str, most: int = -1) -> str:
    """Return the text of a script, up to `most` characters.

    "" for a module, a command, and a pipe, which can be read once.
    """
    if not os.path.isfile(target):
        return ""
    try:
        with open(target, encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except OSError:  # told when it is to be run
        return ""


def nodes_of(tree: ast.AST | None, *kinds: type[Node]) -> Iterator[Node]:
    """Return the nodes of some kinds in a tree, the outermost first; empty without a tree.

    A file is walked once: who edits its tree finds the nodes that were there before.
    """
    if isinstance(tree, ast.Module):
        return iter(_of_file(tree, kinds))
    nodes = ast.walk(tree) if tree else ()
    return (node for node in nodes if isinstance(node, kinds))


@lru_cache(maxsize=8)
def _walked(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


@lru_cache(maxsize=64)
def _of_file(tree: ast.Module, kinds: tuple[type[Node], ...]) -> tuple[Node, ...]:
    return tuple(node for node in _walked(tree) if isinstance(node, kinds))


def names_set(tree: ast.AST) -> set[str]:
    """Return the names that a tree sets; what a comprehension goes through is nobody else's."""
    loops = nodes_of(tree, ast.comprehension)
    own = {name for loop in loops for name in nodes_of(loop.target, ast.Name)}
    names = nodes_of(tree, ast.Name)
    return {
        one.id for one in names if isinstance(one.ctx, ast.Store) and one not in own
    }


def suites(node: ast.AST) -> list[list[ast.stmt]]:
    """Return the lists of statements right under a node, except those of its handlers and cases."""
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [suite for suite in found if isinstance(suite, list)]


def names_in(tree: ast.AST) -> Iterator[str]:
    """Return the names and the attributes that are spoken of in a tree."""
    return map(last_name, nodes_of(tree, ast.Name, ast.Attribute))


def paths_read(test: ast.expr | None) -> list[ast.expr]:
    """Return the names and paths of attributes that are read, except those of called functions."""
    found: list[ast.expr] = []
    waiting: list[ast.AST] = [test] if test else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.Name, ast.Attribute)):
            found.append(node)
        elif isinstance(node, ast.Call):
            waiting += [*node.args, *(one.value for one in node.keywords)]
        else:
            waiting += ast.iter_child_nodes(node)
    return found


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Yield the texts that are written out in a tree."""
    for node in nodes_of(tree, ast.Constant):
        if isinstance(node.value, str):
            yield node.value


def dotted(node: ast.expr) -> str:
    """Return "a.b.c" for names and attributes, ".b.c" for attributes of other expressions, else ""."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *parts))
    return ".".join(("", *parts)) if parts else ""


def last_name(node: ast.AST | None) -> str:
    """Return the last part of a name: "exit" for `exit` and `sys.exit`; empty if there is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
