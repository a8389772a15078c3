"""What the variables of a frame hold, looked up without running any of the program's code.

Only what is plainly stored: names, attributes in a `__dict__`, in slots or among a module's parameters, elements under
a constant key. Properties, `__getattr__` and `__getitem__` of the program's own are not asked.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FrameType, MemberDescriptorType
from typing import Any

import torch

ABSENT = object()
"""What cannot be told."""
_OF_TENSORS = frozenset({"grad", "data", "T", "mT", "H", "mH", "real", "imag"})


def value(node: ast.AST, frame: FrameType) -> Any:
    """What a chain of names, attributes and constant keys holds now; ABSENT where it cannot be told."""
    if isinstance(node, ast.Name):
        for scope in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if node.id in scope:
                return scope[node.id]
        return ABSENT
    if isinstance(node, ast.Attribute):
        return _attribute(value(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript):
        key = _key(node.slice)
        return ABSENT if key is ABSENT else _element(value(node.value, frame), key)
    return ABSENT


def _key(node: ast.AST) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else ABSENT
    return ABSENT


def _attribute(owner: Any, name: str) -> Any:
    if issubclass(type(owner), torch.Tensor):
        return getattr(owner, name, ABSENT) if name in _OF_TENSORS and owner.is_leaf else ABSENT
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return _slot(owner, name)
    for held in (own, own.get("_parameters"), own.get("_buffers"), own.get("_modules")):
        if isinstance(held, Mapping) and name in held:
            return held[name]
    return _slot(owner, name)


def _slot(owner: Any, name: str) -> Any:
    """Of a class with `__slots__`: a member's descriptor is Python's own."""
    for kind in type(owner).__mro__:
        member = vars(kind).get(name)
        if isinstance(member, MemberDescriptorType):
            try:
                return member.__get__(owner)
            except AttributeError:
                return ABSENT
    return ABSENT


def _element(owner: Any, key: Any) -> Any:
    if getattr(type(owner), "__getitem__", None) in _PLAIN:
        try:
            return owner[key]
        except (KeyError, IndexError, TypeError):
            return ABSENT
    return ABSENT


_PLAIN = (dict.__getitem__, list.__getitem__, tuple.__getitem__)
