"""What `miscast fix` prints: each finding with its fix or with what was tried, then the diff.

    fixed  linear mixes float32 `input` with float16 `weight`  train.py:127
           give `ones` dtype=self.dtype, at train.py:81
           safe: a constant that every dtype holds · verified: 1 change tried

    --- a/train.py
    +++ b/train.py
    @@ -81,1 +81,1 @@
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from ..finding import Finding
from ..report import outside
from ..report.wording import path, place, plural, printable
from .diffs import is_inside
from .mend import Fixed, Mending, Unfixed

WIDTH = 80
_TRIED = 12
_INDENT = " " * 9
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show(mending: Mending, console: Console, *, written: bool) -> None:
    """Print it: in colour on a terminal."""
    width = min(console.width, 120)
    printed(_before(mending, width), console)
    if not written and console.is_terminal:
        printed(coloured(mending.diff()), console)
    elif not written:
        console.file.write(mending.diff())  # tabs and line ends as they are: a patch program reads it
    printed(_summary(mending, width, written=written), console)


def printed(lines: Iterable[Text], console: Console) -> None:
    """As they are: wrapped already, or a diff's."""
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False)


def _before(mending: Mending, width: int) -> Iterator[Text]:
    """What is told before the diff, line by line: a patch program skips it."""
    for switch in mending.switches:
        yield Text.assemble(("nothing is found", "bold green"), f" with {switch}: verified, nothing to change")
        yield Text()
    for fixed in mending.fixed:
        yield from told(fixed, width)
        yield Text()
    for unfixed in mending.unfixed:
        yield from _untold(unfixed, width)
        yield Text()


def told(fixed: Fixed, width: int) -> Iterator[Text]:
    """A finding and its fix."""
    yield from _headed("fixed", "bold green", fixed.finding, width)
    yield from _wrapped(fixed.fix.title, width)
    safe = "safe" if fixed.fix.safe else "unsafe"
    yield from _wrapped(f"{safe}: {fixed.reason} · verified, after {plural(fixed.tried, 'trial')}", width, "dim")


def coloured(diff: str) -> Iterator[Text]:
    """A diff for a terminal."""
    for line in diff.splitlines():
        bold = line.startswith(("+++", "---"))
        yield Text(line, "bold" if bold else _COLOURS.get(line[:1], ""))


def _untold(unfixed: Unfixed, width: int) -> Iterator[Text]:
    yield from _headed("not fixed", "bold red", unfixed.finding, width)
    if not unfixed.tried:
        yield from _wrapped("no line of the program's own was found where it could be mended", width, "dim")
    for title, why in unfixed.tried[:_TRIED]:
        yield from _wrapped(f"{title} → {_shorter(why)}", width, "dim")
    more = len(unfixed.tried) - _TRIED
    if more > 0:
        yield from _wrapped(f"and {plural(more, 'change')} more", width, "dim")


def _headed(word: str, colour: str, finding: Finding, width: int) -> Iterator[Text]:
    text = printable(f"{finding.message}  {place(finding.location)}")
    first, *rest = textwrap.wrap(text, width - len(word) - 2, break_on_hyphens=False) or [""]
    yield Text.assemble((word, colour), "  ", (first, "bold"))
    yield from (Text(_INDENT + line, "bold") for line in rest)


def _wrapped(text: str, width: int, style: str = "") -> Iterator[Text]:
    for number, line in enumerate(textwrap.wrap(printable(text), width - 11, break_on_hyphens=False)):
        yield Text(f"{_INDENT}{'  ' if number else ''}{line}", style)


def _shorter(why: str) -> str:
    return " ".join(path(word) for word in why.split(" "))


def _summary(mending: Mending, width: int, *, written: bool) -> Iterator[Text]:
    fixes = mending.fixed
    unsafe = sum(not fixed.fix.safe for fixed in fixes)
    parts = [f"{plural(len(fixes), 'fix').replace('fixs', 'fixes')} {'written' if written else 'proven'}"]
    if unsafe:
        parts.append(f"{unsafe} of them unsafe")
    left = len(mending.after.causes)
    parts.append(f"{plural(left, 'finding')} left")
    parts.append(f"{plural(mending.trials, 'run')} on {mending.after.machine}, torch {mending.after.torch}")
    text = " · ".join(parts)
    if fixes and not written:
        text += " · --apply writes them"
    for line in textwrap.wrap(text, width, break_on_hyphens=False):
        yield Text(line, "bold green" if not left else "bold yellow")
    if fixes and not written and not all(is_inside(name) for name in mending.files):
        yield from _wrapped("some of it is outside of this folder: patch -p1 -d / takes all", width, "dim")
    if mending.others and mending.fixed:
        tried = "not tried" if mending.long or mending.stopped else "tried, too,"
        yield from _wrapped(f"{tried} with {', '.join(mending.others)}", width, "dim")
    if mending.stopped:
        whole = "not all was tried, nor run to its end" if mending.long and mending.fixed else "not all was tried"
        yield from _wrapped(f"stopped by {mending.stopped}: {whole}", width, "yellow")
    if mending.after.ended:
        yield from _wrapped(f"ended: {_shorter(mending.after.ended)}", width, "yellow")
    for told_once in outside.lines(mending.before.effects):
        yield from _wrapped(f"effects: {told_once}", width, "yellow")
