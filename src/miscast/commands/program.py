"""The arguments of every command that runs a program: which, with which arguments of its own, and on what machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .refusal import RefusedError, batches, existing, named, ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ..core.machines import Choice
    from ..report import Report


def add_target(
    parser: argparse.ArgumentParser,
    what: str = "script.py, -m module, or package.module:function",
) -> None:
    """Add the target and its arguments: everything after the target is passed to the program."""
    # fmt: off
    parser.add_argument("-m", action="store_true", dest="module", help="TARGET is a module name")
    parser.add_argument("target", nargs="?", metavar="TARGET", help=what)
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments passed to the program")
    # fmt: on


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add the options for the machine, the batches, the ranks, and code to be reported and fixed."""
    # fmt: off
    parser.add_argument("--machine", type=named, metavar="M",
        help="v100, 4xa100, cpu, …; see 'miscast machines' (default: this computer's GPU, else a100)")
    parser.add_argument("--batches", type=batches, default=2, metavar="N",
        help="limit long data loaders to N batches (default: 2)")
    parser.add_argument("--ranks", type=ranks, default=0, metavar="N", help="run all N ranks of a torchrun job")
    parser.add_argument("--edit", type=existing, action="append", default=[], metavar="PATH",
        help="also report in (and fix) this package")
    # fmt: on


def passed_on(options: argparse.Namespace, known: Collection[str]) -> Iterator[str]:
    """Yield Miscast's own options after the target, which go to the program, unless its source mentions them."""
    args = getattr(options, "args", ())
    if not args:
        return
    from ..core.syntax import text_of
    from ..running.launching.command_line import typed

    script = typed(target(options), args).target
    for word, value in zip(args, [*args[1:], "-"], strict=False):
        name, _, _ = word.partition("=")
        if name.startswith("--") and name in known and name not in text_of(script):
            valued = name == word and not value.startswith("-")
            yield f"{word} {value}" if valued else word


def required(options: argparse.Namespace, command: str) -> None:
    """Raise RefusedError if no program is named."""
    if not options.target:  # "" is a variable of a shell that is not set
        kinds = "script.py, -m module, or package.module:function"
        raise RefusedError(
            f"no program given: expected {kinds}; see 'miscast {command} --help'"
        )


def startable(named: str, args: Sequence[str]) -> None:
    """Raise RefusedError for what cannot be started, before torch is imported and anything is run."""
    from ..running.launching.command_line import starts_others, typed
    from ..running.launching.entry import CannotRunError, starter

    meant = typed(named, args).target
    try:
        if not starts_others(meant):
            starter(meant)
    except CannotRunError as error:
        raise RefusedError(error) from error


def vouched(report: Report) -> None:
    """Raise RefusedError, after the report, if Miscast failed, or found nothing in an unfinished run."""
    if report.failed is not None:
        raise RefusedError(report.failed)
    if report.ended is not None and not report.findings:
        raise RefusedError(f"not finished: {report.ended}")


def alike(options: argparse.Namespace, kind: type) -> dict[str, Any]:
    """Return the options that are named like a data class's fields, except those that need a conversion."""
    from dataclasses import fields

    own = ("target", "machine", "network", "reach")
    names = [field.name for field in fields(kind) if field.name not in own]
    return {name: getattr(options, name) for name in names if hasattr(options, name)}


def target(options: argparse.Namespace) -> str:
    """Return the target in the form of `launching.entry`: "train.py", "-m package"."""
    return f"-m {options.target}" if options.module else str(options.target)


def machine(options: argparse.Namespace) -> Choice:
    """Return the machine of a run, and why it is this one. Raises UnknownMachineError."""
    from ..core import machines
    from ..running.launching.command_line import ranks_of
    from .accounting import project

    said = project(options).machine
    ranks = getattr(options, "ranks", 0)
    if options.target and not ranks:
        ranks = ranks_of(target(options), getattr(options, "args", ()))
    return machines.chosen(options.machine, said, options.target, ranks)
