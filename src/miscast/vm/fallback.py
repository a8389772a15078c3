"""The dispatch key's fallback: registered once in the life of the process, and without effect outside of a check.

Registering takes torch a millisecond, and taking back another. So the registration stays, and only what it leads to
comes and goes. Ops reach it where a thread includes the key (`VirtualMachine.watching`), and nowhere else: the ops of
ordinary code never see it, at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

from .key import KEYSET, NAME, Exclude
from .nesting import NestedError

Handler = Callable[..., Any]


def passed(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an op as torch runs it: that of a thread that outlives the check it was started in."""
    with Exclude(KEYSET):
        return op(*args, **kwargs)


class _Switch:
    """The callable for torch. It calls the current check's handler."""

    __slots__ = ("handler", "library", "named")

    def __init__(self) -> None:
        self.handler: Handler = passed
        self.library = torch.library.Library("_", "IMPL")
        self.library.fallback(self._call, NAME)
        self.named: list[torch.library.Library] = []

    def _call(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        return self.handler(op, *args, **kwargs)

    def name_all(self) -> None:
        if self.named:
            return
        libraries: dict[str, torch.library.Library] = {}
        for full in torch._C._dispatch_get_all_op_names():
            space, _, name = full.partition("::")
            if space not in libraries:
                libraries[space] = torch.library.Library(space, "IMPL")
            libraries[space].m.impl(name, NAME, self._kernel(space, name), False)  # type: ignore[union-attr]
        self.named = list(libraries.values())

    def _kernel(self, space: str, full: str) -> Handler:
        op: Any = None

        def run(*args: Any, **kwargs: Any) -> Any:
            nonlocal op
            if op is None:
                name, _, overload = full.partition(".")
                op = getattr(
                    getattr(getattr(torch.ops, space), name), overload or "default"
                )
            return self.handler(op, *args, **kwargs)

        return run


_switch = cache(_Switch)


@contextmanager
def handled(handler: Handler) -> Iterator[None]:
    """Bring the ops of every thread that includes the key to `handler`.

    Raises RuntimeError if a check runs already: torch has one such key, and its state is the process's.
    """
    switch = _switch()
    if switch.handler is not passed:
        raise NestedError(
            "a check is already running in this process: checks cannot be nested"
        )
    switch.handler = handler
    try:
        yield
    finally:
        switch.handler = passed


def name_all() -> None:
    """Register for each op by its name too, once in the life of the process: it takes 0.1 s."""
    _switch().name_all()


def replace(old: Handler, new: Handler) -> None:
    """Go on with another handler in the same check; if that has ended, a thread that outlives it changes nothing."""
    switch = _switch()
    if switch.handler is old:
        switch.handler = new
