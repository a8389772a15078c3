"""The arguments of every command, read off its parser: for the page of all commands, and for what completes words.

>>> [option.names for option in described()[0].options]
[('--format',), ('-q', '--quiet'), …]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from . import Command, known


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An option, or what stands by itself: its names, what it is for, and its value (None: it takes none).

    `words` are those to choose from, `listed` says whether no other is taken; `files`: one of a file is.
    """

    names: tuple[str, ...]
    help: str
    value: str | None = None
    words: tuple[str, ...] = ()
    listed: bool = False
    files: bool = False

    @property
    def spelled(self) -> str:
        """The spelling on a page: "-q, --quiet", "--output FILE", "TARGET"."""
        names = ", ".join(self.names)
        value = "{" + ",".join(self.words) + "}" if self.listed else self.value
        return " ".join(filter(None, (names, value)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A command and its arguments; `target`: it runs a program, which the rest of the line belongs to."""

    command: Command
    options: tuple[Argument, ...]
    positional: tuple[Argument, ...]
    target: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The known choices of its first argument."""
        return self.positional[0].words if self.positional else ()


def described() -> tuple[Described, ...]:
    """Return all commands with their parsers' arguments."""
    return tuple(map(_described, known()))


def _described(command: Command) -> Described:
    parser = argparse.ArgumentParser(prog=command.name)
    command.add(parser)
    # argparse has no public name for them
    shown = [one for one in parser._actions if one.help is not argparse.SUPPRESS]
    return Described(
        command=command,
        options=tuple(_argument(one) for one in shown if one.option_strings),
        positional=tuple(_argument(one) for one in shown if not one.option_strings),
        target=any(one.nargs == argparse.REMAINDER for one in shown),
    )


def _argument(action: argparse.Action) -> Argument:
    taken = action.metavar or action.dest.upper()
    value = " ".join(taken) if isinstance(taken, tuple) else taken
    told = (action.help or "").replace("%(default)s", str(action.default))
    return Argument(
        names=tuple(action.option_strings),
        help=" ".join(told.replace("%%", "%").split()),
        value=None if action.nargs == 0 else value,
        words=_words(action),
        listed=action.choices is not None and action.metavar is None,
        files=action.nargs != 0 and value in ("FILE", "PAGE", "DIR", "PATH"),
    )


def _words(action: argparse.Action) -> tuple[str, ...]:
    """Return the possible values, as far as they are known."""
    if action.choices is not None:
        return tuple(map(str, action.choices))
    if action.dest == "format":
        from ..report import formats

        return formats()
    if action.dest == "machine":
        from ..core import machines

        return tuple(one.name for one in machines.known())
    if action.dest == "name" and not action.option_strings:
        from ..report.rule_page import names

        return names()
    return ()
