"""Calls that a table refuses by their dtypes, and torch does not, because it looks at shapes first.

Tables are measured on small tensors with elements. Of an empty one no kernel is asked for; cuFFT transforms halves
whose sizes are powers of two, and only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .confirmed import is_empty, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..event import Violation
    from .call import Call

_POWERS = "sizes are powers of two"


def excused(call: Call, found: tuple[Violation, ...]) -> bool:
    """Whether torch runs a call on a GPU although its dtypes break what is known of the op."""
    if any(violation.kind == "device" for violation in found):
        return False
    if any(_POWERS in violation.error for violation in found):
        return all(size > 0 and not size & (size - 1) for size in _transformed(call))
    return is_empty(call) and runs(call)  # what the CPU says of nothing holds for all devices


def _transformed(call: Call) -> list[int]:
    """The sizes of a Fourier transform: of the dimensions that it goes over, or those that it cuts or pads them to."""
    given, shape, short = dict(call.given()), call.tensors[0].shape, call.plan.short
    asked = next((given[name] for name in ("n", "s") if given.get(name) is not None), None)
    if asked is not None:
        return _several(asked)
    dims = given.get("dim")
    if dims is None:
        dims = range(len(shape)) if short.endswith("n") else (-2, -1) if short.endswith("2") else -1
    return [shape[dim] for dim in _several(dims)]


def _several(one: int | Sequence[int]) -> list[int]:
    return [one] if isinstance(one, int) else list(one)
