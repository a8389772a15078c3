"""A training under watch: what its steps lose without an error, found when it happens, at a price that nobody notices.

    guard = miscast.guard(model, optimizer)

`guard` sits before the optimizer's step; `recorder` keeps what the step needs to be run again; `replay` runs it again
under `probe`, which names the op that was first to make a NaN or an infinity; `log` writes one line a step.
"""

from .guard import guard
from .trip import Operand, Producer, Rerun, Trip, TrippedError

__all__ = ["Operand", "Producer", "Rerun", "Trip", "TrippedError", "guard"]
