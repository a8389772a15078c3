"""Keep a failing observer from ending the program. Report it as Miscast's failure, and stop observing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...core.failure import Failures


class Guard:
    """State that one watch's observers share."""

    def __init__(self, failures: Failures) -> None:
        """Set `lost`, which is True after a failure; nothing is watched any more then."""
        self.failures, self.lost = failures, False


def harmless(look: Callable[..., None]) -> Callable[..., None]:
    """Return a method that never raises, and does nothing after one under the same guard has failed."""

    @wraps(look)
    def instead(self: Any, *args: Any, **kwargs: Any) -> None:
        if self.guard.lost:
            return
        try:
            look(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - Miscast's own, whatever it is; it is told, not swallowed
            self.guard.lost = True
            self.guard.failures.note(error, "it recorded the precision of modules")
            self.guard.failures.forget()

    return instead
