"""Arguments → a command of `commands/` → exit code.

    $ miscast check --machine 4xv100 train.py --lr 1e-4

Exit code: 0 nothing found, 1 findings, 130 or 143 after Ctrl-C or SIGTERM, 2 Miscast could not do its work; then one
line on stderr says why. Where the mistake is Miscast's own, MISCAST_TRACEBACK=1 prints the traceback too.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from . import __version__
from .commands import known
from .commands.program import passed_on
from .commands.refusal import RefusedError, concluded, near, preserved
from .core.frames import roomy

_EXAMPLES = """\
examples:
  miscast check train.py                             for this computer's GPU,
                                                     else for an A100
  miscast check --machine 4xv100 train.py --lr 1e-4  --lr is passed to train.py
  miscast check --machine h100 -m package.train
  miscast check --format json --output report.json package.module:function
  miscast run train.py --lr 1e-4                     really runs it and explains
                                                     its precision error
  miscast explain train.log                          or - for standard input
  miscast fix --machine v100 train.py                tested fixes as a diff
  miscast matrix --machine v100,a100 --vary '--dtype={fp16,bf16}' train.py
  miscast plan --machine rtx4090 train.py            which precision fits it
  miscast lint config/ train.sh ds_config.json       nothing is executed
  miscast rules operand-dtype-mismatch               what to write instead
  miscast machines                                   values of --machine
"""


class _Page(argparse.RawDescriptionHelpFormatter):
    """A command's page as it was written: its samples as they are, its sentences as wide as the terminal."""

    def _fill_text(
        self, text: str, width: int, indent: str
    ) -> str:  # what it overrides has no public name
        from textwrap import fill

        parts = re.split(r"(\n(?=[ \n])|(?<=\n)\n|(?m:^ .*$))", text)
        told = [
            part
            if not part.strip() or part.startswith(" ")
            else fill(part, width, break_on_hyphens=False)
            for part in parts
        ]
        return super()._fill_text("".join(told), width, indent)


class _Parser(argparse.ArgumentParser):
    """One whose options may be given a value that begins with dashes, as `--also '--fp16'`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, formatter_class=partial(_Page, width=80))

    def format_help(self) -> str:
        """Return the help, as wide as the terminal; the width is only read here because that is slow."""
        self.formatter_class = _Page
        return super().format_help()

    def parse_known_args(  # type: ignore[override]  # of two overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return the parsed options. An unknown option is refused, with similarly spelled ones as a hint."""
        told, left = super().parse_known_args([*self._joined(args or ())], namespace)
        known = self._option_string_actions  # argparse has no public name for them
        for word in left:
            if word.startswith("-"):
                hint = near(word.partition("=")[0], known)
                self.error(f"unknown option {word[:40]}{hint}")
            self.error(f"unexpected argument {word[:40]!r}")
        for word in passed_on(told, known):
            print(
                f"miscast: {word} is passed to {told.target}; put Miscast's options before it",
                file=sys.stderr,
            )
        return told, left

    def fold(self, shown: Collection[str]) -> None:
        """Move the options that are not to be `shown` first to a group of their own in the help."""
        group = self.add_argument_group("advanced")
        # argparse has no public name for the actions of a group
        for action in [*self._optionals._group_actions]:
            if not {*shown, "--help"}.intersection(action.option_strings):
                self._optionals._group_actions.remove(action)
                group._group_actions.append(action)

    def refuse_unknown(self, first: str) -> None:
        """Raise for a first word that is neither a command nor an option."""
        options = self._option_string_actions  # argparse has no public name for them
        hint = near(first, [*options, *(command.name for command in known())])
        if not first.startswith("-"):
            self.error(f"unknown command {first[:40]!r}{hint}")
        if first not in options:
            hint = hint or ": a command comes first"
            self.error(f"unknown option {first[:40]!r}{hint}")

    def _joined(self, words: Sequence[str]) -> Iterator[str]:
        """Yield an option and its value as one word, up to the target; later words are the program's."""
        left, known = iter(words), self._option_string_actions
        for word in left:
            if not word.startswith("-"):
                yield word
                break
            valued = word in known and known[word].nargs is None
            value = next(left, None) if valued else None
            if value is None or not value.startswith("--") or value in known:
                yield from (word,) if value is None else (word, value)
            else:
                yield f"{word}={value}"
        yield from left

    def error(self, message: str) -> NoReturn:
        """Raise the error as one line that refers to `--help`."""
        raise RefusedError(f"{message}; see '{self.prog} --help'")


@roomy
def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, without the program's name; the exit code."""
    _standing()
    done = concluded(partial(_run, sys.argv[1:] if argv is None else argv))
    # a program that is run for real: what it raises is its own
    return done() if callable(done) else done


def _run(arguments: Sequence[str]) -> int | Callable[[], int]:
    began = time.time()
    if arguments[:1] != ["run"] and isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal or pipe that cannot encode "→"; with `run`, stdout is the program's
        sys.stdout.reconfigure(errors="replace")
    parser = _parser(arguments[:1])
    if not arguments:
        parser.print_help()
        return 0
    options = parser.parse_args(arguments)
    preserved(options, getattr(options, "paths", ()))
    options.invoked = tuple(arguments), began
    _quieted(options)
    done: int | Callable[[], int] = options.run(options)
    return done


def _quieted(options: argparse.Namespace) -> None:
    """Turn off progress lines, here and in child processes, if the options ask for it."""
    if getattr(options, "no_progress", False) or getattr(options, "quiet", False):
        from .core.progress import OFF

        os.environ[OFF] = "1"


def _standing() -> None:
    """Replace closed standard streams by the null device; otherwise the next opened file would get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(opened, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
            setattr(sys, f"__{name}__", getattr(sys, name))


def _parser(first: Sequence[str]) -> argparse.ArgumentParser:
    """Return what parses a command line that begins so: with its command, or with all of them where it names none."""
    parser = _Parser(
        prog="miscast",
        description="Find the dtype, device and precision mistakes of a PyTorch program before it runs on a GPU.",
        epilog=_EXAMPLES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"miscast {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    if [*first] == ["--version"]:
        return parser
    of_first = known(*first)
    if first and not of_first:
        parser.refuse_unknown(first[0])
    for command in of_first or known():
        added: _Parser = commands.add_parser(
            command.name,
            description=command.page,
            usage=command.usage,
            allow_abbrev=False,
            help=command.summary,
        )
        command.add(added)
        added.set_defaults(run=command.run)
        if command.shown:
            added.fold(command.shown)
    return parser
