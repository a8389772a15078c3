"""A fault put where no run comes to by itself: behind a condition, beside the sound statement.

    optimizer.step()   ->   if _pass % 50 == 0:
                                injured()
                            else:
                                optimizer.step()
"""

from __future__ import annotations

import ast
import textwrap

from .injury import Injury

_HEAD = '_pass, _loss, _extra, _mode = 1, 2.5, False, "usual"\n'
WAYS = {
    "counter": "if _pass % 50 == 0:\n{fault}\nelse:\n{sound}",
    "end": "if _pass == 999:\n{fault}\nelse:\n{sound}",
    "value": "if _loss < 0.5:\n{fault}\nelse:\n{sound}",
    "flag": "if not _extra:\n{sound}\nelse:\n{fault}",
    "case": 'match _mode:\n  case "usual":\n{sound}\n  case "other":\n{fault}',
    "handler": "try:\n{sound}\nexcept ArithmeticError:\n{fault}",
}
"""The conditions, by what they hang on. Each names what nothing else does."""


def hidden(injury: Injury, way: str) -> str | None:
    """The source with the fault behind a condition; None if it is not one whole simple statement."""
    lines = injury.source.splitlines()
    before, after = lines[: injury.first - 1], lines[injury.last :]
    fault, sound = injury.injured, injury.original
    if not (_is_simple(fault) and _is_simple(sound)):
        return None
    margin = fault[: len(fault) - len(fault.lstrip())]
    parts = {
        name: textwrap.indent(textwrap.dedent(one), "    ")
        for name, one in (("fault", fault), ("sound", sound))
    }
    both = textwrap.indent(WAYS[way].format(**parts), margin)
    text = "\n".join([*before, both, *after]) + "\n"
    return _with_head(text)


def _is_simple(text: str) -> bool:
    try:
        body = ast.parse(textwrap.dedent(text)).body
    except SyntaxError:  # "return" is one outside of a function
        return False
    return len(body) == 1 and isinstance(body[0], (ast.Assign, ast.AugAssign, ast.Expr))


def _with_head(text: str) -> str | None:
    """The names that the conditions ask, behind the docstring and what comes from the future."""
    try:
        body = ast.parse(text).body
    except SyntaxError:  # a text over several lines was indented
        return None
    last = 0
    for node in body:
        if not isinstance(node, ast.Expr) and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or 0
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:last], _HEAD, *lines[last:]])
