"""Imports go one way between the parts of the package, and in no circle within one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from imports import FILES, LAYERS, imported, nodes, part
from sweep import sweep

LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}


def test_every_part_has_one_layer():
    assert sorted(map(part, FILES)) == sorted(part(name) for name in FILES if part(name) in LEVEL)
    assert len(LEVEL) == sum(map(len, LAYERS)) == len({part(name) for name in FILES})


@sweep("name", [name for name in FILES if name != "__init__"])
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
    for node in nodes(path):
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
