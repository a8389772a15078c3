"""One system's settings in one run, merged: of several sources, the one that the system itself prefers wins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from .setting import Document, Place, Unknown, Value
from .system import Key, Setting, System


class View:
    """What a system will see. False, and without any value, where the run has no document of it."""

    def __init__(self, system: System, documents: tuple[Document, ...]) -> None:
        """The documents of a system, sorted by what it prefers."""
        order = {origin: index for index, origin in enumerate(system.precedence)}
        self.system = system
        self.documents = tuple(
            sorted(documents, key=lambda document: order.get(document.origin, 9))
        )

    def __bool__(self) -> bool:
        return bool(self.documents)

    @cached_property
    def settings(self) -> Mapping[str, tuple[Setting, ...]]:
        """All settings of each key, the winner first: a document before those it overrides, the last entry first."""
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
        """Whether part of the settings is out of sight: arguments in an unset variable, `**options` in code."""
        return any(
            isinstance(entry.value, Unknown)
            and (entry.path.startswith("@") or entry.path == "**")
            for document in self.documents
            for entry in document.entries
        )

    @property
    def commanded(self) -> bool:
        """Whether a command line is among the documents, whose program may have defaults of its own."""
        return any(document.origin == "command" for document in self.documents)

    @property
    def place(self) -> Place:
        """Where the system's settings begin."""
        document = self.documents[0]
        if document.at is not None:
            return document.at
        return (
            document.entries[0].at
            if document.entries
            else Place(file=document.file, line=1, column=1)
        )

    def given(self, name: str) -> Setting | None:
        """The setting of a key that wins, if there is one; `adapter:` of a YAML is none where null is the default."""
        settings = self.settings.get(name, ())
        if not settings or settings[0].value is settings[0].key.default is None:
            return None
        return settings[0]

    def get(self, name: str) -> Value:
        """The value that wins, else the default (`Unknown` where settings are out of sight)."""
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
        """Whether a key has a list of values, of which a tuner tries each: `"stage": [0, 1, 2, 3]`."""
        return any(self.below(f"{name}.0") for name in (key.name, *key.aliases))

    def on(self, name: str) -> bool:
        """Whether a switch is on, for sure."""
        return self.get(name) is True

    def off(self, name: str) -> bool:
        """Whether a switch is off, or a key unset, for sure."""
        return self.get(name) in (False, None)

    def at(self, name: str, *values: Value) -> bool:
        """Whether a key has one of some values, for sure."""
        value = self.get(name)
        return not isinstance(value, Unknown) and any(
            value == v and type(value) is type(v) for v in values
        )

    def number(self, name: str) -> float | None:
        """A key's value as a number, if it is one."""
        value = self.get(name)
        return (
            float(value)
            if isinstance(value, (int, float)) and not isinstance(value, bool)
            else None
        )

    def text(self, name: str) -> str:
        """A key's value in lower case; empty where it is unknown or unset."""
        value = self.get(name)
        return "" if value is None or isinstance(value, Unknown) else str(value).lower()

    def below(self, prefix: str) -> bool:
        """Whether a document has a key below a prefix ("fsdp_config.")."""
        return any(
            entry.path.startswith(prefix) for d in self.documents for entry in d.entries
        )

    def filled(self, prefix: str) -> bool:
        """Whether a document gives a key below a prefix a value: `fsdp_config:` alone is none."""
        return any(
            entry.path.startswith(prefix)
            and entry.value is not None
            and entry.value != ""
            for document in self.documents
            for entry in document.entries
        )

    def entry(self, *paths: str) -> Setting | None:
        """The first setting of some keys that is given."""
        return next((setting for path in paths if (setting := self.given(path))), None)


ABSENT = View(System(name="", title="", version="", source="", keys=()), ())
"""The view of a system that a run does not have."""
