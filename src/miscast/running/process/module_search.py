"""Searches of all modules of the process, repeated only where something has changed since the last one.

A process has thousands of modules with tens of thousands of names, and a check searches them three times. Between two
checks hardly any of them changes.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class Hit(NamedTuple):
    """`space[name]` is `value`; `space` is what `owner`, a module or a class, holds."""

    owner: Any
    space: Mapping[str, Any]
    name: str
    value: Any


class _Seen(NamedTuple):
    """A module as it was searched: `module` returns it while it lives, `size` is its number of names."""

    module: Callable[[], Any]
    size: int
    hits: tuple[Hit, ...]

    def still(self, module: Any, size: int) -> bool:
        """Check whether it is the same module, with as many names, and has not lost a hit."""
        if self.size != size or self.module() is not module:
            return False
        return all(space.get(name) is value for _, space, name, value in self.hits)


class Search:
    """The results of `hits` in each module.

    Repeated for a module that is new, lost a hit, or changed its number of names.

    `__main__` is always asked: in a notebook each cell may change it. Not seen: a name of another module that comes to
    stand for something else, while the module gets no name more or less.
    """

    def __init__(self, hits: Callable[[Any], Iterable[Hit]]) -> None:
        """Start without results. `hits` receives anything in `sys.modules`: modules, and objects in their place."""
        self._hits = hits
        self._seen: dict[int, _Seen] = {}

    def __iter__(self) -> Iterator[Hit]:
        before, self._seen = self._seen, {}
        main = sys.modules.get("__main__")
        for module in list(sys.modules.values()):
            size = len(getattr(module, "__dict__", ()))
            seen = before.get(id(module))
            if seen is None or module is main or not seen.still(module, size):
                seen = _Seen(_reference(module), size, tuple(self._hits(module)))
            self._seen[id(module)] = seen
        return iter([hit for seen in self._seen.values() for hit in seen.hits])


def _reference(module: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(module)
    except TypeError:  # of a type that knows no weak references
        return lambda: module
