"""The precision switches of a program's command line, and the runs that they stand for besides the one that was asked.

    parser.add_argument("--bf16", action="store_true")               ("--bf16",)
    parser.add_argument("--dtype", choices=["fp16", "bf16"])         ("--dtype", "fp16"), ("--dtype", "bf16")

Only what `argparse` is told in the script itself, as plain text; nothing of it runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..syntax import parsed

_FLAG = re.compile(r"--(use[-_])?(fp16|bf16|half|float16|bfloat16|fp32|float32|full)$")
_OPTION = re.compile(r"--(\w+[-_])*(dtype|precision|mixed[-_]precision)$")
_VALUE = re.compile(r"(no|fp|bf|float|bfloat|half|full|single|tf)[\w-]*$|(16|32)([-_](mixed|true))?$")
_MOST = 4
"""So many other runs at most: each takes as long as the program."""


def others(source: str, args: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Arguments of other runs of a script: those given, each with one precision switch set otherwise."""
    tree = parsed(source)
    found: dict[tuple[str, ...], None] = {}
    for names, node in _options(tree) if tree is not None else ():
        name = next((name for name in names if _FLAG.match(name) or _OPTION.match(name)), None)
        if name is None:
            continue
        place = _place(names, args)
        flag = _is_flag(node)
        if flag and _FLAG.match(name) and place is None:
            found.setdefault((*args, name))
        elif not flag and _OPTION.match(name):
            rest = args if place is None else (*args[: place[0]], *args[place[1] :])
            for choice in _choices(node, None if place is None else args[place[1] - 1].rpartition("=")[2]):
                found.setdefault((*rest, name, choice))
    return tuple(found)[:_MOST]


def told(args: Sequence[str]) -> str:
    """What such arguments say beside those that were given: "--bf16", "--dtype fp16"."""
    last = args[-2:] if len(args) > 1 and _OPTION.match(args[-2]) else args[-1:]
    return " ".join(last)


def _options(tree: ast.AST) -> Iterator[tuple[list[str], ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if any(name.startswith("--") for name in names):
                yield names, node


def _is_flag(node: ast.Call) -> bool:
    action = next((keyword.value for keyword in node.keywords if keyword.arg == "action"), None)
    return isinstance(action, ast.Constant) and action.value == "store_true"


def _choices(node: ast.Call, given: str | None) -> list[str]:
    """Those of precision, but the one that is in force."""
    values = {keyword.arg: keyword.value for keyword in node.keywords}
    default, choices = values.get("default"), values.get("choices")
    if given is None and isinstance(default, ast.Constant):
        given = str(default.value)
    elements = choices.elts if isinstance(choices, (ast.List, ast.Tuple, ast.Set)) else []
    texts = [one.value for one in elements if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return [text for text in texts if text != given and _VALUE.match(text)]


def _place(names: Sequence[str], args: Sequence[str]) -> tuple[int, int] | None:
    """From where to where an option stands among the arguments, with its value."""
    for index, word in enumerate(args):
        if word in names:
            return index, min(index + 2, len(args))
        if word.partition("=")[0] in names:
            return index, index + 1
    return None
