"""How many of a program's lines with tensor work ran, or are named with what kept them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miscast.vm.reach.words import work_of

from .suites import Place, every_suite

_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Of the lines with tensor work that the program could come to; `missed` are neither run nor named."""

    lines: int
    ran: int
    named: int
    missed: tuple[str, ...]


def share(file: Path, begun: set[Place], blocks: Sequence[dict[str, Any]]) -> Share:
    """Of one source. What is spoken of nowhere in what ran or is named is dead code, and left out.

    A function that a block calls which is named, and not run, is named with it.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    path = str(file)
    called = {name for one in blocks if not one["forced"] for name in one["does"]}
    named = {line for one in blocks if one["file"] == path for line in range(one["first"], one["last"] + 1)}
    live = {(path, suite[0].lineno): suite for suite in every_suite(tree)}
    ran = {id(suite) for place, suite in live.items() if place in begun} | {id(tree.body)}
    work = list(_working(tree, ""))
    spoken = _spoken([one for suite, _, one in work if id(suite) in ran or one.lineno in named])
    counted = [(suite, one) for suite, owner, one in work if id(suite) in ran or not owner or owner in spoken]
    owners = {id(one): owner for _, owner, one in work}
    left = [one for suite, one in counted if id(suite) not in ran]
    missed = [one for one in left if one.lineno not in named and owners[id(one)] not in called]
    return Share(
        lines=len(counted),
        ran=sum(id(suite) in ran for suite, _ in counted),
        named=len(left) - len(missed),
        missed=tuple(f"{file.name}:{one.lineno}: {ast.unparse(one)}"[:100] for one in missed),
    )


def _spoken(statements: Sequence[ast.stmt]) -> set[str]:
    nodes = [node for one in statements for node in ast.walk(one)]
    return {getattr(node, "id", "") or getattr(node, "attr", "") for node in nodes}


def _working(node: ast.AST, owner: str) -> Iterator[tuple[list[ast.stmt], str, ast.stmt]]:
    """Simple statements with tensor work, each with its suite and the function that it is in."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        part = getattr(node, name, None)
        if not isinstance(part, list):
            continue
        for one in part:
            if isinstance(one, _SIMPLE) and work_of([one])[0]:
                yield part, owner, one
            inner = one.name if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) else owner
            if not isinstance(one, ast.expr):
                yield from _working(one, inner)
