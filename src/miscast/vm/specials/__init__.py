"""Ops that mean something else on a virtual machine: those that make, move, read or share memory.

Each file holds `SPECIALS`, from the op's name (without overload) to its handler; files are found by discovery. Every
other op that takes a `device` makes a tensor.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.plugins import load, table
from ...running.torch_abi import OpOverload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@cache
def _table() -> Mapping[str, Callable[..., Any]]:
    return {
        op: handler
        for file in load(__name__, needs=(table("SPECIALS"),))
        for op, handler in file.SPECIALS.items()
    }


def of(op: OpOverload) -> Callable[..., Any] | None:
    """Return the handler of an op that needs one."""
    schema = op._schema
    namespace, name = schema.name.split("::")
    handlers = _table()
    found = (
        handlers.get(name) if namespace == "aten" else handlers.get(f"{namespace}.*")
    )
    if (
        found is None
        and namespace == "aten"
        and any(a.name == "device" for a in schema.arguments)
    ):
        return handlers["empty"]
    return found
