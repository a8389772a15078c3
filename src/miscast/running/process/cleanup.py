"""Contexts that are left one by one: what fails on leaving one is a failure, and all others are left still."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

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
        self._failures, self._stack = failures, ExitStack()

    def enter(self, context: AbstractContextManager[T], what: str) -> T:
        """Enter a context, and return its value. `what` describes its exit in a failure: "it restored torch"."""
        given = context.__enter__()
        self._stack.push(partial(self._left, context.__exit__, what))
        return given

    def callback(self, function: Callable[[], object], what: str) -> None:
        """Register a function to call on the way out."""
        self._stack.push(partial(self._left, lambda *_: function(), what))

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]

    def _left(
        self, leave: Callable[..., Any], what: str, kind: Any, error: Any, trace: Any
    ) -> None:
        """Leave one; the body's own exception, which a generator lets through, is no failure of the context."""
        with self._failures.during(what):
            try:
                leave(kind, error, trace)
            except BaseException as another:
                if another is not error:
                    raise
