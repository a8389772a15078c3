"""Decide whether a change keeps a program's numbers. Only this module calls a fix safe.

A change is safe if after it every tensor that the program made before has, bit by bit, the numbers that it had, or has
them on another device. What torch refused has no numbers yet, so the call that fails may come to any; but an op that
ran must not run in another dtype. So it comes to where the change stands:

- A cast at the call that failed is seen by nothing else: safe if the dtype holds every number.
- A cast anywhere else, and a factory's dtype, is seen by all that meets the tensor. Only of a constant which no op
  computes with before the call that failed is it known that nothing changes.
- A move changes no number. A factory that gets a device fills its tensor there: that draws, or computes, other numbers.

Numbers are those of one device: what a device computes may differ from another's in the last bit, and is not judged.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.dtypes import DTYPES, facts, is_floating_point

CONSTANT = frozenset(
    {"ones", "zeros", "eye", "ones_like", "zeros_like", "new_ones", "new_zeros"}
)
"""Factories whose numbers every dtype holds."""
RANDOM = frozenset({
    "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm",
    "normal", "bernoulli", "multinomial", "poisson",
})  # fmt: skip
SCHEDULE = frozenset({"linspace", "logspace", "arange", "range"})
"""Factories of positions, times and angles: computed with in full precision, rounded where they are used."""
_DATA = frozenset({
    "tensor", "as_tensor", "asarray", "from_numpy", "frombuffer", "full", "full_like",
    "new_full", "new_tensor", "scalar_tensor", "load",
})  # fmt: skip
"""Factories whose numbers are there before the tensor is: a device only holds them."""
MAKERS = CONSTANT | RANDOM | SCHEDULE | _DATA
"""Factories that take a dtype."""


@dataclass(frozen=True, slots=True)
class Safety:
    """True if no number changes, with a short reason."""

    safe: bool
    why: str


def widens(source: str, target: str) -> bool:
    """Check whether dtype `target` holds every value of dtype `source`."""
    a, b = facts(source), facts(target)
    wide = a.max <= b.max and a.mantissa <= b.mantissa
    return wide and a.tiny >= b.tiny and a.min >= b.min


def _safe(why: str) -> Safety:
    return Safety(safe=True, why=why)


def _unsafe(why: str) -> Safety:
    return Safety(safe=False, why=why)


def cast_at_call(have: str, want: str, *, in_place: bool = False) -> Safety:
    """Return the safety of a cast of an operand in the failing call. `in_place`: the call writes to it."""
    if in_place:
        return _unsafe("a cast makes a copy, and the call would write to the copy")
    if have not in DTYPES or want not in DTYPES:
        return _unsafe(f"nothing is known of {want if have in DTYPES else have}")
    if widens(have, want):
        return _safe(f"{want} holds every {have} number")
    return _unsafe(f"{want} rounds what {have} holds")


def cast_before(have: str, want: str) -> Safety:
    """Return the safety of a cast before the failing call, where other ops use the tensor or module."""
    if have in DTYPES and want in DTYPES and not widens(have, want):
        return _unsafe(f"{want} rounds what {have} holds")
    return _unsafe(f"later results are no longer {have}")


def made_as(op: str, have: str, want: str, *, alone: bool = False) -> Safety:
    """Return the safety of a factory `op` in another dtype. `alone`: only the failing call computes with it."""
    if op in RANDOM:
        return _unsafe(f"the random numbers are different in {want}")
    if op in CONSTANT and alone:
        return _safe("a constant that every dtype holds")
    return cast_before(have, want)


def moved(*, in_place: bool = False) -> Safety:
    """Return the safety of moving an existing tensor or module. `in_place`: the failing call writes to it."""
    if in_place:
        return _unsafe("a move makes a copy, and the call would write to the copy")
    return _safe("a move changes no value")


def made_on(op: str, dtype: str = "", *, other_dtype: bool = False) -> Safety:
    """Return the safety of a factory `op` of `dtype` on another device, and maybe in another dtype."""
    if op in RANDOM:
        return _unsafe("the random numbers are different on another device")
    if other_dtype:
        return _unsafe("later results have another dtype")
    whole = op in ("arange", "range") and dtype in DTYPES
    if op in CONSTANT | _DATA or (whole and not is_floating_point(dtype)):
        return _safe("the same values on another device")
    return _unsafe("values computed on another device may differ in the last bit")
