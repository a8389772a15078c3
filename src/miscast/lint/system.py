"""A trainer, a launcher or a library: its keys with their allowed values, defaults and sources.

    System(name="accelerate", keys=(Key(name="mixed_precision", allowed=("no", "fp16", "bf16", "fp8"), default="no"),))

Each fact has its source and version: the library's file, or its documentation.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ..core.frozen import dataclass
from .claim import Claim
from .facts import Facts
from .setting import Document, Entry, Origin, Unknown, Value

if TYPE_CHECKING:
    from .run import Run
    from .table import Component
    from .view import View

Role = Literal["trainer", "server", "launcher", "engine", "environment", "library"]
Kind = Literal["bool", "choice", "number", "text"]

_NO_FACTS = Facts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting. `rejects` is the error for a value that is not `allowed`; empty: such a value is not reported.

    `since` and `until` are versions of the system.
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
    source: str = ""
    makes: bool = False
    """True if tensors are created in the dtype that its value names, on any machine."""
    grows: bool = False
    """True if newer versions allow more values."""
    caseless: tuple[Origin, ...] = ()
    """The sources in which case does not matter; argparse is case-sensitive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Key):
    """A setting that is on or off; off by default."""

    kind: Kind = "bool"
    default: Value = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Key):
    """A setting with text that is not checked."""

    kind: Kind = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Key):
    """A setting with a number."""

    kind: Kind = "number"


@dataclass(frozen=True, kw_only=True)
class System(Claim):
    """One trainer, launcher or library.

    `others` are known keys without a bearing on precision: an unknown key that looks like one of them is no misspelled
    precision key. A system `based_on` another has that one's keys, except those that it `lacks` or defines itself, its
    others, and, by default, its facts and its effective precision.
    """

    title: str
    version: str
    source: str
    role: Role = "trainer"
    based_on: System | None = None
    lacks: tuple[str, ...] = ()
    keys: tuple[Key, ...]
    others: frozenset[str] = frozenset()
    program_decides: bool = False
    """True if its programs differ: a measurement of one does not hold for another."""
    unknown_key: str = "silent: it is ignored, and the default stays"
    """The effect of a key that it does not know."""
    closed: tuple[str, ...] = ()
    """Prefixes below which every unknown key is an error."""
    closed_since: str = ""
    """The versions that refuse such a key; empty: all."""
    key_twice: str = ""
    """The error for a key given twice in a file; empty: the last one counts."""
    precedence: tuple[Origin, ...] = ("call", "command", "environment", "file")
    translate: Callable[[Document], Document] | None = None
    effective: Callable[[View, Run], Iterable[Component]] | None = None
    facts: Facts = _NO_FACTS

    def __post_init__(self) -> None:
        """Inherit from the system that this one is based on."""
        base = self.based_on
        if base is None:
            return
        inherited = {
            "keys": _extended(base.keys, self.lacks, self.keys),
            "others": base.others | self.others,
            "facts": base.facts if self.facts is _NO_FACTS else self.facts,
            "effective": self.effective or base.effective,
        }
        for name, value in inherited.items():
            object.__setattr__(self, name, value)

    @property
    def family(self) -> tuple[str, ...]:
        """Its name, and the names of the systems that it is based on."""
        return (self.name, *(self.based_on.family if self.based_on else ()))

    @cached_property
    def by_name(self) -> Mapping[str, Key]:
        """The keys by name and alias."""
        return {name: key for key in self.keys for name in (key.name, *key.aliases)}

    def key(self, path: str) -> Key | None:
        """Return the key that a path of a document names."""
        for prefix in self.nested:
            if path.startswith(prefix) and path[len(prefix) :] in self.by_name:
                return self.by_name[path[len(prefix) :]]
        return self.by_name.get(path)

    def claims(self, document: Document, written: frozenset[str]) -> int:
        """Return how surely a document that fits, in which some paths are written, is this system's."""
        paths = self.paths(written)
        known = {path for path in paths if self.key(path) is not None}
        if self.names(document):
            return 1000 + len(known)
        return len(known | (self.others & paths))


def _extended(
    base: Iterable[Key], lacks: Container[str], own: Iterable[Key]
) -> tuple[Key, ...]:
    """Return a base's keys without `lacks`, with `own` keys replacing those of the same name, and new ones last."""
    found = {key.name: key for key in base if key.name not in lacks}
    return tuple((found | {key.name: key for key in own}).values())


def normal(value: Value, kind: Kind) -> Value:
    """Return a value as the system reads it: "True", "1" and a bare flag are True for a switch, "1e-4" is a number."""
    if isinstance(value, Unknown) or value is None:
        return value
    if kind == "bool":
        return _SWITCHED.get(str(value).lower(), value)
    if kind == "number" and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return float(value)
    return value


_SWITCHED = dict.fromkeys(("true", "1", "yes", "on", "y", "t"), True) | dict.fromkeys(
    ("false", "0", "no", "off", "n", "f", ""), False
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """An entry of a document, as a system understands it."""

    key: Key
    entry: Entry
    document: Document

    @property
    def value(self) -> Value:
        """The value, with the key's type; an option whose value is missing is neither on nor off."""
        if (
            self.entry.flag
            and self.key.kind == "choice"
            and True not in self.key.allowed
        ):
            return Unknown(text="unknown")
        value = normal(self.entry.value, self.key.kind)
        folded = self.document.origin in self.key.caseless
        return value.lower() if folded and isinstance(value, str) else value

    @property
    def name(self) -> str:
        """The key as it is written in the file: "fp16.enabled", "--mixed_precision"."""
        written = self.entry.path
        if self.document.origin == "command" and "=" not in written:
            return f"--{written}"
        return written
