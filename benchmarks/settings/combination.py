"""One combination of settings, as a user has it: the files, the command that starts the program, the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """`files` are what the user wrote and `lint` reads; `command` is typed in their folder and stands in its run.sh."""

    family: str
    name: str
    files: Mapping[str, str]
    command: tuple[str, ...] = ("python", "train.py")
    machine: str = "a100"
    needs: tuple[str, ...] = ("llama",)
    """What tiny.py makes, in the folder by the same name."""

    @property
    def script(self) -> str:
        """The command as a shell script."""
        return f"{' '.join(self.command)}\n"
