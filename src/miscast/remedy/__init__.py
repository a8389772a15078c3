"""What to write instead, derived from where the blamed operand got its dtype or device, and whether that is safe.

    fixes(call, cause)           one or two ways out, the better one first

Advice is made in four steps. Whose is the operand: a module's (`owner.py`), one that `.to()` does not reach
(`registration.py`), or a tensor that a line made (`passing.py`)? What is to be written there: `casting.py` for dtypes,
`placing.py` for devices, both in the words of the line itself (`line.py`)? Is it safe (`safety.py`), and is it certain
who else reads the tensor (`readers.py`)? The better way comes first: at the origin, then at the call.
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
    """One or two ways out, the better one first."""
    held = registration(call, cause)
    if held is not None:
        return (held,)
    if cause.about == "device":
        return moves(call, cause)
    return tuple({fix.title: fix for fix in casts(call, cause)}.values())
