"""The parts of a matrix: axes with their settings, and combinations with one setting of each axis.

Cell({"machine": Setting(label="v100", machine="v100"),
      "--mixed_precision": Setting(label="fp16", arguments=("--mixed_precision=fp16",))})
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .changed_file import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value of an axis: `label` in the table, `said` in a sentence, and what it adds to a run."""

    label: str
    said: str
    machine: str = ""
    ranks: int = 0
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A varied setting by name, "machine" or "--mixed_precision", with its values by label, in order."""

    name: str
    settings: tuple[Setting, ...]

    def labelled(self, label: str) -> Setting:
        """Return the setting with this label. Raises KeyError if there is none."""
        for setting in self.settings:
            if setting.label == label:
                return setting
        raise KeyError(label)


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination; by axis, in their order."""

    settings: Mapping[str, Setting]

    @property
    def labels(self) -> dict[str, str]:
        """The label of each axis."""
        return {name: setting.label for name, setting in self.settings.items()}

    @property
    def said(self) -> str:
        """The combination in a sentence."""
        return ", ".join(setting.said for setting in self.settings.values())

    @property
    def machine(self) -> str:
        """The machine on which it runs; "cpu" if no axis sets it."""
        named = [one.machine for one in self.settings.values() if one.machine]
        return named[-1] if named else "cpu"

    @property
    def ranks(self) -> int:
        """The number of ranks; 0 leaves it unchanged."""
        return max((one.ranks for one in self.settings.values()), default=0)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that it adds to the program's."""
        found = [one.arguments for one in self.settings.values()]
        return tuple(itertools.chain.from_iterable(found))

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that it sets."""
        found = [one.environment.items() for one in self.settings.values()]
        return dict(itertools.chain.from_iterable(found))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that it makes in configuration files."""
        found = [one.changes for one in self.settings.values()]
        return tuple(itertools.chain.from_iterable(found))


def crossed(axes: Sequence[Axis]) -> Iterator[Cell]:
    """Yield every combination, the last axis changing fastest."""
    names = [axis.name for axis in axes]
    for settings in itertools.product(*(axis.settings for axis in axes)):
        yield Cell(dict(zip(names, settings, strict=True)))
