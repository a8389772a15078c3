"""One system's settings in one run, merged by the system's own precedence of sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from .setting import Document, Place, Unknown, Value
from .system import Key, Setting, System


class View:
    """The settings that a system sees. False and empty if the run has no document of it."""

    def __init__(self, system: System, documents: tuple[Document, ...]) -> None:
        """Take the documents of a system, and sort them by precedence."""
        order = {origin: index for index, origin in enumerate(system.precedence)}
        self.system = system
        self.documents = tuple(
            sorted(documents, key=lambda document: order.get(document.origin, 9))
        )

    def __bool__(self) -> bool:
        return bool(self.documents)

    @cached_property
    def settings(self) -> Mapping[str, tuple[Setting, ...]]:
        """All settings of each key by precedence: a document before those it overrides, the last entry first."""
        found: dict[str, list[Setting]] = {}
        for document in self.documents:
            for entry in reversed(document.entries):
                key = self.system.key(entry.path)
                if key is not None:
                    found.setdefault(key.name, []).append(
                        Setting(key=key, entry=entry, document=document)
                    )
        return {name: tuple(settings) for name, settings in found.items()}

    @cached_property
    def open(self) -> bool:
        """True if some settings cannot be seen: arguments in an unset variable, `**options` in code."""
        return any(
            isinstance(entry.value, Unknown)
            and (entry.path.startswith("@") or entry.path == "**")
            for document in self.documents
            for entry in document.entries
        )

    @property
    def commanded(self) -> bool:
        """True if one of the documents is a command line, whose program may have its own defaults."""
        return any(document.origin == "command" for document in self.documents)

    @property
    def place(self) -> Place:
        """The place where the system's settings begin."""
        document = self.documents[0]
        if document.at is not None:
            return document.at
        if document.entries:
            return document.entries[0].at
        return Place(file=document.file, line=1, column=1)

    def given(self, name: str) -> Setting | None:
        """Return the setting of a key that takes precedence; None for `adapter:` in YAML if null is the default."""
        settings = self.settings.get(name, ())
        if not settings or settings[0].value is settings[0].key.default is None:
            return None
        return settings[0]

    def get(self, name: str) -> Value:
        """Return the value that takes precedence, else the default (`Unknown` if some settings cannot be seen)."""
        if not self.documents:
            return None
        setting = self.given(name)
        if setting is not None:
            return setting.value
        key = self.system.by_name[name]
        if self.open or self._ranges(key):
            return Unknown(text="?")
        return key.default

    def _ranges(self, key: Key) -> bool:
        """Check whether a key has a list of values for a tuner: `"stage": [0, 1, 2, 3]`."""
        return any(self.below(f"{name}.0") for name in (key.name, *key.aliases))

    def on(self, name: str) -> bool:
        """Check whether a switch is certainly on."""
        return self.get(name) is True

    def off(self, name: str) -> bool:
        """Check whether a switch is certainly off, or a key unset."""
        return self.get(name) in (False, None)

    def at(self, name: str, *values: Value) -> bool:
        """Check whether a key certainly has one of some values."""
        value = self.get(name)
        return not isinstance(value, Unknown) and any(
            value == v and type(value) is type(v) for v in values
        )

    def number(self, name: str) -> float | None:
        """Return a key's value as a number, if it is one."""
        value = self.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        return None

    def text(self, name: str) -> str:
        """Return a key's value in lower case; "" if it is unknown or unset."""
        value = self.get(name)
        return "" if value is None or isinstance(value, Unknown) else str(value).lower()

    def below(self, prefix: str) -> bool:
        """Check whether a document has a key below a prefix ("fsdp_config.")."""
        return any(
            entry.path.startswith(prefix) for d in self.documents for entry in d.entries
        )

    def filled(self, prefix: str) -> bool:
        """Check whether a document has a value below a prefix; `fsdp_config:` alone is none."""
        below = (
            e for d in self.documents for e in d.entries if e.path.startswith(prefix)
        )
        return any(entry.value is not None and entry.value != "" for entry in below)

    def entry(self, *paths: str) -> Setting | None:
        """Return the first setting of some keys that is given."""
        return next((setting for path in paths if (setting := self.given(path))), None)


ABSENT = View(System(name="", title="", version="", source="", keys=()), ())
"""The view of a system that a run does not have."""
