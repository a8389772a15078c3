"""Find modules held in a plain list: `self.towers = [tower]` is no submodule. No `.to()` reaches it.

The objects are looked at as they are at the failing call, in the frames that led to it; nothing of the program is run.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

from torch.nn import Module, Parameter

from ...core.event import Location
from . import assignment_ast
from .contents import items_of
from .executing_node import executed, tree_of
from .module_members import tensors_of
from .origin import program_frames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    import torch

    from .assignment_ast import Chain
    from .record import Record

_FRAMES = 8
# `in` a tuple would ask metaclasses of the program's
_PLAIN = frozenset({list, tuple, dict})
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


def listed(
    frame: FrameType, operands: Sequence[tuple[str, torch.Tensor, Record]]
) -> tuple[tuple[str, Location], ...]:
    """Return for each parameter of a module in another's list the operand's name, and the line that put it there."""
    frames = program_frames(frame)[:_FRAMES]
    parameters = [
        (name, tensor)
        for name, tensor, _ in operands
        if issubclass(type(tensor), Parameter)
    ]
    lines = [
        (name, next((line for one in frames for line in _put(one, tensor)), None))
        for name, tensor in parameters
    ]
    return tuple((name, line) for name, line in lines if line is not None)


def _put(frame: FrameType, parameter: torch.Tensor) -> Iterator[Location]:
    """Yield the lines of the class of a frame's `self` that put the module of a parameter into plain lists."""
    owner = frame.f_locals.get("self")
    if not issubclass(type(owner), Module):
        return
    for attribute, value in vars(owner).items():
        if (
            not attribute.startswith("_")
            and type(value) in _PLAIN
            and _holds(value, parameter)
        ):
            yield from _set(frame, ("self", attribute))


def _set(frame: FrameType, attribute: Chain) -> Iterator[Location]:
    """Yield the last line that sets an attribute, one that writes the list out before one that does not."""
    code = frame.f_code
    tree, statement = tree_of(code.co_filename), executed(frame).statement
    if tree is None or statement is None:
        return
    scopes = assignment_ast.scopes(tree, statement, attribute)
    found = [one for scope in scopes for one in assignment_ast.stored(scope, attribute)]
    written_out = [
        one for one in found if isinstance(getattr(one, "value", None), _DISPLAYS)
    ]
    for one in (written_out or found)[-1:]:
        text = linecache.getline(code.co_filename, one.lineno).strip()
        yield Location(
            file=code.co_filename, line=one.lineno, function="__init__", code=text
        )


def _holds(value: Any, parameter: torch.Tensor) -> bool:
    modules = [item for _, item in items_of(value) if issubclass(type(item), Module)]
    return any(
        own is parameter
        for module in modules
        for own in tensors_of(module, "_parameters")
    )
