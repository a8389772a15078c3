"""A real run with a shadow in float64 beside it: which op loses digits, where, and how much of it reaches the loss.

`mode` runs each op twice, `record` keeps the float64 numbers beside each tensor's memory, `losses/` has one file per
kind of loss, `session` joins them. `against` has another precision of the program beside it instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .against import Against
    from .session import Session


def look(against: str = "", **options: Any) -> Session | Against:
    """Return a session that compares a run with float64 or another precision. Raises ValueError for an unknown one."""
    from .against import Against
    from .session import Session

    return Against(against, **options) if against else Session(**options)
