"""The options of `miscast run --shadow`, and the program with its shadow."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from .accounting import accounted, accounting, add_baseline
from .refusal import RefusedError, named, positive, size, writable
from .telling import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..report import Report

_OPTIONS = (
    "against", "steps", "modules", "memory", "html", "baseline", "write_baseline",
)  # fmt: skip


def add_shadow(parser: argparse.ArgumentParser) -> None:
    """Add the options: what is computed beside the program, and how much of it."""
    group = parser.add_argument_group("shadow run in another precision")
    # fmt: off
    group.add_argument("--shadow", action="store_true",
        help="repeat each op in float64 and report precision losses")
    group.add_argument("--against", metavar="DTYPE",
        help="compare with the program in fp32, bf16, fp16 or fp64 instead")
    group.add_argument("--steps", type=positive, default=0, metavar="N", help="shadow only N optimizer steps")
    group.add_argument("--modules", type=named, action="append", default=[], metavar="PATTERN",
        help="shadow only modules with this path, such as 'unet.*norm*'")
    group.add_argument("--memory", type=size, default=0, metavar="SIZE",
        help="memory for the shadow tensors, such as 4G (default: half of the free memory)")
    group.add_argument("--html", type=named, metavar="PAGE", help="also write the report as a self-contained HTML page")
    # fmt: on

    add_baseline(parser)


def belongs(options: argparse.Namespace) -> None:
    """Raise RefusedError if an option of the shadow is given without it, or has no meaning."""
    given = next((name for name in _OPTIONS if getattr(options, name, None)), None)
    if given and not options.shadow:
        raise RefusedError(f"--{given.replace('_', '-')} needs --shadow")
    if options.against:
        from ..numbers.values.names import canonical

        try:
            canonical(options.against)
        except ValueError as error:
            raise RefusedError(error) from error


def shadowed(
    options: argparse.Namespace, program: Callable[[], int], output: str | None
) -> Callable[[], int]:
    """Return the program with its shadow, which reports at the end."""
    from ..live.shadowed import Shadowed
    from ..numbers.values import look
    from ..report.rule_page import of_losses

    writable(options.html, "page")
    by = accounting(options, of_losses)
    told = argparse.Namespace(format=options.format, output=output, quiet=options.quiet)
    # the program may go to another folder
    html = os.path.abspath(options.html) if options.html else None
    looks = partial(
        look,
        options.against or "",
        steps=options.steps,
        modules=tuple(options.modules),
        memory=options.memory,
    )

    def hand_over(report: Report) -> None:
        with _forgiven():
            report = accounted(report, by, of_losses)
            tell(report, told, sys.stderr)
        if html is not None:
            with _forgiven():
                _write(html, report, options)

    return Shadowed(program, hand_over, looks)


@contextmanager
def _forgiven() -> Iterator[None]:
    """Print a failure of the report in one line, within the block; the program's own exit code is kept."""
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - see above
        with suppress(OSError):
            sys.stderr.write(f"miscast: {failure}\n")


def _write(file: str, report: Report, given: argparse.Namespace) -> None:
    options = argparse.Namespace(**vars(given) | {"format": "html", "output": file})
    tell(report, options, sys.stderr, what="page")
