"""Patches in force wherever a function is known: by its module, and by the names under which others imported it.

with everywhere([Patch(os, "remove", virtual)]):
    from_their_module.rm("x")     # `from os import remove as rm`, written long before
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from .module_search import Hit, Search
from .patching import Patch, applied

if TYPE_CHECKING:
    from ...core.failure import Failures

Swaps = dict[int, tuple[Any, Any]]
"""A callable and its replacement, by the callable's `id`."""

Names = Mapping[int, list[Hit]]
"""The places where modules hold a callable, by its `id`."""


class Standing(NamedTuple):
    """Callables with their replacements, and the names of the replacements in other modules."""

    swaps: Swaps
    names: Names


_OURS = f"{__name__.partition('.')[0]}."
_KINDS = 8
# one for each set of originals: those of a machine, of a box
_searches: dict[frozenset[int], Search] = {}


@contextmanager
def everywhere(
    wanted: list[Patch],
    failures: Failures | None = None,
    *,
    also: Callable[[Swaps], Iterable[Patch]] = lambda _: (),
    known: Names | None = None,
) -> Iterator[Standing]:
    """Apply all patches within the block, undo them also in modules that imported one, and yield the swaps and places.

    `also` makes further patches of the swaps. Functions in `known`, which another `everywhere` put there, are not
    looked for: their addresses are new each time, and no search could be kept.
    """
    known = known or {}
    swaps = swapped(wanted)
    names: dict[int, list[Hit]] = {id(new): [] for _, new in swaps.values()}
    for hit in _places(swaps, known):
        new = swaps[id(hit.value)][1]
        names[id(new)].append(hit._replace(value=new))
    named = (Patch(h.owner, h.name, h.value) for hits in names.values() for h in hits)
    before = set(sys.modules)
    try:
        with applied([*wanted, *named, *also(swaps)], failures):
            yield Standing(swaps, names)
    finally:
        put_back(
            ((new, old) for old, new in swaps.values()),
            set(sys.modules) - before,
            failures,
        )


def _places(swaps: Swaps, known: Names) -> Iterator[Hit]:
    """Yield the names that hold the originals: some are known, the rest are searched for."""
    for key in swaps.keys() & known.keys():
        yield from known[key]
    yield from _holders({key: pair for key, pair in swaps.items() if key not in known})


def swapped(wanted: Iterable[Patch]) -> Swaps:
    """Return the functions of modules that these patches replace."""
    return {
        id(original): (original, patch.value)
        for patch in wanted
        if isinstance(patch.owner, ModuleType)
        and callable(original := vars(patch.owner).get(patch.name))
    }


def put_back(
    pairs: Iterable[tuple[Any, Any]],
    modules: Iterable[str],
    failures: Failures | None = None,
) -> None:
    """Restore originals: where a module took the first of a pair, a callable, by name, it gets the second.

    A number that stood in for another says nothing: many a module has the same.
    """
    back = {
        id(new): (new, old) for new, old in pairs if old is not None and callable(new)
    }
    for name in modules if back else ():
        try:
            for hit in _bound(back, sys.modules.get(name)):
                setattr(hit.owner, hit.name, back[id(hit.value)][1])
        except Exception as error:
            if failures is None:
                raise
            failures.note(error, f"it restored what {name} imported")


def _holders(swaps: Swaps) -> Search:
    """Return a search of all modules for the originals; one per set, so that it looks only at what is new."""
    originals = frozenset(swaps)
    if originals not in _searches:
        if len(_searches) >= _KINDS:
            _searches.clear()
        # so that no address is reused
        kept = {key: (original, None) for key, (original, _) in swaps.items()}
        _searches[originals] = Search(partial(_bound, kept))
    return _searches[originals]


def _bound(swaps: Swaps, module: Any) -> Iterator[Hit]:
    """Yield the attributes of a Python module (not one of torch's C++, nor ours) that are to be swapped."""
    content = vars(module) if isinstance(module, ModuleType) else {}
    # nearly all modules; asked in C
    if swaps.keys().isdisjoint(map(id, tuple(content.values()))):
        return
    if not str(content.get("__name__")).startswith(("torch._C", _OURS)):
        for attribute, value in list(content.items()):
            if id(value) in swaps and swaps[id(value)][0] is value:
                yield Hit(module, content, attribute, value)
