"""What watches a program does not end it: a look that fails is told as Miscast's failure, and is the last one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..failure import Failures


class Watch(Protocol):
    """`lost`: one of its looks has failed, and nothing is looked at any more."""

    failures: Failures
    lost: bool


def harmless(look: Callable[..., None]) -> Callable[..., None]:
    """A method of a watch that raises nothing, and does nothing once one of them has failed."""

    @wraps(look)
    def instead(self: Watch, *args: Any, **kwargs: Any) -> None:
        if self.lost:
            return
        try:
            look(self, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - Miscast's own, whatever it is; it is told, not swallowed
            self.lost = True
            self.failures.note(error, "it watched the precision of modules")
            self.failures.forget()

    return instead
