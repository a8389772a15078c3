"""A process that keeps torch and a program's libraries imported, and is forked for each check: what it and they share.

The libraries are those that a check has imported itself, imported once more on the machine and in a box. A program
whose own lines set variables of the environment imports its libraries in each check: they may look at these.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

from ...box.supervisor import STOPS
from ...running.process.linux import die_with_parent
from ...running.program.files_read import names, variables
from ...running.program.loading import shared
from ...running.workers.forks import flush_streams, forked, silenced
from .remembered import Remembered


@dataclass(slots=True)
class Warm:
    """Over a folder of its own. `hot`: libraries are imported; `at_work` is the process of a check, 0 between two.

    Libraries are left to each check where a report would mention their import, which is found out in a fork.
    """

    folder: str
    hot: bool = False
    at_work: int = 0
    _asked: set[str] = field(default_factory=set)
    answers: Remembered = field(init=False)

    def __post_init__(self) -> None:
        self.answers = Remembered(os.path.join(self.folder, "trials"))
        os.makedirs(self.answers.folder)

    def load(self) -> None:
        """Import torch and the virtual machine, before the first check."""
        shared()

    def begin(self) -> int:
        """Return a descriptor for the paths that the next check reads."""
        with suppress(FileNotFoundError):
            os.unlink(self._file("modules"))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC
        return os.open(self._file("read"), flags, 0o600)

    def run(self, check: Callable[[], int]) -> int:
        """Return the exit code of a check in a fork, -N where signal N killed it."""
        # a file is read from its start again; a terminal has none
        with suppress(OSError):
            os.lseek(0, 0, os.SEEK_SET)
        # until both know whose signals they are
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        self.at_work = forked(partial(_run, check, os.getpid()))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        _, status = os.waitpid(self.at_work, 0)
        self.at_work = 0
        return os.waitstatus_to_exitcode(status)

    def learn(self, machine: str, modules: Sequence[str]) -> None:
        """Store the libraries that a check has imported."""
        with open(self._file("modules"), "w") as file:
            json.dump([machine, *modules], file)

    def read(self) -> set[str]:
        """Return the paths that the last check has read."""
        return names(self._file("read"))

    @property
    def stale(self) -> bool:
        """True if the last check found libraries that it should have imported itself."""
        return self.hot and bool(variables(self._file("read")))

    def heat(self) -> None:
        """Import the libraries of the last check that are not there yet."""
        from ...box.kernel import KernelBox
        from ...box.python import python_box
        from ...core import machines
        from ...running.program.warm_process import heated, warmed

        try:
            with open(self._file("modules")) as file:
                machine, *modules = json.load(file)
        except FileNotFoundError:  # it came to no end
            return
        names = [one for one in modules if one not in self._asked | sys.modules.keys()]
        if variables(self._file("read")) or not names:
            return
        self._asked.update(names)
        on = machines.find(machine)
        with silenced(1, 2), python_box(network="offline") as box:
            probe = forked(lambda: os._exit(warmed(on, names, box)))
            if os.waitpid(probe, 0)[1]:
                return
            heated(on, names, box, KernelBox())
        self.hot = True

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)


def _run(check: Callable[[], int], parent: int) -> NoReturn:
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    code = check()
    flush_streams()
    os._exit(code)
