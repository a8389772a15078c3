"""Patches of modules that no check imports by itself: where they are there, and else when they come."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from .cleanup import Steps
from .module_arrivals import arriving
from .patching import Patch, applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ...core.failure import Failures


@contextmanager
def later(
    wanted: Mapping[str, Callable[[ModuleType], Iterator[Patch]]], failures: Failures
) -> Iterator[None]:
    """Patch each module of these names as soon as it is imported, within the block. `wanted` returns the patches."""
    with Steps(failures) as steps:

        def arrived(module: ModuleType) -> None:
            # the program's import goes on
            with failures.during(f"it patched {module.__name__}"):
                patches = applied(wanted[module.__name__](module), failures)
                steps.enter(patches, f"it restored {module.__name__}")

        for name in wanted:
            if isinstance(module := sys.modules.get(name), ModuleType):
                arrived(module)
        steps.enter(arriving(wanted, arrived), "it removed its import hook")
        yield
