"""Every private name of torch that the package uses is declared, and a torch that lacks one is refused by name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import miscast
from miscast.running import torch_abi
from sweep import sweep

PACKAGE = Path(miscast.__file__).parent


def used(file: Path) -> Iterator[str]:
    """Yield the private names below `torch` that a file imports or spells out."""
    tree = ast.parse(file.read_text("utf-8"))
    spelled = {"torch": "torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch" and not node.level:
            for alias in node.names:
                spelled[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("torch."))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, *rest = dotted(node)
            if first in spelled:
                yield ".".join((spelled[first], *rest))


def dotted(node: ast.AST) -> list[str]:
    """Return the parts of `a.b.c`; [""] for what is no name."""
    if isinstance(node, ast.Name):
        return [node.id]
    return [*dotted(node.value), node.attr] if isinstance(node, ast.Attribute) else [""]


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def test_every_private_name_is_declared():
    declared = {f"torch.{name}" for name in (*torch_abi.names(), *torch_abi._ELSEWHERE.split())}
    files = [file for file in PACKAGE.rglob("*.py") if file.name != "torch_abi.py"]
    names = {(name, file.name) for file in files for name in used(file) if is_private(name)}
    assert len(names) > 80

    def is_declared(name):
        return any(name == one or name.startswith(f"{one}.") or one.startswith(f"{name}.") for one in declared)

    assert sorted(one for one in names if not is_declared(one[0])) == []


def test_nothing_is_missing_here():
    assert torch_abi.missing() == ()


@sweep("name", torch_abi.names())
def test_what_is_hidden_is_named(name, monkeypatch):
    *path, last = name.split(".")
    owner = functools.reduce(getattr, path, torch)

    def hidden(one, part):
        return not (one is owner and part == last) and hasattr(one, part)

    monkeypatch.setattr(torch_abi, "hasattr", hidden, raising=False)
    assert torch_abi.missing() == (f"torch.{name}",)
    with pytest.raises(ImportError, match=rf"which lacks torch\.{name}$"):
        torch_abi.verify()
