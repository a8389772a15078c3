"""Tells when a module that is watched for has been imported, and leaves no trace on it or on the import system."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


@contextmanager
def arriving(
    names: Iterable[str], arrived: Callable[[ModuleType], None]
) -> Iterator[None]:
    """Call `arrived` with each module of these names that is imported within the block, before other code sees it."""
    finder = _Arrivals(frozenset(names), arrived)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        if finder in sys.meta_path:  # the program may have changed the list
            sys.meta_path.remove(finder)


class _Arrivals:
    """A finder that finds nothing by itself: it asks the others, and has the loader call back when it is done."""

    def __init__(
        self, names: frozenset[str], arrived: Callable[[ModuleType], None]
    ) -> None:
        """Prepare one watch on `sys.meta_path`."""
        self._names = names
        self._arrived = arrived
        self._asking: set[str] = set()

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return another finder's spec; if two finders wait for a module, each asks the other and is asked back."""
        if name not in self._names or name in self._asking:
            return None
        self._asking.add(name)
        try:
            for finder in list(sys.meta_path):
                find = getattr(finder, "find_spec", None)
                if finder is self or find is None:
                    continue
                spec: ModuleSpec | None = find(name, path, target)
                if spec is not None:
                    self._follow(spec.loader)
                    return spec
            return None
        finally:
            self._asking.discard(name)

    def _follow(self, loader: Any) -> None:
        """Replace the loader's `exec_module` once."""
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module: ModuleType) -> None:
            with suppress(AttributeError):
                del loader.exec_module
            execute(module)
            # some put another in their place
            self._arrived(sys.modules.get(module.__name__, module))

        with suppress(AttributeError, TypeError):
            loader.exec_module = exec_module
