"""From which tensor a line took its dtype: `t_emb.to(dtype=sample.dtype)` took it from `sample`.

A dtype is a constant that carries no history. Where the line that casts spells `NAME.dtype`, the tensor (or module)
behind the name is looked up in the frame, without running any of the program's code. Where it casts to a parameter of
its function, `x.to(dtype)`, the line that called the function is the one that may spell it.
"""

from __future__ import annotations

import ast
import linecache
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch

from .origin import TORCH, Origin, kind_of
from .record import find, is_tensor

if TYPE_CHECKING:
    from types import CodeType, FrameType

_CALLS = 3  # through which a dtype is followed
_chains: dict[tuple[CodeType, int], tuple[tuple[str, ...], ...]] = {}


def dtype_source(frame: FrameType | None, dtype: torch.dtype) -> Origin | None:
    """The origin of the tensor whose `.dtype` the innermost line outside torch spells, if it is `dtype`."""
    for _ in range(_CALLS):
        frame = _outside_torch(frame)
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
        if chains or not _is_argument(frame, dtype):
            return None
        frame = frame.f_back
    return None


def _outside_torch(frame: FrameType | None) -> FrameType | None:
    while frame is not None and kind_of(frame.f_code) == TORCH:
        frame = frame.f_back
    return frame


def _is_argument(frame: FrameType, dtype: torch.dtype) -> bool:
    """Whether a function was handed the dtype as such, by a name."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return any(frame.f_locals.get(name) is dtype for name in names)


def named(frame: FrameType | None, tensor: torch.Tensor) -> bool:
    """Whether a variable of the innermost function outside torch stands for a tensor."""
    while frame is not None and kind_of(frame.f_code) == TORCH:
        frame = frame.f_back
    return frame is None or any(value is tensor for value in list(frame.f_locals.values()))


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
    value = stored(frame, chain)
    if isinstance(value, torch.nn.Module):
        value = next((p for p in value.parameters() if p.is_floating_point()), None)
    return value if is_tensor(value) else None


def stored(frame: FrameType, chain: tuple[str, ...]) -> Any:
    """What a name and its attributes plainly stand for in a frame; None where only code of the program's could tell."""
    name, *attributes = chain
    scope = frame.f_locals
    value: Any = scope[name] if name in scope else frame.f_globals.get(name)
    for attribute in attributes:
        value = _attribute(value, attribute)
    return value


def function(frame: FrameType, chain: tuple[str, ...]) -> CodeType | None:
    """The code of the Python function that a name in a frame calls, be it another's method or decorated."""
    if not chain:
        return None
    value = stored(frame, chain)
    if value is None and len(chain) > 1:
        owner = stored(frame, chain[:-1])
        value = next((vars(kind)[chain[-1]] for kind in type(owner).__mro__ if chain[-1] in vars(kind)), None)
    while not isinstance(value, FunctionType) and isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    while isinstance(value, FunctionType) and "__wrapped__" in value.__dict__:
        value = value.__dict__["__wrapped__"]
    return value.__code__ if isinstance(value, FunctionType) else None


def _attribute(owner: Any, name: str) -> Any:
    """An attribute that is plainly stored, so that no property of the program runs."""
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    for kind in ("_parameters", "_buffers", "_modules"):
        if name in own.get(kind, {}):
            return own[kind][name]
    return None
