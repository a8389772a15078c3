"""One line of a program's source as advice needs it: parsed though it may be a part, read, and written anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def parse(code: str) -> ast.stmt | None:
    """The first statement of a line of source, also where it opens a block; None if it is only a part of one."""
    found = statements(code)
    return found[0] if found else None


def statements(code: str) -> list[ast.stmt]:
    """All of a line's statements, those of a definition that stands on one line with their own."""
    for text in (code, f"{code}\n pass", code.rstrip(",")):
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return [inner for one in body for inner in (one, *getattr(one, "body", ()))]
    return []


def target(code: str) -> str:
    """The name that a line sets to a value: "x", "self.mean"; "" if it sets none or several."""
    tree = parse(code)
    if (
        isinstance(tree, ast.Assign)
        and len(tree.targets) == 1
        and not isinstance(tree.targets[0], ast.Tuple)
    ):
        return ast.unparse(tree.targets[0])
    return ""


def parts(node: ast.AST) -> Iterator[ast.expr]:
    """What a call or an operation computes with: arguments, sides, and the tensors of a list."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    if isinstance(node, ast.Call):
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from (
                argument.elts
                if isinstance(argument, (ast.List, ast.Tuple))
                else (argument,)
            )


def call_of(tree: ast.stmt | None, name: str) -> ast.Call | None:
    """The first call of a function on a line, whoever owns it."""
    for node in ast.walk(tree) if tree else ():
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func).rpartition(".")[2] == name
        ):
            return node
    return None


def shared_name(call: ast.Call, beside: str) -> str | None:
    """`latent`, if the call already reads `latent`'s shape and `latent` stands on the line where they meet."""
    other = parse(beside)
    if other is None:
        return None
    names = {
        node.id
        for node in ast.walk(other)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for node in ast.walk(call):
        if not isinstance(node, ast.Attribute) or node.attr not in (
            "shape",
            "size",
            "device",
            "ndim",
        ):
            continue
        if isinstance(node.value, ast.Name) and node.value.id in names - {"self"}:
            return node.value.id
    return None


def with_keywords(call: ast.Call, **keywords: str) -> str:
    """The call with these keywords set, its other arguments left out if they are long."""
    kept = [ast.unparse(argument) for argument in call.args]
    for keyword in call.keywords:
        if keyword.arg is None:
            kept.append(f"**{ast.unparse(keyword.value)}")
        elif keyword.arg not in keywords:
            kept.append(f"{keyword.arg}={ast.unparse(keyword.value)}")
    shown = kept if len(", ".join(kept)) <= 48 else ["…"]
    written = [f"{name}={value}" for name, value in keywords.items()]
    return f"{ast.unparse(call.func)}({', '.join([*shown, *written])})"


def short(code: str) -> str:
    """Code that fits into a sentence."""
    return code if len(code) <= 60 else code[:59] + "…"
