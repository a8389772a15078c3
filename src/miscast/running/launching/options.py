"""Read a program's options from its sources: argparse, click, typer, fire, Hydra, dataclasses.

    parser.add_argument("--bf16", action="store_true")         @click.option("--dtype", type=click.Choice(["fp16"]))
    def main(bf16: bool = False): …; typer.run(main)           class Arguments: dtype: Literal["fp16", "bf16"] = "fp16"

Only what is written down; nothing of it runs.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.syntax import last_name, nodes_of, parsed, text_of
from . import hydra
from .option import Option

_STARTS = ("typer.run", "fire.Fire", "tyro.cli", "Fire", "run")
_DEPTH = 3


def options(target: str) -> tuple[Option, ...]:
    """Return the options of a script and of the files next to it that it imports."""
    return tuple(
        option
        for path, tree in _trees(target)
        for option in (*read(tree), *hydra.offered(tree, path))
    )


def read(tree: ast.Module) -> Iterator[Option]:
    """Yield the options that one file declares."""
    file = _File(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _declared(node, file)
        elif isinstance(node, ast.ClassDef):
            yield from _fields(node, file)
        elif isinstance(node, ast.FunctionDef) and _is_command(node, file):
            for argument, default in _parameters(node):
                yield _typed(argument.arg, argument.annotation, default, "-", file)


@dataclass(slots=True)
class _File:
    """The values of a file's names (module-level constants, enumerations), and functions that are started."""

    tree: ast.Module
    values: dict[str, ast.expr] = field(default_factory=dict)
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.values[node.targets[0].id] = node.value
            if isinstance(node, ast.ClassDef) and _is_enum(node):
                self.enums[node.name] = _members(node)
        calls = list(nodes_of(self.tree, ast.Call))
        self.started |= {
            _name(call.args[0])
            for call in calls
            if call.args and ast.unparse(call.func) in _STARTS
        }

    def several(self, node: ast.expr | None) -> tuple[str, ...]:
        """Return the texts of a list, the keys of a table, or those of a name that refers to one."""
        # list(DTYPES), DTYPES.keys(), click.Choice([…])
        while isinstance(node, ast.Call):
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            node = node.args[0] if node.args else owner
        if isinstance(node, ast.Name):
            if node.id in self.enums:
                return self.enums[node.id]
            node = self.values.get(node.id)
        if isinstance(node, ast.Dict):
            return _texts(node.keys)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return _texts(node.elts)
        return ()


def _is_enum(node: ast.ClassDef) -> bool:
    return any(_name(base).endswith("Enum") for base in node.bases)


def _members(node: ast.ClassDef) -> tuple[str, ...]:
    return _texts(one.value for one in node.body if isinstance(one, ast.Assign))


def _declared(call: ast.Call, file: _File) -> Iterator[Option]:
    """Yield the options of `add_argument("--bf16", action=…)` and `@click.option("--half/--no-half")`."""
    if _name(call.func) not in ("add_argument", "option", "Option"):
        return
    names = [
        word
        for text in _texts(call.args)
        for word in text.split("/")
        if word.startswith("-")
    ]
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if any(name.startswith("--") for name in names):
        yield _flag(names, given) or Option(
            names=tuple(names),
            choices=file.several(given.get("choices"))
            or file.several(given.get("type")),
            default=_text(given.get("default")),
        )


def _flag(names: Sequence[str], given: Mapping[str | None, ast.expr]) -> Option | None:
    """Return an option that takes no value; None where it takes one."""
    on = tuple(name for name in names if not name.startswith("--no"))
    default, action = _text(given.get("default")), given.get("action")
    if _text(action) == "store_false":
        return Option(names=tuple(names), flag=True)
    if _name(action) == "BooleanOptionalAction" or 0 < len(on) < len(names):
        return Option(
            names=on or tuple(names), flag=True, off=_off(names, on), default=default
        )
    if _text(action) == "store_true" or _is(given.get("is_flag"), value=True):
        return Option(names=on or tuple(names), flag=True, default=default)
    return None


