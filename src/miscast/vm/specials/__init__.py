"""Ops that mean something else on a virtual machine: those that make, move, read or share memory.

Each file holds `SPECIALS`, from the op's name (without overload) to its handler; files are found by discovery. Every
other op that takes a `device` makes a tensor.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any

from ...torch_private import OpOverload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@cache
def _table() -> Mapping[str, Callable[..., Any]]:
    table: dict[str, Callable[..., Any]] = {}
    for module in pkgutil.iter_modules(__path__):
        table.update(importlib.import_module(f"{__name__}.{module.name}").SPECIALS)
    return table


def of(op: OpOverload) -> Callable[..., Any] | None:
    """The handler of an op that needs one."""
    schema = op._schema
    namespace, name = schema.name.split("::")
    table = _table()
    found = table.get(name) if namespace == "aten" else table.get(f"{namespace}.*")
    if found is None and namespace == "aten" and any(a.name == "device" for a in schema.arguments):
        return table["empty"]
    return found
