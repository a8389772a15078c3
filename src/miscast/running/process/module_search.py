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


class Search:
    """The results of `hits` in each module.

    Repeated for a module that is new, lost a hit, or changed its number of names.

    `__main__` is always asked: in a notebook each cell may change it. Not seen: a name of another module that comes to
    stand for something else, while the module gets no name more or less.
    """

    def __init__(self, hits: Callable[[Any], Iterable[Hit]]) -> None:
        """Start without results. `hits` receives anything in `sys.modules`: modules, and objects in their place."""
        self._hits = hits
        self._forget()

    def _forget(self, _died: object = None) -> None:
        """Forget all results, after a module has died: its address may be reused, and what it held must not live on."""
        self._references: list[Any] = []
        self._found: dict[int, list[Hit]] = {}
        self._ids: list[int] = []
        self._spaces: list[dict[str, Any]] = []
        self._sizes: list[int] = []

    def __iter__(self) -> Iterator[Hit]:
        modules = list(sys.modules.values())  # none of them dies while this list lives
        if self._ids != list(map(id, modules)):
            self._look(modules)
        else:
            self._ask_resized(modules)
        if lost := self._lost():
            self._ask(m for m in modules if id(m) in lost)
        if "__main__" in sys.modules:
            self._ask([sys.modules["__main__"]])
        return iter([hit for hits in self._found.values() for hit in hits])

    def _ask_resized(self, modules: list[Any]) -> None:
        before, self._sizes = self._sizes, list(map(len, self._spaces))
        if before != self._sizes:
            self._ask(
                m
                for m, old, new in zip(modules, before, self._sizes, strict=True)
                if old != new
            )

    def _lost(self) -> set[int]:
        """Return the modules in which a name has another value now."""
        found = list(self._found.items())
        return {
            key
            for key, hits in found
            for _, space, name, value in hits
            if space.get(name) is not value
        }

    def _look(self, modules: list[Any]) -> None:
        """Ask the modules that were not there, or not of this size."""
        found = self._found  # before `known`: an old module may die, and `_forget` run, between any two lines
        known = dict(zip(self._ids, self._sizes, strict=False))
        # those to old modules go, and call nobody any more
        self._references = [self._reference(m) for m in modules]
        self._ids = list(map(id, modules))
        self._spaces = [getattr(m, "__dict__", {}) for m in modules]
        self._sizes = list(map(len, self._spaces))
        self._found = {}
        for module, key, size in zip(modules, self._ids, self._sizes, strict=True):
            if known.get(key) != size:
                self._ask([module])
            elif key in found:
                self._found[key] = found[key]

    def _reference(self, module: Any) -> Any:
        try:
            return weakref.ref(module, self._forget)
        except TypeError:  # of a type that knows no weak references
            return module

    def _ask(self, modules: Iterable[Any]) -> None:
        for module in modules:
            self._found.pop(id(module), None)
            if hits := list(self._hits(module)):
                self._found[id(module)] = hits