def _off(names: Sequence[str], on: Sequence[str]) -> str:
    """Return what sets a flag to False: its own name for that, or the one that argparse makes."""
    if len(on) == len(names):
        return f"--no-{on[0].lstrip('-')}"
    return next(name for name in names if name not in on)


def _fields(node: ast.ClassDef, file: _File) -> Iterator[Option]:
    """Yield the options of a dataclass's fields."""
    if any(_name(one) == "dataclass" for one in node.decorator_list):
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                yield _typed(one.target.id, one.annotation, one.value, "_", file)


def _typed(
    name: str,
    annotation: ast.expr | None,
    default: ast.expr | None,
    joint: str,
    file: _File,
) -> Option:
    """Return the option of a field or a parameter; its type gives the accepted values."""
    option = f"--{name.replace('_', joint)}"
    value = _default(default)
    kind = _name(annotation)
    if kind == "bool" or _is(value, value=True) or _is(value, value=False):
        return Option(
            names=(option,),
            flag=True,
            off=f"--no{joint}{option[2:]}",
            default=_text(value),
        )
    choices = tuple(
        text for node in nodes_of(annotation, ast.expr) for text in _literal(node)
    )
    # Precision.FP16
    if isinstance(value, ast.Attribute) and _name(value.value) in file.enums:
        value = None
    return Option(
        names=(option,),
        choices=choices or file.several(annotation),
        default=_text(value),
    )


def _default(node: ast.expr | None) -> ast.expr | None:
    """Return the default of `field(default=…)`, `typer.Option(…)`, `click.option(default=…)`, or the value itself."""
    if not isinstance(node, ast.Call):
        return node
    named = next(
        (keyword.value for keyword in node.keywords if keyword.arg == "default"), None
    )
    return named if named is not None else node.args[0] if node.args else None


def _literal(node: ast.expr) -> tuple[str, ...]:
    if not (isinstance(node, ast.Subscript) and _name(node.value) == "Literal"):
        return ()
    return _texts(
        node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    )


def _is_command(node: ast.FunctionDef, file: _File) -> bool:
    """Check whether a function's parameters are those of a command line."""
    return node.name in file.started or any(
        _name(one) == "command" for one in node.decorator_list
    )


def _parameters(node: ast.FunctionDef) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    plain, defaults = node.args.args, node.args.defaults
    yield from zip(plain[len(plain) - len(defaults) :], defaults, strict=True)
    yield from zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)


def _trees(target: str) -> Iterator[tuple[str, ast.Module]]:
    waiting, seen = [(target, _DEPTH)], set[str]()
    folder = os.path.dirname(os.path.abspath(target))
    while waiting:
        path, depth = waiting.pop(0)
        tree = parsed(text_of(path)) if path not in seen else None
        seen.add(path)
        if tree is not None:
            yield path, tree
            waiting += [
                (found, depth - 1)
                for found in _imported(tree, folder, os.path.dirname(path))
                if depth > 1
            ]


def _imported(tree: ast.Module, folder: str, own: str) -> Iterator[str]:
    """Yield the files of the script's folder that a file imports."""
    for node in ast.walk(tree):
        base = own if isinstance(node, ast.ImportFrom) and node.level else folder
        for name in _modules(node):
            path = os.path.join(base, *name.split("."))
            yield from filter(
                os.path.isfile, (f"{path}.py", os.path.join(path, "__init__.py"))
            )


def _modules(node: ast.AST) -> list[str]:
    """Return the modules that an import names; of `from . import a` that is `a`."""
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.name for alias in node.names]
    return []


def _name(node: ast.AST | None) -> str:
    """Return the last part of a name: "option" of `@click.option(…)`."""
    while isinstance(node, ast.Call):
        node = node.func
    return last_name(node)


def _is(node: ast.expr | None, *, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _text(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant) and node.value is not None:
        return str(node.value)
    return None


def _texts(nodes: Iterable[ast.expr | None]) -> tuple[str, ...]:
    return tuple(
        one.value
        for one in nodes
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    )
