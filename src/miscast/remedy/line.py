"""One line of a program's source as advice needs it: parsed though it may be a part, read, and written anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..event import Call, Location, Operand
from ..syntax import nodes_of
from .calls import called

_NO_NUMBERS = frozenset({"shape", "size", "device", "ndim"})
"""What a factory's call reads of the tensor that it goes by."""


def statements_at(location: Location | None) -> list[ast.stmt]:
    """All statements of a line, those of a definition that stands on one line with their own."""
    code = location.code if location else ""
    for text in (code, f"{code}\n pass", code.rstrip(",")):
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return [inner for one in body for inner in (one, *getattr(one, "body", ()))]
    return []


def statement_at(location: Location | None) -> ast.stmt | None:
    """The first statement of a line, also where it opens a block; None if it is only a part of one."""
    return next(iter(statements_at(location)), None)


def nodes_at(location: Location | None) -> Iterator[ast.AST]:
    """That statement and all within it, the outermost first."""
    return nodes_of(statement_at(location), ast.AST)


def target(location: Location) -> str:
    """The name that a line sets to a value: "x", "self.mean"; "" if it sets none or several."""
    match statement_at(location):
        case ast.Assign(targets=[one]) if not isinstance(one, ast.Tuple):
            return ast.unparse(one)
    return ""


def writes(call: Call, operand: Operand) -> bool:
    """Check whether a call writes to an operand, also as its line says: `total += loss`."""
    statement = statement_at(call.location)
    added = isinstance(statement, ast.AugAssign) and ast.unparse(statement.target)
    return added == operand.name or call.writes_to(operand)


def parts(node: ast.AST) -> Iterator[ast.expr]:
    """What a call or an operation computes with: arguments, sides, and the tensors of a list."""
    match node:
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.Call(args=arguments, keywords=keywords):
            for one in (*arguments, *(keyword.value for keyword in keywords)):
                yield from (
                    one.elts if isinstance(one, (ast.List, ast.Tuple)) else (one,)
                )


def parents_of(tree: ast.AST | None) -> dict[ast.AST, ast.AST]:
    """What each node of a tree stands in, the outermost nodes first."""
    nodes = nodes_of(tree, ast.AST)
    return {child: node for node in nodes for child in ast.iter_child_nodes(node)}


def call_at(location: Location | None, name: str) -> ast.Call | None:
    """The first call of a function on a line, whoever owns it."""
    calls = nodes_of(statement_at(location), ast.Call)
    return next((node for node in calls if called(node) == name), None)


def shared_name(call: ast.Call, beside: Location | None) -> str | None:
    """`latent`, if the call already reads `latent`'s shape and `latent` stands on the line where they meet."""
    named = nodes_of(statement_at(beside), ast.Name)
    names = {node.id for node in named if isinstance(node.ctx, ast.Load)}
    for node in nodes_of(call, ast.Attribute):
        name = ast.unparse(node.value)
        if node.attr in _NO_NUMBERS and name in names - {"self"}:
            return name
    return None


def with_keywords(call: ast.Call, **keywords: str) -> str:
    """The call with these keywords set, its other arguments left out if they are long."""
    kept = [
        ast.unparse(argument)
        for argument in (*call.args, *call.keywords)
        if not isinstance(argument, ast.keyword) or argument.arg not in keywords
    ]
    shown = kept if len(", ".join(kept)) <= 48 else ["…"]
    written = [f"{name}={value}" for name, value in keywords.items()]
    return f"{ast.unparse(call.func)}({', '.join([*shown, *written])})"


def short(code: str) -> str:
    """Code that fits into a sentence."""
    return code if len(code) <= 60 else code[:59] + "…"
