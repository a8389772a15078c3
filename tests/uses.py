"""What the definitions of the package use, read off its sources.

A definition is a function, a class, or what a module does when it is imported. It uses what its names stand for. Files
that are found by discovery are used by who discovers them. Of a module that is passed on as a value all is used.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import miscast
from imports import FILES, module as _module

Definition = tuple[str, str]
"""A module, by its name below `miscast`, and a name in it; "" is what its import does."""


class Module:
    """What the definitions of a file use, by name."""

    def __init__(self, name: str, path: Path) -> None:
        """Read a file; `name` is "" for one outside of the package."""
        self.name, self.package = name, name.split(".")[:-1] if name else None
        tree = ast.parse(path.read_bytes())
        self.definitions: dict[str, ast.stmt] = {}
        rest: list[ast.stmt] = []
        for statement in tree.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.definitions[statement.name] = statement
            else:
                rest.append(statement)
        self.imports = dict(_imports([node for one in rest for node in _run(one)], self.package))
        self.bodies = {"": rest, **{name: [one] for name, one in self.definitions.items()}}

    def uses(self, definition: str) -> Iterator[Definition]:
        """The definitions that one uses, of this module and of others."""
        nodes = [node for statement in self.bodies[definition] for node in _run(statement)]
        bound = self.imports | dict(_imports(nodes, self.package))
        for node in nodes:
            if isinstance(node, ast.Attribute) and (path := _dotted(node)):
                yield from _named(path, bound)
            elif isinstance(node, ast.Name):
                if node.id in self.definitions and self.name:
                    yield self.name, node.id
                if node.id in bound:
                    yield from _named([node.id], bound)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from _spelled(node.value)
            elif isinstance(node, ast.Call):
                yield from self._discovered(node, bound)
        for target in bound.values():
            yield from _imported(target)

    def _discovered(self, call: ast.Call, bound: Mapping[str, str]) -> Iterator[Definition]:
        """`load(folder.__name__, …)` and `import_module(f"{__name__}.{name}")`: all files of a folder."""
        function = ast.unparse(call.func)
        if not call.args or function not in ("load", "import_module", "importlib.import_module"):
            return
        first = ast.unparse(call.args[0])
        folder = first.partition(".")[0]
        if isinstance(call.args[0], ast.Constant) and first.startswith("'."):
            name = first.strip("'").lstrip(".")
            level = len(first.strip("'")) - len(name)
            package = self.package or []
            if module := _module([*package[: len(package) - level + 1], *name.split(".")]):
                yield from _all_of(module)
        elif first.endswith("__name__") and folder in bound:
            yield from _below(bound[folder])
        elif "__name__" in first and self.name.endswith("__init__") and self.name != "__init__":
            yield from _below(".".join(self.package or []))


def _imports(statements: Iterable[ast.AST], package: list[str] | None) -> Iterator[tuple[str, str]]:
    """By the name it gets, what is imported of the package: "vm.machine", "api.check"; "" is the package itself."""
    for node in statements:
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "miscast":
                    yield (one.asname, one.name[8:]) if one.asname else ("miscast", "")
        elif isinstance(node, ast.ImportFrom):
            base = (node.module or "").split(".") if node.module else []
            if node.level and package is not None:
                base = [*package[: len(package) - node.level + 1], *base]
            elif not node.level and base[:1] == ["miscast"]:
                base = base[1:]
            else:
                continue
            for one in node.names:
                yield one.asname or one.name, ".".join([*base, one.name])


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """What runs of a statement: no annotations, and nothing that is there for a type checker."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns") or (field == "body" and _is_for_types(node)):
            continue
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST):
                yield from _run(inner)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _dotted(node: ast.Attribute) -> list[str]:
    """["miscast", "machines", "find"] of `miscast.core.machines.find`; nothing of what begins with no name."""
    parts, here = [node.attr], node.value
    while isinstance(here, ast.Attribute):
        parts, here = [here.attr, *parts], here.value
    return [here.id, *parts] if isinstance(here, ast.Name) else []


def _named(path: list[str], bound: Mapping[str, str]) -> Iterator[Definition]:
    """What a dotted name stands for."""
    if path[0] in bound:
        yield from _resolved([*filter(None, bound[path[0]].split(".")), *path[1:]], whole=len(path) == 1)


def _resolved(parts: list[str], *, whole: bool) -> Iterator[Definition]:
    """The definition that a path in the package names; of a module that is passed on as a value, the `whole` of it."""
    for size in range(len(parts), -1, -1):
        module, rest = _module(parts[:size]), parts[size:]
        if not module:
            continue
        if rest:
            yield from _of(module, rest[0])
        elif whole and parts:
            yield from _all_of(module)
        return


def _of(module: str, name: str) -> Iterator[Definition]:
    """A name of a module, followed to where it is defined."""
    known = modules()[module]
    if name in known.definitions:
        yield module, name
    elif name in known.imports:
        yield from _resolved(known.imports[name].split("."), whole=True)
    elif module == "__init__":  # its names are loaded when they are used
        for home, names in miscast._HOMES.items():
            if name in names:
                yield from _of(_module([home]), name)
    yield module, ""


def _imported(target: str) -> Iterator[Definition]:
    """What runs when something is imported."""
    parts = [*filter(None, target.split("."))]
    for size in range(len(parts) + 1):
        if module := _module(parts[:size]):
            yield module, ""


def _spelled(text: str) -> Iterator[Definition]:
    """The module whose full name a constant is."""
    if text.startswith("miscast.") and (module := _module(text.split(".")[1:])):
        yield from _all_of(module)


def _all_of(module: str) -> Iterator[Definition]:
    return ((module, one) for one in modules()[module].bodies)


def _below(package: str) -> Iterator[Definition]:
    prefix = f"{package}." if package else ""
    for name in modules():
        if name.startswith(prefix) and "." not in name[len(prefix) :].removesuffix(".__init__"):
            yield from _all_of(name)


@cache
def modules() -> Mapping[str, Module]:
    """All files of the package."""
    return {name: Module(name, path) for name, path in FILES.items()}


@cache
def users() -> Mapping[Definition, set[Definition]]:
    """By definition, those that use it."""
    found: defaultdict[Definition, set[Definition]] = defaultdict(set)
    for name, module in modules().items():
        for definition in module.bodies:
            for used in module.uses(definition):
                if (name, used) != ("cli", ("commands.__init__", "known")):  # a test says which command it runs
                    found[used].add((name, definition))
    return found


def in_text(text: str) -> Iterator[Definition]:
    """What code in a text uses."""
    for path in re.findall(r"\bmiscast((?:\.\w+)+)", text):
        yield from _resolved(path.split(".")[1:], whole=True)
    for path, names in re.findall(r"\bfrom miscast([.\w]*) import ([\w, ]+)", text):
        for name in re.findall(r"\w+", names):
            yield from _resolved([*path.split(".")[1:], name], whole=True)
