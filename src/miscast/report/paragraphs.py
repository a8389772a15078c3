"""The lines of the text report: one paragraph per finding, then what could not be vouched for."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from ..event import Event, Location
from ..finding import Finding
from ..meeting import ranks
from . import outside
from .report import Report
from .wording import held, path, place, plural, printable, verb

_ALSO = 3
_AROUND = 3
_LISTED = 6
_CODE = 40
_LABEL = 6
_COLOURS = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}
_Row = tuple[Text, str]


def lines(report: Report, width: int) -> Iterator[Text]:
    """The report, line by line, none wider than `width` where that can be helped."""
    followers: dict[int, list[Finding]] = {}
    for finding in report.findings:
        if finding.consequence_of is not None:
            followers.setdefault(finding.consequence_of, []).append(finding)
    for index, finding in enumerate(report.findings):
        if finding.consequence_of is None:
            yield from paragraph(finding, followers.get(index, ()), width)
            yield Text()
    yield from _summary(report, width)


def paragraph(finding: Finding, followers: Sequence[Finding], width: int) -> Iterator[Text]:
    """One finding: what, where, why, help. An `error` that no exception carries is told as an effect."""
    title = Text.assemble((finding.severity, _COLOURS[finding.severity]), (f"[{finding.rule}]", "bold"))
    times = f" (×{finding.count:,})" if finding.count > 1 else ""
    first, *more = _wrapped(finding.message + times, width, len(title.plain) + 2, 4)
    yield title + Text(f"  {first}", "bold")
    yield from (Text(f"    {line}", "bold") for line in more)
    yield from _beside(list(_rows(finding)), width)
    if finding.ranks:
        label, _, numbers = ranks(finding.ranks).partition(" ")
        yield from _labelled(label, numbers if len(finding.ranks) > 1 else f"{numbers} only", width, "cyan")
    for index, fix in enumerate(finding.fixes):
        state = " · ".join(word for word, holds in (("safe", fix.safe), ("verified", fix.verified)) if holds)
        yield from _labelled("or" if index else "help", fix.title + (f"  ({state})" if state else ""), width, "green")
    if finding.error:
        told = ("torch", f"{finding.raises}: {finding.error}") if finding.raises else ("effect", finding.error)
        yield from _labelled(*told, width, "dim", "dim")
    for text in _also(followers):
        yield from _labelled("└ also", text, width, "dim")


def _rows(finding: Finding) -> Iterator[_Row]:
    """The places of a finding, each with its code: the failing line, the library's, then one or more per operand."""
    yield _where(finding.location), finding.location.code
    for related in finding.related:
        yield Text(f"{related.label} ") + _where(related.location), related.location.code
    values = [_value(finding, event) for operand in finding.operands for _, event in _around(finding.origin(operand))]
    own = [o.tensor.device if finding.about == "device" else o.tensor.dtype for o in finding.operands]
    widest = max(map(len, [*values, *own]), default=0)
    label = max([_LABEL, *(len(operand.name) for operand in finding.operands)])
    for operand, value in zip(finding.operands, own, strict=True):
        event = finding.origin(operand)
        told, code = _told(event.start()) if event else (_untold(finding, value), "")
        yield Text.assemble((f"{operand.name:{label}}", "cyan"), f"  {value:{widest}}  {told}"), code
        for arrow, other in _around(event):
            told, code = _told(other)
            yield Text(f"{arrow:>{label}}  {_value(finding, other):{widest}}  {told}"), code


def _where(location: Location) -> Text:
    module = f"  {printable(location.module)}" if location.module else ""
    return Text.assemble((place(location), "bold"), (module, "magenta"))


def _value(finding: Finding, event: Event) -> str:
    return event.device if finding.about == "device" else event.dtype


def _untold(finding: Finding, value: str) -> str:
    return "never moved" if finding.about == "device" and value == "cpu" else "from an unknown place"


def _told(event: Event) -> tuple[str, str]:
    if event.location is None:
        return verb(event), ""
    code, op = event.location.code, event.op.rpartition(".")[2]
    hidden = event.kind == "born" and event.library is not None and op not in code
    return f"{verb(event)} at {place(event.location)}", f"{code} ({op} makes {event.dtype})" if hidden else code


def _around(event: Event | None) -> list[tuple[str, Event]]:
    """The events worth telling beside the start of a story, each at its own place: what lies behind, what followed."""
    if event is None:
        return []
    chain, start = event.chain(), event.start()
    at = chain.index(start)
    places = {start.location, None}
    found: list[tuple[str, Event]] = []
    for arrow, other in [*(("←", e) for e in chain[at + 1 :]), *(("→", e) for e in reversed(chain[:at]))]:
        if other.location not in places:
            places.add(other.location)
            found.append((arrow, other))
    return found if len(found) <= _AROUND else [*found[: _AROUND - 1], found[-1]]


