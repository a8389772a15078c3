"""`--baseline`, `--write-baseline`, the project's settings, and what is left of a report with them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from .refusal import RefusedError, named, near, writable

if TYPE_CHECKING:
    from ..report import Report
    from ..suppression.accounting import Accounting
    from ..suppression.settings import Settings


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Add both options."""
    group = parser.add_mutually_exclusive_group()
    # fmt: off
    group.add_argument("--baseline", type=named, metavar="FILE", help="report only findings that are not in FILE")
    group.add_argument("--write-baseline", type=named, metavar="FILE",
        help="save the current findings to FILE as the baseline")
    # fmt: on


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the reported rules and the exit code."""
    # fmt: off
    parser.add_argument("--select", type=_rules, action="extend", metavar="RULE,…", help="report only these rules")
    parser.add_argument("--ignore", type=_rules, action="extend", metavar="RULE,…", help="do not report these rules")
    parser.add_argument("--statistics", action="store_true", help="also print the number of findings per rule")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    # fmt: on


def _rules(text: str) -> frozenset[str]:
    from ..judging.findings.aliases import current
    from ..report.rule_page import names

    told = frozenset(current(one.strip()) for one in text.split(",") if one.strip())
    if not told:
        raise argparse.ArgumentTypeError("no rule given; 'miscast rules' lists them")
    for name in sorted(told.difference(names())):
        hint = near(name, names()) or "; 'miscast rules' lists them"
        raise argparse.ArgumentTypeError(f"unknown rule {name[:40]!r}{hint}")
    return told


def _ignored(
    options: argparse.Namespace, judged: Callable[[], Collection[str]]
) -> frozenset[str]:
    """Return the rules that the command line leaves out. Raises RefusedError if it selects one that is not checked."""
    from ..report.rule_page import names

    selected = getattr(options, "select", None)
    ignored = frozenset(getattr(options, "ignore", None) or ())
    if not selected:
        return ignored
    for name in sorted(set(selected).difference(judged())):
        raise RefusedError(
            f"--select {name}: this command does not check it with these options; see 'miscast rules {name}'"
        )
    return ignored.union(names()).difference({*selected} - ignored)


def project(options: argparse.Namespace) -> Settings:
    """Return what `[tool.miscast]` says, read once for a command line. Raises RefusedError."""
    from ..suppression.settings import Settings, settings
    from ..suppression.unusable import UnusableError

    said = getattr(options, "project", None)
    if not isinstance(said, Settings):
        try:
            said = options.project = settings()
        except UnusableError as error:
            raise RefusedError(error) from error
    return said


def add_strict(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--strict`, and its opposite for a project whose settings enable it."""
    parser.add_argument("--strict", action=argparse.BooleanOptionalAction, help=what)


def settle(options: argparse.Namespace) -> None:
    """Fill in options that the command line lacks from the project's settings. Raises RefusedError."""
    said = project(options)
    if options.strict is None:
        options.strict = said.strict


def accounting(
    options: argparse.Namespace, judged: Callable[[], Collection[str]]
) -> Accounting:
    """Return what suppresses findings of a command: before it runs.

    Raises RefusedError for what cannot be read or written.
    """
    from ..suppression.accounting import Accounting
    from ..suppression.unusable import UnusableError

    said = project(options)
    writable(options.write_baseline, "baseline")
    file = options.baseline or (None if options.write_baseline else said.baseline)
    try:
        known = frozenset[str]() if file is None else _known(file)
    except UnusableError as error:
        raise RefusedError(error) from error
    return Accounting(
        settings=said,
        known=known,
        write=options.write_baseline,
        ignored=_ignored(options, judged),
        counted=getattr(options, "statistics", False),
    )


def _known(file: str) -> frozenset[str]:
    from ..suppression.baseline import read

    return read(file)


def accounted(
    report: Report,
    by: Accounting,
    judged: Callable[[], Collection[str]],
    files: Collection[str] = (),
) -> Report:
    """Return the report with its remaining findings; with all of them if Miscast itself fails in this.

    Raises RefusedError where the baseline cannot be written.
    """
    from ..report import plain
    from ..suppression.unusable import UnusableError

    try:
        return by.of(report, judged, files)
    except UnusableError as error:
        raise RefusedError(error) from error
    except Exception as error:  # noqa: BLE001 - Miscast's own; the findings are told all the same
        return plain.failing(report, error)


def judged_by_check(options: argparse.Namespace) -> frozenset[str]:
    """Return the rules that check a run on a virtual machine, with these options."""
    from ..judging.rules import known
    from ..report.rule_page import of_losses

    numbers = frozenset() if options.numerics else of_losses()
    return frozenset(
        one.name
        for one in known()
        if (options.strict or not one.strict) and one.name not in numbers
    )
