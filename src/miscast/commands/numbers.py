"""`--numerics` and `--assume`: whether the numbers of a run are followed, and what they are taken to be."""

from __future__ import annotations

import argparse

from .refusal import RefusedError


def add_numerics(parser: argparse.ArgumentParser) -> None:
    """Add both options."""
    # fmt: off
    parser.add_argument("--numerics", action="store_true",
        help="track value ranges to find overflow, cancellation …")
    parser.add_argument("--assume", action="append", default=[], metavar="NAME=LOW:HIGH",
        help="with --numerics: the value range of an argument, as pixels=-1:1")
    # fmt: on


def refuse_unreadable(options: argparse.Namespace) -> None:
    """Raise RefusedError for an unreadable range, or one given without `--numerics`."""
    from ..core.ranges import read
    from .accounting import project

    if options.assume and not options.numerics:
        raise RefusedError("--assume needs --numerics")
    try:
        read(options.assume)
    except ValueError as error:
        raise RefusedError(error) from error
    if options.numerics:
        options.assume = [*project(options).assume, *options.assume]
