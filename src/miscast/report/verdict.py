"""A report's verdict: what was found, or why nothing can be said. Every format takes its words from here.

2 errors, 1 hint and 3 consequences
nothing found
not finished: the program raised KeyError: 'x' at train.py:17 · no findings before that
nothing was checked: the program ran no op on a tensor
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from ..core.finding import Finding
from .lines import one_line
from .paragraph import COLOURS
from .wording import plural, relative

if TYPE_CHECKING:
    from .report import Report

_UNSURE = COLOURS["warning"]


def verdict(report: Report) -> tuple[Text, str]:
    """Return the verdict in two or three words, and what explains it, "" where they say it all.

    Only a run that was seen to its end, and called ops, can have "nothing found".
    """
    found = report.causes
    if found:
        return tally(found, len(report.findings) - len(found)), ""
    if report.failed:
        why = ": Miscast failed · no findings before that"
        return Text("not finished", _UNSURE), why
    if report.ended:
        ended = one_line(relative(report.ended))
        return Text("not finished", _UNSURE), f": {ended} · no findings before that"
    if checked_nothing(report):
        why = ": the program ran no op on a tensor"
        return Text("nothing was checked", _UNSURE), why
    return tally(()), ""


def in_words(report: Report) -> str:
    """Return the same as one text."""
    head, why = verdict(report)
    return f"{head.plain}{why}"


def checked_nothing(report: Report) -> bool:
    """Check whether a program was run that called no op. Settings alone have no torch: nothing of them is run."""
    ran = report.command == "check" and bool(report.torch)
    return ran and not (report.ops or report.findings or report.ended)


def on_machine(report: Report) -> str:
    """Return the machine, and why it was taken where nobody named it: "a100 (no --machine given)"."""
    why = f" ({report.machine_reason})" if report.machine_reason else ""
    return f"{report.machine}{why}"


def tally(found: Sequence[Finding], follow: int = 0) -> Text:
    """Return how many findings of each severity, and how many consequences of theirs, in the colour of the worst."""
    kinds = Counter(finding.severity for finding in found)
    parts = [plural(kinds[kind], kind) for kind in COLOURS if kinds[kind]] or [
        "nothing found"
    ]
    also = f" and {plural(follow, 'consequence')}" if follow else ""
    worst = COLOURS["error" if kinds["error"] else "warning"]
    colour = worst if found else "bold green"
    return Text(", ".join(parts) + also, colour)
