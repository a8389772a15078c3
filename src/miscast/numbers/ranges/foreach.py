"""A call of a `_foreach_` op as the calls that it stands for: one of `add_` for each tensor of `_foreach_add_`."""

from __future__ import annotations

from typing import Any

from .seen import Seen

PREFIX = "_foreach_"
_NAMES = {"scalar": "other", "scalars": "other", "tensors1": "end", "weights": "weight"}
_NUMBER = {
    "addcmul": "value", "addcdiv": "value", "pow": "exponent", "clamp_min": "min", "clamp_max": "max",
}  # fmt: skip
"""The name of the number in the op for one tensor, where it is not `other`."""


def parts(seen: Seen) -> tuple[Seen, ...]:
    """Return the calls that an op on lists of tensors stands for; none for another op."""
    tensors = seen.given.get("self") if seen.short.startswith(PREFIX) else None
    if not isinstance(tensors, (list, tuple)):
        return ()
    short = seen.short.removeprefix(PREFIX)
    number = _NUMBER.get(short.rstrip("_"), "other")
    names = {
        name: number if name in ("scalar", "scalars") else _NAMES.get(name, name)
        for name in seen.given
    }
    calls = []
    for i in range(len(tensors)):
        every = ((name, one) for name, one in seen.given.items() if name != "out")
        given = {names[name]: _at(value, i) for name, value in every}
        call = Seen(short, (), (), given)
        call.short, call.of_several = seen.short, True
        calls.append(call)
    return tuple(calls)


def ran(seen: Seen, out: Any) -> None:
    """Hand a call, or those that it stands for, the result."""
    seen.ran(out)
    several = isinstance(out, (list, tuple)) and len(out) == len(seen.parts)
    for i, call in enumerate(seen.parts):
        call.ran(out[i] if several else call.given["self"])


def _at(value: Any, i: int) -> Any:
    return value[i] if isinstance(value, (list, tuple)) and i < len(value) else value
