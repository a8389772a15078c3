"""What `miscast` can be told to do: one file per command, found by discovery; nothing to register.

A command is a file of this folder that has `add(parser)`, which declares its arguments, and `run(options)`, which
returns the exit code, or a function that does and whose exceptions are the user's program's own. Its name is the
file's, its page in `--help` the module's docstring, whose first line is the summary; `USAGE` replaces argparse's.

    >>> [command.name for command in known()]
    ['check', 'explain', …]
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

__all__ = ["Command", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: its name, its page, and the functions that declare and do it."""

    name: str
    page: str
    usage: str | None
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | Callable[[], int]]

    @property
    def summary(self) -> str:
        """The first line of the page, as it stands in a list."""
        line = self.page.partition("\n")[0].rstrip(".:")
        return line[0].lower() + line[1:]


@cache
def known() -> tuple[Command, ...]:
    """Every command, by name."""
    found = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "add"):
            page = inspect.cleandoc(module.__doc__ or "")
            usage = getattr(module, "USAGE", None)
            found.append(Command(name=info.name, page=page, usage=usage, add=module.add, run=module.run))
    return tuple(sorted(found, key=lambda command: command.name))
