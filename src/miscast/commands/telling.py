"""How a command tells what it found: `--format`."""

from __future__ import annotations

import argparse


def add_format(parser: argparse.ArgumentParser, *known: str) -> None:
    """As what it is told: one of those that are known here, or what is found when the command runs."""
    parser.add_argument(
        "--format",
        default="text",
        choices=known or None,
        metavar=None if known else "F",
        help="text (the default) or json",
    )
