"""What to write instead, derived from where the blamed operand got its dtype or device, and whether that is safe.

    fixes(call, cause)           one or two ways out, the better one first

The advice on dtypes is in `casting.py`, that on devices in `placing.py`, which module they mean in `owner.py`;
`safety.py` says of any change whether it is safe.
"""

from __future__ import annotations

from ..cause import Cause
from ..event import Call
from ..finding import Fix
from .casting import casts
from .places import factory, place
from .placing import moves
from .safety import widens

__all__ = ["factory", "fixes", "place", "widens"]


def fixes(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """One or two ways out, the better one first."""
    found = (moves(call, cause),) if cause.about == "device" else casts(call, cause)
    return tuple({fix.title: fix for fix in found}.values())
