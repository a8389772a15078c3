"""Imports go one way between the parts of the package, and in no circle within one."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import miscast

ROOT = Path(miscast.__file__).parent
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(ROOT.rglob("*.py"))}
LAYERS = tomllib.loads((Path(__file__).parent / "layers.toml").read_text("utf-8"))["layers"]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def imported(name: str, path: Path, *, annotations: bool = True) -> Iterator[tuple[str, int]]:
    """The modules of Miscast that a file imports, wherever in it, with the line; a package is its `__init__`."""
    package = name.split(".")[:-1]
    tree = ast.parse(path.read_bytes())
    typing = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    left_out = set() if annotations else {inner for block in typing for inner in ast.walk(block)}
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            for one in node.names:
                yield module([*base, one.name]) or module(base), node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("miscast."):
            base = node.module.split(".")[1:]
            for one in node.names:
                yield module([*base, one.name]) or module(base), node.lineno


def module(parts: list[str]) -> str:
    """The name in FILES; "" if there is no such module."""
    return next((name for name in (".".join(parts), ".".join([*parts, "__init__"])) if name in FILES), "")


def part(name: str) -> str:
    """What has a layer: a file or a package right below `miscast`."""
    return name.split(".", maxsplit=1)[0]


def test_every_part_has_one_layer():
    assert sorted(map(part, FILES)) == sorted(part(name) for name in FILES if part(name) in LEVEL)
    assert len(LEVEL) == sum(map(len, LAYERS)) == len({part(name) for name in FILES})


@pytest.mark.parametrize("name", [name for name in FILES if name != "__init__"])
def test_a_file_imports_only_from_its_part_and_from_those_before(name):
    wrong = [
        f"{FILES[name]}:{line} imports {other}"
        for other, line in imported(name, FILES[name])
        if part(other) != part(name) and LEVEL[part(other)] >= LEVEL[part(name)]
    ]
    assert wrong == []


def test_no_import_circle():
    """Not by lazy imports either; what only annotations need is no dependency."""
    needs = {
        name: {other for other, _ in imported(name, path, annotations=False) if other not in ("", name)}
        for name, path in FILES.items()
        if name != "__init__"
    }
    while leaves := {name for name in needs if not needs[name] & needs.keys()}:
        for name in leaves:
            del needs[name]
    behind = {name for others in needs.values() for name in others}
    assert sorted(name for name in needs if name in behind) == []


def private(path: Path) -> Iterator[str]:
    """The private names of torch in a file; `torch._C` alone is where its C++ functions are found, and replaced."""
    inner: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{one.name}" for one in node.names if node.module.split(".")[0] == "torch")
        elif isinstance(node, ast.Attribute) and node not in inner:
            parts, here = [node.attr], node.value
            while isinstance(here, ast.Attribute):
                inner.add(here)
                parts, here = [here.attr, *parts], here.value
            if isinstance(here, ast.Name) and here.id == "torch" and parts[0] != "ops":
                yield ".".join(["torch", *parts])


def test_a_private_name_of_torch_stands_in_one_file():
    found: dict[str, set[str]] = {}
    for name, path in FILES.items():
        for one in private(path):
            if re.search(r"\._[^_]", one) and one != "torch._C":
                found.setdefault(one, set()).add(name)
    assert {one: names for one, names in found.items() if len(names) > 1} == {}
