"""What to write instead, where nothing was tried: derived from where the blamed operand got its dtype or device.

    fixes(call, cause)           one or two ways out, the better one first

Advice is made in two steps. Whose is the operand: a module's (`owner.py`), one that `.to()` does not reach
(`registration.py`), or a tensor that a line made (`passing.py`)? What is to be written: `casting.py` for dtypes,
`placing.py` for devices, both in the words of the line itself (`line.py`)? A change of the failing call comes first,
since nothing else meets it, then one at the origin. Only what was tried is called safe: `safety.py` tells `fixes/`
whether a change leaves all numbers as they are.
"""

from __future__ import annotations

from ..cause import Cause
from ..event import Call
from ..finding import Fix
from .casting import casts
from .places import factory, place
from .placing import moves
from .registration import registration

__all__ = ["factory", "fixes", "place"]


def fixes(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """Return one or two ways out, the better one first."""
    held = registration(call, cause)
    if held is not None:
        return (held,)
    if cause.about == "device":
        return moves(call, cause)
    return tuple({fix.title: fix for fix in casts(call, cause)}.values())
