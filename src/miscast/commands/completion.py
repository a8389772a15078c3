"""Print what makes a shell complete miscast's commands, options, formats, machines and rules.

  bash    source <(miscast completion bash)                  in ~/.bashrc
  zsh     source <(miscast completion zsh)                   in ~/.zshrc, behind compinit
  fish    miscast completion fish | source                   in ~/.config/fish/config.fish

It is made from the commands' own parsers when it is printed: what they can do is what is completed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from . import shells


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option: its names, what it is for, and its value: the words to choose from, files, or anything; None: none."""

    names: tuple[str, ...]
    help: str
    value: str | None = None
    words: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A command: `words` stand for its first argument; `target`: it runs a program, which the rest belongs to."""

    name: str
    summary: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()
    target: bool = False


def add(parser: argparse.ArgumentParser) -> None:
    """For which shell."""
    parser.add_argument("shell", choices=shells.NAMES, help="the shell that asks")


def run(options: argparse.Namespace) -> int:
    """Always 0."""
    print(shells.script(options.shell, tuple(commands())), end="")
    return 0


def commands() -> Iterator[Completed]:
    """All that there are, as their parsers are made."""
    from . import known

    for command in known():
        parser = argparse.ArgumentParser(prog=command.name)
        command.add(parser)
        actions = parser._actions  # argparse has no public name for them
        yield Completed(
            name=command.name,
            summary=command.summary,
            options=tuple(_option(one) for one in actions if one.option_strings),
            words=next((_words(one) for one in actions if not one.option_strings), ()),
            target=any(one.nargs == argparse.REMAINDER for one in actions),
        )


def _option(action: argparse.Action) -> Option:
    words = _words(action)
    takes = action.nargs != 0
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return Option(
        names=tuple(action.option_strings),
        help=" ".join((action.help or "").split()).replace("%%", "%"),
        value=metavar if takes else None,
        words=words,
        files=takes and metavar in ("FILE", "PAGE", "DIR", "PATH"),
    )


def _words(action: argparse.Action) -> tuple[str, ...]:
    """What can be given there, as far as it is known."""
    if action.choices is not None:
        return tuple(map(str, action.choices))
    if action.dest == "format":
        from ..report import formats

        return formats()
    if action.dest == "machine":
        from .. import machines

        return tuple(one.name for one in machines.known())
    if action.dest == "name" and not action.option_strings:
        return _rules()
    return ()


def _rules() -> tuple[str, ...]:
    from ..lint.rules import known as of_settings
    from ..rules import known
    from ..shadowing.pages import known as of_numbers

    names = [rule.name for rule in known()]
    names += [rule.name for rule in of_settings()]
    names += [rule.name for rule in of_numbers()]
    return tuple(sorted({*names}))
