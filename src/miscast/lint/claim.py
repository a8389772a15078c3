"""Recognise the system of a document: by its keys, its program, or its environment variables.

    Claim(name="accelerate", marks=(("compute_environment",),), programs=("accelerate launch",)).fits(document, paths)

The index has the claims of all systems, so that only systems that a document fits are imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ..core.frozen import dataclass
from .setting import Document


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A file is a system's if it has all paths of one of `marks`; one that ends in "." stands for all below it.

    A command or a call is its if the program or callee is one of `programs`, or if it has a mark; an environment if it
    sets one of `variables`. A document with a path of `unless` is another system's.
    """

    name: str
    marks: tuple[tuple[str, ...], ...] = ()
    unless: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    """Prefixes under which the keys may stand as well: "trainer." in a Lightning CLI file."""
    programs: tuple[str, ...] = ()
    """Ends of names ("…/train_network.py", "pl.Trainer"), or parts of them ("sat/")."""
    modules: tuple[str, ...] = ()
    """The packages that callees come from: a `Trainer` of another package is not this system's."""
    imported: bool = False
    """True if a callee must be imported from `modules`, as other packages use the name."""
    variables: tuple[str, ...] = ()

    @cached_property
    def leads(self) -> frozenset[str]:
        """First words of paths; a document with a mark has at least one of them."""
        paths = (*(mark[0] for mark in self.marks), *self.nested)
        return frozenset(path.partition(".")[0] for path in paths)

    def fits(self, document: Document, written: frozenset[str]) -> bool:
        """Check whether a document, in which some paths are written, may be this system's."""
        if document.origin == "environment":
            return not written.isdisjoint(self.variables)
        named = self.names(document)
        if self._is_anothers(document) if named else document.origin == "call":
            return False
        paths = self.paths(written)
        return not self._refuses(paths) and (named or self._is_marked(paths))

    def names(self, document: Document) -> bool:
        """Check whether a document is a command or a call of one of `programs`."""
        return document.origin != "file" and self.has_program(document.name)

    def has_program(self, name: str) -> bool:
        """Check whether a command's program or a call's callee is one of `programs`."""
        tail = name.replace("\\", "/").rpartition("/")[2]
        return any(
            p in (name, tail)
            or tail.endswith(f".{p}")
            or (p.endswith("/") and p in name)
            for p in self.programs
        )

    def paths(self, written: frozenset[str]) -> frozenset[str]:
        """Return a document's paths, with and without the prefixes of `nested`."""
        return written.union(
            path[len(p) :]
            for p in self.nested
            for path in written
            if path.startswith(p)
        )

    def _is_anothers(self, document: Document) -> bool:
        package = document.module.partition(".")[0]
        if self.imported and document.origin == "call":
            return package not in self.modules
        return bool(document.module and self.modules) and package not in self.modules

    def _refuses(self, paths: frozenset[str]) -> bool:
        return any(_has_all(paths, (path,)) for path in self.unless)

    def _is_marked(self, paths: frozenset[str]) -> bool:
        return any(_has_all(paths, mark) for mark in self.marks)


def _has_all(paths: frozenset[str], required: Iterable[str]) -> bool:
    return all(
        any(path.startswith(one) for path in paths)
        if one.endswith(".")
        else one in paths
        for one in required
    )


def entry(claim: Claim) -> dict[str, Any]:
    """Return a claim as the index writes it: without what is empty."""
    values = {name: getattr(claim, name) for name in Claim.__annotations__}
    return {name: value for name, value in values.items() if value}


def read(found: Mapping[str, Any]) -> Claim:
    """Return the claim of an entry."""
    names = found.keys() & Claim.__annotations__.keys()
    return Claim(**{name: _tuple(found[name]) for name in names})


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
