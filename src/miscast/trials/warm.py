"""A process that keeps torch and a program's libraries imported, and is forked for each check: what it and they share.

The libraries are those that a check has imported itself, imported once more on the machine and in a box. A program
whose own lines set variables of the environment imports its libraries in each check: they may look at these.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ..launching.entry import CannotRunError
from ..program.files_read import names, variables
from ..program.loading import loaded
from ..workers.forks import silenced
from .remembered import Remembered


@dataclass(slots=True)
class Warm:
    """Over a folder of its own. `hot`: libraries are imported."""

    folder: str
    hot: bool = False
    answers: Remembered = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Remembered(os.path.join(self.folder, "trials"))
        os.makedirs(self.answers.folder)

    def load(self) -> None:
        """Import torch and the virtual machine, before the first check."""
        with suppress(CannotRunError):  # the check tells
            loaded()

    def begin(self) -> int:
        """Return a descriptor for the paths that the next check reads."""
        with suppress(FileNotFoundError):
            os.unlink(self._file("modules"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC
        return os.open(self._file("read"), flags, 0o600)

    def learn(self, machine: str, modules: Sequence[str]) -> None:
        """In a check: these are the libraries that it has imported."""
        with open(self._file("modules"), "w") as file:
            json.dump([machine, *modules], file)

    def read(self) -> set[str]:
        """Return the paths that the last check has read."""
        return names(self._file("read"))

    @property
    def stale(self) -> bool:
        """Whether the last check found libraries that it should have imported itself."""
        return self.hot and bool(variables(self._file("read")))

    def heat(self) -> None:
        """Import the libraries of the last check that are not there yet."""
        from .. import machines
        from ..box.kernel import KernelBox
        from ..box.python import python_box
        from ..program.warm_process import libraries, warmed

        try:
            with open(self._file("modules")) as file:
                machine, *modules = json.load(file)
        except FileNotFoundError:  # it came to no end
            return
        if variables(self._file("read")) or all(
            name in sys.modules for name in modules
        ):
            return
        on = machines.find(machine)
        with silenced(1, 2), python_box(network="offline") as box:
            warmed(on, modules, box)
            warmed(on, (), KernelBox())  # what it looks for in modules is known then
        libraries()
        gc.collect()
        gc.freeze()
        self.hot = True

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)
