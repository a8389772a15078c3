"""From which tensor a line took its dtype: `t_emb.to(dtype=sample.dtype)` took it from `sample`.

A dtype is a constant that carries no history. Where the line that casts spells `NAME.dtype`, the tensor (or module)
behind the name is looked up in the frame, without running any of the program's code. Where it casts to a name,
`x.to(dtype)`, the line that set the name may spell it; of a parameter of its function, the line that called that.
"""

from __future__ import annotations

import ast
import dis
import linecache
from functools import cache
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
            chains = _chains[key] = _on_line(frame.f_code, frame.f_lineno)
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
    frame = _outside_torch(frame)
    return frame is None or any(value is tensor for value in list(frame.f_locals.values()))


def kept_for_later(frame: FrameType | None, tensor: torch.Tensor, *, callers: int = 0) -> bool:
    """Whether the innermost function outside torch, or a caller, reads a tensor again by a name, behind where it is."""
    for _ in range(1 + callers):
        frame = _outside_torch(frame)
        if frame is None:
            return False
        names = [name for name, value in list(frame.f_locals.items()) if value is tensor]
        if any(_is_read_next(frame.f_code, frame.f_lasti, name) for name in names):
            return True
        frame = frame.f_back
    return False


@cache
def _is_read_next(code: CodeType, lasti: int, name: str) -> bool:
    """Whether the next that is done with a name is to read it, not to set it."""
    for one in dis.get_instructions(code):
        if one.offset > lasti and one.argval == name and one.opname.startswith(("LOAD_", "STORE_", "DELETE_")):
            return one.opname.startswith("LOAD_")
    return False


def _on_line(code: CodeType, number: int) -> tuple[tuple[str, ...], ...]:
    """The chains whose dtype a line takes: those that it spells, and those that set a name which it reads."""
    line = linecache.getline(code.co_filename, number)
    if ".dtype" in line:
        return _spelled(_line(line))
    tree = _line(line)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree else set()
    found: list[tuple[str, ...]] = []
    for before in range(number - 1, code.co_firstlineno - 1, -1) if read else ():
        text = linecache.getline(code.co_filename, before)
        if ".dtype" not in text or "=" not in text:
            continue
        for one in ast.walk(_line(text) or ast.Pass()):
            if isinstance(one, ast.Assign) and {t.id for t in one.targets if isinstance(t, ast.Name)} & read:
                found += _spelled(one.value)
    return tuple(found)


def _spelled(tree: ast.AST | None) -> tuple[tuple[str, ...], ...]:
    """The name chains before `.dtype` in source: ("self", "weight") for `self.weight.dtype`."""
    return tuple(
        chain
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Attribute) and node.attr == "dtype" and (chain := _items(node.value))
    )


def _line(line: str) -> ast.AST | None:
    """The tree of a line, which may be a part of a statement."""
    text = line.strip().rstrip(":,\\")
    return next((t for t in map(_parse, (text, text.rstrip(")"), f"f({text}", f"f({text})")) if t is not None), None)


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


def _items(node: ast.AST) -> tuple[str, ...]:
    """The same with what plain indices take out: ("self", "blocks", "[0]", "weight") of `self.blocks[0].weight`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner = _items(node.value)
        return (*owner, f"[{node.slice.value!r}]") if owner else ()
    if isinstance(node, ast.Attribute):
        owner = _items(node.value)
        return (*owner, node.attr) if owner else ()
    return attributes(node)


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
    """An attribute that is plainly stored, or an item of a plain list, so that no property of the program runs."""
    if name == "data" and is_tensor(owner):
        return owner
    if name.startswith("["):
        return _item(owner, ast.literal_eval(name)[0])
    own = getattr(owner, "__dict__", {})
    if name in own:
        return own[name]
    for kind in ("_parameters", "_buffers", "_modules"):
        if name in own.get(kind, {}):
            return own[kind][name]
    return None


def _item(owner: Any, key: Any) -> Any:
    if isinstance(owner, torch.nn.Module):  # a Sequential, a ModuleList
        return owner._modules.get(str(key))
    if type(owner) is dict:
        return owner.get(key)
    known = type(owner) in (list, tuple) and isinstance(key, int) and -len(owner) <= key < len(owner)
    return owner[key] if known else None
