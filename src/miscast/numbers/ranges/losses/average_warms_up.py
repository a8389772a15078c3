"""An average in a half dtype that holds too few of its steps, if not at once, then when its decay has come to its end.

class EMAModel:                               # diffusers', ema_pytorch's, timm's, …
    def step(self, parameters):
        decay = min((1 + self.steps) / (10 + self.steps), self.decay)
        shadow.sub_((1 - decay) * (shadow - parameter))
"""

from __future__ import annotations

import sys

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short, spelled
from ..seen import Seen

OPS = frozenset({"sub", "lerp"})
PLAIN = True
WIDENS = True  # an op on many tensors gives none
_DECAYS = ("decay", "ema_decay", "beta")
_FAR = 24  # frames from here to who keeps the average, torch's and this package's among them
_TYPICAL = 4.0  # a step is so many times smaller than what it changes, as for `update_absorbed`


def find(seen: Seen) -> Lost | None:
    """Return a finding for an in-place step of an average whose object, named for it, has its decay."""
    tensor = seen.tensor("self")
    if not seen.in_place or tensor is None or tensor.dtype not in HALF:
        return None
    now = _share(seen)
    if not 0 < now <= 1:  # 1: a first step that copies
        return None
    name, decay = _decay()
    last, least = 1 - decay, 2.0 ** -(PRECISION[tensor.dtype] + 1)
    if not decay or last / _TYPICAL >= least:
        return None
    if seen.name == "lerp" and now / _TYPICAL < least:
        return None  # told for what it is, by `update_absorbed`
    end, course = (
        ("in the end ", f", {spelled(now)} now") if now > 2 * last else ("", "")
    )
    return Lost(
        rule="update-absorbed",
        form="average",
        figures=f"{end}the average moves by {spelled(last)} of the difference ({name}{course}), but "
        f"{short(tensor.dtype)} neighbours are {spelled(2.0 ** -(PRECISION[tensor.dtype] - 1))} of their value apart",
    )


def _share(seen: Seen) -> float:
    alpha = seen.number("weight" if seen.name == "lerp" else "alpha")
    if seen.name == "lerp" or alpha not in (None, 1.0):
        return alpha or 0.0
    other = seen.tensor("other")
    record = None if other is None else find_record(other)
    return 0.0 if record is None else record.factor


def _decay() -> tuple[str, float]:
    """Return the decay, as text and number, of the nearest frame that is a method of an average; ("", 0.0) if none."""
    frame = sys._getframe(2)
    for _ in range(_FAR):
        owner = frame.f_locals.get("self") if frame.f_code.co_argcount else None
        kind = type(owner).__name__.lower()
        if "ema" in kind or "average" in kind:
            for name in _DECAYS:
                decay = getattr(owner, "__dict__", {}).get(name)
                if isinstance(decay, float) and 0 < decay < 1:
                    return f"{name}={decay:g}", decay
        if frame.f_back is None:
            break
        frame = frame.f_back
    return "", 0.0
