"""Patches of modules that no check imports by itself: where they are there, and else when they come."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .everywhere import put_back
from .module_arrivals import arriving
from .patching import ABSENT, Patch, applied, present

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ...core.failure import Failures


@contextmanager
def later(
    wanted: Mapping[str, Callable[[ModuleType], Iterable[Patch]]],
    failures: Failures | None = None,
    *,
    loaded: bool = True,
) -> Iterator[None]:
    """Patch each module of these names as soon as it is imported, within the block. `wanted` returns the patches.

    A module that took a replacement by name within the block has the original afterwards. What cannot be patched is
    noted in `failures`; without these, the import raises. `loaded`: modules that are there already are patched, too.
    """
    before, pairs = set(sys.modules), list[tuple[Any, Any]]()

    def noted(patches: Iterable[Patch]) -> Iterator[Patch]:
        for patch in patches:
            old = present(patch)
            pairs.append((patch.value, None if old is ABSENT else old))
            yield patch

    def arrived(module: ModuleType) -> None:
        name = module.__name__
        # the program's import goes on
        with failures.during(f"it patched {name}") if failures else nullcontext():
            stack.enter_context(applied(noted(wanted[name](module)), failures))

    try:
        with ExitStack() as stack:
            for name in wanted if loaded else ():
                if isinstance(module := sys.modules.get(name), ModuleType):
                    arrived(module)
            stack.enter_context(arriving(wanted, arrived))
            yield
    finally:
        put_back(pairs, set(sys.modules) - before, failures)
