"""List the rules, or print the pages of the given ones."""

from __future__ import annotations

import argparse
import json
from operator import attrgetter

from .listing import listed, reflowed
from .refusal import RefusedError, near


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: which rules, and in which format."""
    parser.add_argument("name", nargs="*", metavar="NAME")
    # fmt: off
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: id, severity, fixable …")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Return a line each, pages, or an object each."""
    from ..judging.findings.aliases import current
    from ..report.rule_page import names, page

    options.name = list(map(current, options.name))
    for name in options.name:
        if name not in names():
            hint = near(name, names()) or "; 'miscast rules' lists them"
            raise RefusedError(f"unknown rule {name[:40]!r}{hint}")
    pages = list(map(page, options.name or names()))
    if options.format == "json":
        keys = ("id", "severity", "fixable", "strict", "summary")
        values = map(attrgetter("name", *keys[1:]), pages)
        told = [dict(zip(keys, each, strict=True)) for each in values]
        print(json.dumps(told, indent=1))
    elif options.name:
        reflowed("\n\n\n".join(f"{one.name}\n\n{one.text}" for one in pages))
    else:
        width = max(map(len, names()))
        listed(
            (
                f"{one.name:{width}}  {one.summary}{'  (--strict)' * one.strict}"
                for one in pages
            ),
            width + 2,
        )
    return 0
