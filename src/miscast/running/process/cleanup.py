"""Contexts that are left one by one: what fails on leaving one is a failure, and all others are left still."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.failure import Failures

T = TypeVar("T")


class Steps:
    """Like `contextlib.ExitStack`, but for exceptions on the way out: these are noted and go no further.

    What the body raises goes on, and so does what ends the process (KeyboardInterrupt), after all is left. A context
    that cannot be entered leaves those before it, and raises.
    """

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._exits: list[tuple[str, Callable[..., bool | None]]] = []

    def enter(self, context: AbstractContextManager[T], what: str) -> T:
        """Enter a context, and return its value. `what` describes its exit in a failure: "it restored torch"."""
        given = context.__enter__()
        self._exits.append((what, context.__exit__))
        return given

    def callback(self, function: Callable[[], object], what: str) -> None:
        """Register a function to call on the way out."""

        def leave(*_: object) -> None:
            function()

        self._exits.append((what, leave))

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave all, the last first."""
        ends: BaseException | None = None
        while self._exits:
            what, leave = self._exits.pop()
            try:
                with self._failures.during(what):
                    _left(leave, error)
            except BaseException as another:  # noqa: BLE001 - an interrupt: raised when all is left
                ends = another
        if ends is not None:
            raise ends


def _left(leave: Callable[..., bool | None], error: BaseException | None) -> None:
    """Leave one; the body's own exception, which a generator lets through, is no failure of the context."""
    try:
        if error is None:
            leave(None, None, None)
        else:
            leave(type(error), error, error.__traceback__)
    except BaseException as another:
        if another is not error:
            raise
