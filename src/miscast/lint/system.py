"""What a trainer, a launcher or a library reads from its configuration: keys, allowed values, defaults, sources.

    System(name="accelerate", keys=(Key(name="mixed_precision", allowed=("no", "fp16", "bf16", "fp8"), default="no"),))

A fact states where it was read, with the version: the library's own file, or its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from .setting import Document, Entry, Origin, Unknown, Value

if TYPE_CHECKING:
    from .run import Run
    from .table import Component
    from .view import View

Role = Literal["trainer", "launcher", "engine", "environment", "library"]
Kind = Literal["bool", "choice", "number", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting. `rejects` is what happens with a value outside `allowed`; empty: such a value is not reported.

    `since` and `until` are versions of the system; `removed` says what became of a key that is gone.
    """

    name: str
    kind: Kind = "choice"
    allowed: tuple[Value, ...] = ()
    default: Value = None
    aliases: tuple[str, ...] = ()
    means: str = ""
    rejects: str = ""
    since: str = ""
    until: str = ""
    removed: str = ""
    source: str = ""
    caseless: bool = False
    """Whether the system reads the value in lower case."""


@dataclass(frozen=True, kw_only=True)
class System:
    """One trainer, launcher or library.

    A document is its own if it has all paths of one of `marks` (a path that ends in "." stands for all below it), or,
    for a command or a call, if its program or callee is one of `programs`; never if it has a path of `unless`.
    `others` are known keys without a bearing on precision: an unknown key that looks like one of them is no slip of a
    precision key.
    """

    name: str
    title: str
    version: str
    source: str
    role: Role = "trainer"
    keys: tuple[Key, ...]
    others: frozenset[str] = frozenset()
    marks: tuple[tuple[str, ...], ...] = ()
    unless: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    """The environment variables that mark an environment as this system's."""
    precedence: tuple[Origin, ...] = ("call", "command", "environment", "file")
    translate: Callable[[Document], Document] | None = None
    effective: Callable[[View, Run], Iterable[Component]] | None = None
    nested: tuple[str, ...] = field(default=())
    """Prefixes under which the keys may stand as well: "trainer." in a Lightning CLI file."""

    @cached_property
    def by_name(self) -> Mapping[str, Key]:
        """The keys by name and alias."""
        found = {}
        for key in self.keys:
            for name in (key.name, *key.aliases):
                found[name] = key
        return found

    def key(self, path: str) -> Key | None:
        """The key that a path of a document names."""
        for prefix in self.nested:
            if path.startswith(prefix) and path[len(prefix) :] in self.by_name:
                return self.by_name[path[len(prefix) :]]
        return self.by_name.get(path)

    def claims(self, document: Document) -> int:
        """How surely a document is this system's; 0: it is not."""
        if document.origin == "environment":
            return sum(entry.path in self.variables for entry in document.entries)
        paths = {entry.path for entry in document.entries}
        paths |= {path[len(prefix) :] for prefix in self.nested for path in paths if path.startswith(prefix)}
        if any(_has(paths, path) for path in self.unless):
            return 0
        if document.origin != "file" and _named(document.name, self.programs):
            return 1000 + sum(self.key(path) is not None for path in paths)
        if document.origin == "call" or not self.marks:
            return 0
        if not any(all(_has(paths, path) for path in mark) for mark in self.marks):
            return 0
        return 1 + sum(self.key(path) is not None or path in self.others for path in paths)


def _has(paths: set[str], wanted: str) -> bool:
    if wanted.endswith("."):
        return any(path.startswith(wanted) for path in paths)
    return wanted in paths


def _named(name: str, programs: tuple[str, ...]) -> bool:
    """Whether a program's or callee's name ends in one of `programs` ("…/train_network.py", "pl.Trainer")."""
    tail = name.replace("\\", "/").rpartition("/")[2]
    return any(p in (name, tail) or tail.endswith(f".{p}") or (p.endswith("/") and p in name) for p in programs)


def normal(value: Value, kind: Kind) -> Value:
    """A value as the system takes it: "True", "1" and a bare flag are True for a switch, "1e-4" is a number."""
    if isinstance(value, Unknown) or value is None:
        return value
    if kind == "bool":
        word = str(value).lower()
        return True if word in ("true", "1", "yes", "on", "y", "t") else False if word in _FALSE else value
    if kind == "number" and isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


_FALSE = ("false", "0", "no", "off", "n", "f", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """An entry of a document, as a system understands it."""

    key: Key
    entry: Entry
    document: Document

    @property
    def value(self) -> Value:
        """The value, in the type that the key has."""
        value = normal(self.entry.value, self.key.kind)
        folded = self.key.caseless and self.document.origin != "command"  # argparse compares letter by letter
        return value.lower() if folded and isinstance(value, str) else value

    @property
    def name(self) -> str:
        """The key as a person finds it in the file: "fp16.enabled", "--mixed_precision"."""
        written = self.entry.path
        return f"--{written}" if self.document.origin == "command" and "=" not in written else written
