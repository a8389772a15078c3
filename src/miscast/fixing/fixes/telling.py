"""Report `miscast fix`: each finding with its fix or with the changes tried, then the diff.

fixed  linear mixes float32 `input` with float16 `weight`  train.py:127
       pass dtype=self.dtype to `ones` at train.py:81
       safe: a constant that every dtype holds · verified: 1 change tried

--- a/train.py
+++ b/train.py
@@ -81,1 +81,1 @@
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.text import Text

from ...core.finding import Finding
from ...report import Report, outside
from ...report.lines import titled, wrapped
from ...report.page import Line, Verbatim
from ...report.view import Patch, View, Words
from ...report.wording import place, plural, printable, relative
from ..remedy import advised
from ..remedy.diffs import is_inside
from . import schema
from .mend import Fixed, Mending, Unfixed

_TRIED = 12
_INDENT = 9
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def reported(mending: Mending, *, written: bool) -> Report:
    """Return the report on the original program with its verified fixes. `written`: the files are changed."""
    fixes = ((f, f.fix, mending.own(f)) for f in mending.fixed)
    proven = {
        id(fixed.finding): (replace(fix, edits=own or fix.edits),)
        for fixed, fix, own in fixes
    }
    before = mending.before.findings
    pairs = zip(before, advised(before), strict=True)
    findings = tuple(
        replace(one, fixes=proven.get(id(f), one.fixes)) for f, one in pairs
    )
    section = _Mended(mending=mending, written=written)
    return replace(
        mending.before, command="fix", findings=findings, sections=(section,)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mended:
    """The results for the findings."""

    mending: Mending
    written: bool

    name = "mending"

    def data(self) -> schema.Result:
        """Return each finding with its trials."""
        return schema.result(self.mending, written=self.written)

    def views(self) -> Iterator[View]:
        """Yield the whole as a diff; each finding's result, and changes tried."""
        mending = self.mending
        for switch in mending.switches:
            yield Words(text=f"nothing is found with {switch}: verified", tone="good")
        for fixed in mending.fixed:
            yield Words(label="fixed", text=f"{fixed.fix.title} · {_said(fixed)}")
        for unfixed in mending.unfixed:
            tried = "; ".join(
                f"{title} → {relative(why)}" for title, why in unfixed.tried[:_TRIED]
            )
            text = f"{unfixed.finding.message}  {place(unfixed.finding.location)}"
            text = f"{text}  tried: {tried or 'nothing'}"
            yield Words(label="not fixed", text=text, tone="warn")
        diff = mending.diff()
        if diff:
            title = "What was changed" if self.written else "What to change"
            yield Patch(title=title, diff=diff)
        if mending.before.findings:
            yield Words(text=_counted(mending, written=self.written))
        for text in _unvouched(mending):
            yield Words(text=text, tone="warn")

    def lines(self, width: int) -> Iterator[Line]:
        """Yield the same as text, with the diff if it is not written."""
        mending = self.mending
        if not mending.before.findings:
            if mending.before.ended is None:
                yield Text("nothing to fix")
            return
        yield from _before(mending, width)
        if not self.written:
            diff = mending.diff()
            yield Verbatim(text=diff, shown=tuple(coloured(diff)))
        yield from _after(mending, width, written=self.written)


def told(fixed: Fixed, width: int) -> Iterator[Text]:
    """Yield a finding and fix."""
    yield from _headed("fixed", "bold green", fixed.finding, width)
    yield from _wrapped(fixed.fix.title, width)
    yield from _wrapped(_said(fixed), width, "dim")


def _said(fixed: Fixed) -> str:
    safe = "safe" if fixed.fix.safe else "unsafe"
    return f"{safe}: {fixed.reason} · verified, after {plural(fixed.tried, 'trial')}"


def coloured(diff: str) -> Iterator[Text]:
    """Yield a diff, coloured."""
    for line in diff.splitlines():
        bold = line.startswith(("+++", "---"))
        yield Text(line, "bold" if bold else _COLOURS.get(line[:1], ""))


def _before(mending: Mending, width: int) -> Iterator[Text]:
    """Yield the lines before the diff, which a patch program skips."""
    for switch in mending.switches:
        yield Text.assemble(
            ("nothing is found", "bold green"),
            f" with {switch}: verified, nothing to change",
        )
        yield Text()
    for fixed in mending.fixed:
        yield from (*told(fixed, width), Text())
    for unfixed in mending.unfixed:
        yield from (*_untold(unfixed, width), Text())


def _untold(unfixed: Unfixed, width: int) -> Iterator[Text]:
    yield from _headed("not fixed", "bold red", unfixed.finding, width)
    tried = [f"{title} → {relative(why)}" for title, why in unfixed.tried]
    if len(tried) > _TRIED:
        tried[_TRIED:] = [f"and {plural(len(tried) - _TRIED, 'more change')}"]
    for text in tried or ["no line of the program was found where it could be fixed"]:
        yield from _wrapped(text, width, "dim")


def _headed(word: str, colour: str, finding: Finding, width: int) -> Iterator[Text]:
    text = printable(f"{finding.message}  {place(finding.location)}")
    yield from titled(Text(word, colour), text, width, _INDENT)


def _wrapped(text: str, width: int, style: str = "") -> Iterator[Text]:
    indent = _INDENT
    for line in wrapped(printable(text), width, _INDENT + 2, _INDENT + 2):
        yield Text(" " * indent + line, style)
        indent = _INDENT + 2


def _after(mending: Mending, width: int, *, written: bool) -> Iterator[Text]:
    """Yield the lines after the diff: the number of fixes, and what was not checked."""
    colour = "bold yellow" if mending.after.causes else "bold green"
    for line in wrapped(_counted(mending, written=written), width, 0, 0):
        yield Text(line, colour)
    for text in _elsewhere(mending, written=written) if mending.fixed else ():
        yield from _wrapped(text, width, "dim")
    for text in _unvouched(mending):
        yield from _wrapped(text, width, "yellow")


def _elsewhere(mending: Mending, *, written: bool) -> Iterator[str]:
    """Yield what the fixes change outside of the shown lines, and switches not tried with them."""
    if not written and not all(map(is_inside, mending.files)):
        yield "some changes are outside of this folder: apply them with patch -p1 -d /"
    if mending.others:
        tried = "not tried" if mending.long or mending.stopped else "also tried"
        yield f"{tried} with {', '.join(mending.others)}"


def _counted(mending: Mending, *, written: bool) -> str:
    fixes, after = mending.fixed, mending.after
    unsafe = sum(not fixed.fix.safe for fixed in fixes)
    parts = [
        f"{len(fixes):,} fix{'' if len(fixes) == 1 else 'es'} {'written' if written else 'verified'}",
        f"{unsafe} of them unsafe" if unsafe else "",
        f"{plural(len(after.causes), 'finding')} left",
        f"{plural(mending.trials, 'run')} on {after.machine}, torch {after.torch}",
        "--apply writes them" if fixes and not written else "",
    ]
    return " · ".join(filter(None, parts))


def _unvouched(mending: Mending) -> Iterator[str]:
    if mending.stopped:
        untested = ", and the fixes were not tested to the end of the program"
        whole = "the search is incomplete"
        whole += untested if mending.long and mending.fixed else ""
        yield f"stopped by {mending.stopped}: {whole}"
    if mending.after.ended:
        yield f"ended: {relative(mending.after.ended)}"
    for text in outside.lines(mending.before.effects):
        yield f"effects: {text}"
