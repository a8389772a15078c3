"""Whether a change that mends a finding spoils its numbers: what the op is given is held against what it was given.

    position = torch.arange(4096, dtype=torch.float16)     # every second angle is another one,
    block(wave(position))                                  # where casting the waves moves them by 0.0002
"""

from __future__ import annotations

from collections.abc import Mapping

from ..dtypes import facts
from ..event import Numbers

_MUCH = 64.0  # times what one rounding at the op would cost: six bits of the eleven of float16


def spoilt(before: Mapping[str, Numbers], after: Mapping[str, Numbers]) -> str:
    """Why a change does not do, if an operand was rounded so early that its numbers are others; "" if none was.

    Only operands whose numbers are known in both runs and that are narrower now are compared, and of these only numbers
    that the dtype holds: a mask's -1e9 is infinite in float16 wherever it is cast.
    """
    for name, now in after.items():
        was = before.get(name)
        if was is None or was.shape != now.shape or facts(now.dtype).eps <= facts(was.dtype).eps:
            continue
        held = [(a, b) for a, b in zip(was.values, now.values, strict=True) if abs(a) <= facts(now.dtype).max]
        scale = max((abs(a) for a, _ in held), default=0.0)
        errors = [abs(b - a) for a, b in held]
        if not all(error <= _MUCH * scale * facts(now.dtype).eps / 2 for error in errors):
            return f"`{name}` would be off by {max(errors):.2g} in numbers up to {scale:.2g}, being rounded too early"
    return ""
