"""Where a module was put into a plain list: `self.towers = [tower]`, which is no submodule, and no `.to()` reaches it.

The objects are looked at as they are at the failing call, in the frames that led to it; nothing of the program is run.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

from torch.nn import Module, Parameter

from ..event import Location
from ..syntax import parsed_file
from . import assignment_ast
from .origin import program_frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import FrameType

    import torch

    from .record import Record

_FRAMES = 8
_PLAIN = (list, tuple, dict)
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)


def listed(frame: FrameType, operands: Sequence[tuple[str, torch.Tensor, Record]]) -> tuple[tuple[str, Location], ...]:
    """For each parameter of a module that another keeps in a list: the operand's name, the line that put it there."""
    frames = program_frames(frame)[:_FRAMES]
    found = []
    for name, tensor, _ in operands:
        if isinstance(tensor, Parameter):
            line = next((line for one in frames for line in _put(one, tensor)), None)
            found += [(name, line)] if line else []
    return tuple(found)


def _put(frame: FrameType, parameter: Parameter) -> Iterator[Location]:
    """The lines of the class of a frame's `self` that set the attribute."""
    owner = frame.f_locals.get("self")
    if not isinstance(owner, Module):
        return
    for attribute, value in vars(owner).items():
        if attribute.startswith("_") or type(value) not in _PLAIN or not _holds(value, parameter):
            continue
        tree = parsed_file(frame.f_code.co_filename)
        statement = assignment_ast.statement_at(tree, frame.f_lineno) if tree else None
        if tree is None or statement is None:
            return
        chain = ("self", attribute)
        scopes = assignment_ast.scopes(tree, statement, chain)
        found = [one for scope in scopes for one in assignment_ast.stored(scope, chain)]
        literal = [one for one in found if isinstance(getattr(one, "value", None), _DISPLAYS)]
        for one in (literal or found)[-1:]:
            text = linecache.getline(frame.f_code.co_filename, one.lineno).strip()
            yield Location(file=frame.f_code.co_filename, line=one.lineno, function="__init__", code=text)


def _holds(value: Any, parameter: Parameter) -> bool:
    items: Iterable[Any] = dict.values(value) if isinstance(value, dict) else value
    modules = [item for item in items if isinstance(item, Module)]
    return any(own is parameter for module in modules for own in module.parameters())
