"""Who imports whom in the package, read off its sources."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import miscast

ROOT = Path(miscast.__file__).parent
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sorted(ROOT.rglob("*.py"))}
LAYERS = tomllib.loads((Path(__file__).parent / "layers.toml").read_text("utf-8"))["layers"]
LISTED = {one for layer in LAYERS for one in layer}


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of a file's syntax tree, from above."""
    return tuple(ast.walk(ast.parse(path.read_bytes())))


def imported(name: str, path: Path, *, annotations: bool = True) -> Iterator[tuple[str, int]]:
    """The modules of Miscast that a file imports, wherever in it, with the line; a package is its `__init__`."""
    package = name.split(".")[:-1]
    typing = [n for n in nodes(path) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    left_out = set() if annotations else {inner for block in typing for inner in ast.walk(block)}
    for node in nodes(path):
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
    """What has a layer: the file or the package of `layers.toml` that a module is in, or the one below `miscast`."""
    parts = name.split(".")
    within = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((one for one in within if one in LISTED), parts[0])


def needed() -> dict[str, set[str]]:
    """Which parts each part imports, but for annotations; not what it reaches by way of another that it imports."""
    needs: dict[str, set[str]] = {}
    for name, path in FILES.items():
        others = {part(other) for other, _ in imported(name, path, annotations=False) if other not in ("", "__init__")}
        needs.setdefault(part(name), set()).update(others - {part(name)})
    behind: dict[str, set[str]] = {}
    for layer in LAYERS:
        for one in layer:
            behind[one] = needs.get(one, set()).union(*(behind[other] for other in needs.get(one, ())))
    return {one: {a for a in others if not any(a in behind[b] for b in others)} for one, others in needs.items()}
