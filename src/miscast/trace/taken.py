"""From which tensor a line took its dtype: `t_emb.to(dtype=sample.dtype)` took it from `sample`.

A dtype is a constant that carries no history. Where the line that casts spells `NAME.dtype`, the tensor (or module)
behind the name is looked up in the frame, without running any of the program's code.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

import torch

from .origin import TORCH, Origin, kind_of
from .record import find, is_tensor

if TYPE_CHECKING:
    from types import CodeType, FrameType

_chains: dict[tuple[CodeType, int], tuple[tuple[str, ...], ...]] = {}


def dtype_source(frame: FrameType | None, dtype: torch.dtype) -> Origin | None:
    """The origin of the tensor whose `.dtype` the innermost line outside torch spells, if it is `dtype`."""
    while frame is not None and kind_of(frame.f_code) == TORCH:
        frame = frame.f_back
    if frame is None:
        return None
    key = (frame.f_code, frame.f_lineno)
    chains = _chains.get(key)
    if chains is None:
        chains = _chains[key] = _spelled(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
    for chain in chains:
        tensor = resolve(frame, chain)
        if tensor is not None and tensor.dtype == dtype:
            record = find(tensor)
            return record.dtype_origin if record else None
    return None


def _spelled(line: str) -> tuple[tuple[str, ...], ...]:
    """The name chains before `.dtype` in a line of source: ("self", "weight") for `self.weight.dtype`."""
    if ".dtype" not in line:
        return ()
    text = line.strip().rstrip(":,\\")
    tree = next((t for t in map(_parse, (text, text.rstrip(")"), f"f({text}", f"f({text})")) if t is not None), None)
    return tuple(
        chain
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Attribute) and node.attr == "dtype" and (chain := attributes(node.value))
    )


def _parse(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def attributes(node: ast.AST) -> tuple[str, ...]:
    """The names of `self.vae.encoder`; nothing for what is no plain name with attributes."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return (node.id, *names) if isinstance(node, ast.Name) else ()


def resolve(frame: FrameType, chain: tuple[str, ...]) -> torch.Tensor | None:
    """The tensor behind a name and its attributes; of a module, its first floating parameter."""
    name, *attributes = chain
    scope = frame.f_locals
    value: Any = scope[name] if name in scope else frame.f_globals.get(name)
    for attribute in attributes:
        value = _attribute(value, attribute)
    if isinstance(value, torch.nn.Module):
        value = next((p for p in value.parameters() if p.is_floating_point()), None)
    return value if is_tensor(value) else None


def _attribute(owner: Any, name: str) -> Any:
    """An attribute that is plainly stored, so that no property of the program runs."""
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    for kind in ("_parameters", "_buffers", "_modules"):
        if name in own.get(kind, {}):
            return own[kind][name]
    return None
