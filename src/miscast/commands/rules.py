"""List the rules, or print one rule's page."""

from __future__ import annotations

import argparse
import difflib

from .listing import listed, reflowed
from .refusal import RefusedError


def add(parser: argparse.ArgumentParser) -> None:
    """Which rule."""
    parser.add_argument("name", nargs="?", metavar="NAME")


def run(options: argparse.Namespace) -> int:
    """A line each, or a page."""
    from ..findings.aliases import current
    from ..lint.rules import known as of_settings
    from ..rules import known
    from ..shadowing.pages import known as of_numbers

    pages = [(rule.name, rule.summary, rule.page, rule.strict) for rule in known()]
    pages += [(rule.name, rule.summary, rule.page, False) for rule in of_settings()]
    told = {
        name for name, *_ in pages
    }  # what check and a shadow both find has one page
    pages += [
        (rule.name, rule.summary, rule.page, False)
        for rule in of_numbers()
        if rule.name not in told
    ]
    rules = {name: page for name, _, page, _ in pages}
    if options.name is None:
        width = max(map(len, rules))
        lines = (
            f"{name:{width}}  {summary}{'  (--strict)' if strict else ''}"
            for name, summary, _, strict in pages
        )
        listed(lines, width + 2)
        return 0
    options.name = current(options.name)
    if options.name not in rules:
        near = difflib.get_close_matches(options.name, rules, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(rules)}"
        raise RefusedError(f"unknown rule {options.name[:40]!r}: {hint}")
    reflowed(f"{options.name}\n\n{rules[options.name]}")
    return 0