def _beside(rows: Sequence[_Row], width: int) -> Iterator[Text]:
    """Code in a column beside the rest, or, where that would cut it short, on lines of its own."""
    left = max(text.cell_len for text, _ in rows) + 2
    longest = max(len(code) for _, code in rows)
    room = width - left - 3
    column = room >= min(longest, _CODE)
    for text, code in rows:
        line = Text("  ") + text
        if column and code:
            line.pad_right(left + 3 - line.cell_len)
            line.append(_cut(code, room), "dim")
        line.truncate(width, overflow="ellipsis")
        yield line
        if code and not column:
            yield Text(f"      {_cut(code, width - 6)}", "dim")


def _also(followers: Sequence[Finding]) -> Iterator[str]:
    """The consequences: the first few by place, the rest by number."""
    told = [f"{finding.message} at {place(finding.location)}" for finding in followers]
    counted = Counter(told)
    for text in list(counted)[:_ALSO]:
        yield text + (f" (×{counted[text]})" if counted[text] > 1 else "")
    rest = sum(counted.values()) - sum(list(counted.values())[:_ALSO])
    if rest:
        yield f"{rest:,} more that follow from it"


def _summary(report: Report, width: int) -> Iterator[Text]:
    causes = report.causes
    follow = len(report.findings) - len(causes)
    kinds = Counter(finding.severity for finding in causes)
    parts = [plural(kinds[kind], kind) for kind in ("error", "warning", "hint") if kinds[kind]] or ["nothing found"]
    if follow:
        parts[-1] += f" and {plural(follow, 'consequence')}"
    ran = f"{plural(report.ops, 'op')} on {report.machine}, torch {report.torch}"
    if report.ranks:
        ran = f"{plural(report.ranks, 'rank')}, {plural(report.matched, 'collective')} matched · {ran}"
    colour = _COLOURS["error"] if kinds["error"] else _COLOURS["warning"] if causes else "bold green"
    yield Text.assemble((", ".join(parts), colour), f" · {ran}")
    for text in held(memory for memory in report.memory if memory.capacity):
        yield from _labelled("memory", text, width, "cyan", column=9)
    for label, text in _unvouched(report):
        yield from _labelled(label, text, width, "yellow", column=9)


def _unvouched(report: Report) -> Iterator[tuple[str, str]]:
    """What the run cannot vouch for, as (label, text)."""
    if report.ended:
        yield "ended", _relative(report.ended)
    if report.failed:
        yield "failed", _relative(report.failed)
    for text in outside.lines(report.effects):
        yield "effects", text
    if report.contracts == "declared":
        yield "note", f"contracts: declared from torch's sources; {report.machine} was not measured"
    if report.unchecked:
        most = sorted(report.unchecked.items(), key=lambda item: (-item[1], item[0]))
        total = sum(report.unchecked.values())
        names = _listed([f"{op} ×{count:,}" for op, count in most])
        yield "unchecked", f"{plural(total, 'call')} of {plural(len(most), 'op')} that no contract covers: {names}"
    for assumed in report.assumed[:_LISTED]:
        at = f" at {place(assumed.location)}" if assumed.location else ""
        times = f" ×{assumed.count:,}" if assumed.count > 1 else ""
        yield "assumed", f"{assumed.what} gives {assumed.value}{at}{times}"
    if len(report.assumed) > _LISTED:
        yield "assumed", f"{len(report.assumed) - _LISTED:,} more"
    for note in report.notes:
        yield "note", note


def _listed(words: Sequence[str]) -> str:
    more = [f"{len(words) - _LISTED:,} more"] if len(words) > _LISTED else []
    return ", ".join([*words[:_LISTED], *more])


def _relative(text: str) -> str:
    """A line with its absolute paths as they are shown elsewhere."""
    return " ".join(path(word) for word in text.split(" "))


def _labelled(  # noqa: PLR0913 - the parts of a line
    label: str, text: str, width: int, colour: str, whole: str = "", column: int = _LABEL
) -> Iterator[Text]:
    indent = column + 4
    for index, line in enumerate(_wrapped(text, width, indent, indent)):
        head = f"  {label:{column}}  " if index == 0 else " " * indent
        yield Text.assemble((head, colour), (line, whole))


def _wrapped(text: str, width: int, first: int, rest: int) -> list[str]:
    """Lines of at most `width` cells, after `first` cells on the first line and `rest` on the others."""
    text = printable(" ".join(text.split()))
    wrapper = textwrap.TextWrapper(
        width=max(width, 40), initial_indent=" " * first, subsequent_indent=" " * rest, break_on_hyphens=False
    )
    wrapped = wrapper.wrap(text) or [""]
    return [line.strip() for line in wrapped]


def _cut(code: str, room: int) -> str:
    code = printable(" ".join(code.split()))
    return code if len(code) <= room else f"{code[: max(room - 1, 1)]}…"
