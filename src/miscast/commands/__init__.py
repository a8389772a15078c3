"""Commands of `miscast`: one file per command, found by discovery; nothing to register.

A command is a file of this folder that has `add(parser)`, which declares its arguments, and `run(options)`, which
returns the exit code, or a function that does and whose exceptions are the user's program's own. Its name is the
file's, its page in `--help` the module's docstring, whose first line is the summary; `USAGE` replaces argparse's.
`SHOWN` are the options that its help shows first.

    >>> [command.name for command in known()]
    ['check', 'explain', …]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..core.frozen import dataclass
from ..core.plugins import each, function, load, name_of, page_of, value

__all__ = ["Command", "known"]

_HELPERS = (
    "accounting", "arguments", "listing", "numbers", "program", "reaching", "refusal", "shadowed", "shells", "telling",
    "watching",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: its name, its page, and the functions that declare and do it."""

    name: str
    page: str
    usage: str | None
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | Callable[[], int]]
    shown: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page, as a list shows it."""
        line = self.page.partition("\n")[0].rstrip(".:")
        return line[0].lower() + line[1:]


def known(*only: str) -> tuple[Command, ...]:
    """Return every command, or those of these names, by name; other commands' files are then not imported."""
    files = load(
        __name__,
        needs=(function("add", 1), function("run", 1)),
        may=(value("USAGE", str), each("SHOWN", str)),
        helpers=_HELPERS,
        only=only or None,
    )
    found = [
        Command(
            name=name_of(file),
            page=page_of(file),
            usage=getattr(file, "USAGE", None),
            add=file.add,
            run=file.run,
            shown=getattr(file, "SHOWN", ()),
        )
        for file in files
    ]
    return tuple(sorted(found, key=lambda command: command.name))
