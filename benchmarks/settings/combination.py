"""One combination of settings, as a user has it: the files, the command that starts the program, the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """`files` are what the user wrote and `lint` reads; `command` is typed in their folder and stands in its run.sh."""

    family: str
    name: str
    files: Mapping[str, str]
    command: tuple[str, ...] = ("python", "train.py")
    machine: str = "a100"
    harness: Mapping[str, str] = field(default_factory=dict)
    """What measures, and is no file of the user's: a trainer of its own command is run by a program of this."""
    typed: str = ""
    """What the user types, where `command` goes through the harness."""
    needs: tuple[str, ...] = ("llama",)
    """What tiny.py and pipelines.py make, in the folder by the same name."""
    checkouts: tuple[str, ...] = ()
    """Others' programs that lie in the folder by their last name: paths below the folder of checkouts.py."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Of a program that watches nothing itself: the classes that are watched, and which part of the table they are."""

    @property
    def script(self) -> str:
        """The command as a shell script."""
        return f"{self.typed or ' '.join(self.command)}\n"
