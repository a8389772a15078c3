"""The places of a finding, each with its code: the failing line, the library's, then one or more per operand.

    train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)
    input   float32  promoted by cat at train.py:109     x = torch.cat([latent, mask], dim=1)

A line of the program is told once, but for the failing one, and its code never twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from ..core.event import Event, Location, Operand
from ..core.finding import Finding
from ..core.frozen import replace
from .detail import Detail
from .lines import cut
from .wording import place, printable, verb

_LABEL = 6
_Row = tuple[Text, str]


def lines(finding: Finding, width: int, detail: Detail) -> Iterator[Text]:
    """Return the places, line by line."""
    return _beside(list(_rows(finding, width, detail)), width, detail)


def _rows(finding: Finding, width: int, detail: Detail) -> Iterator[_Row]:
    code = {finding.location.code}
    yield _where(finding.location, width), finding.location.code
    yield from _related(finding, width, detail, code)
    yield from _operands(finding, width, detail, code)


def _related(
    finding: Finding, width: int, detail: Detail, code: set[str]
) -> Iterator[_Row]:
    seen = {(finding.location.file, finding.location.line)}
    for related in finding.related[: detail.related]:
        at = related.location
        if (at.file, at.line) not in seen:
            seen.add((at.file, at.line))
            yield Text(f"{related.label} ") + _where(at, width), _once(at.code, code)


def _operands(
    finding: Finding, width: int, detail: Detail, code: set[str]
) -> Iterator[_Row]:
    operands = finding.operands[: detail.operands]
    stories = [_around(finding.origin(operand), detail.around) for operand in operands]
    values = [finding.value(operand) for operand in operands]
    values += [finding.value(event) for story in stories for _, event in story]
    value = max(map(len, values), default=0)
    label = max([_LABEL, *(len(operand.name) for operand in operands)])
    for operand, story in zip(operands, stories, strict=True):
        told, line = _origin(finding, operand, width)
        text = f"  {finding.value(operand):{value}}  {told}"
        name = (f"{operand.name:{label}}", "cyan")
        yield Text.assemble(name, text), _once(line, code)
        for arrow, event in story:
            told, line = _told(finding, event, width)
            text = f"{arrow:>{label}}  {finding.value(event):{value}}  {told}"
            yield Text(text), _once(line, code)
    if len(finding.operands) > len(operands):
        yield Text(f"and {len(finding.operands) - len(operands)} more"), ""


def _origin(finding: Finding, operand: Operand, width: int) -> tuple[str, str]:
    """Return the start of an operand's story, as far as it is known."""
    event = finding.origin(operand)
    if event is not None:
        return _told(finding, event.start(), width)
    never = finding.about == "device" and operand.device == "cpu"
    return "never moved" if never else "of unknown origin", ""


def _once(line: str, seen: set[str]) -> str:
    new = line not in seen
    seen.add(line)
    return line if new else ""


def _where(location: Location, width: int) -> Text:
    module = f"  {printable(location.module)}" if location.module else ""
    return Text.assemble((place(location, width // 2), "bold"), (module, "magenta"))


def _told(finding: Finding, event: Event, width: int) -> tuple[str, str]:
    """Return what an event did, where, and its code; in a library, where the program's line is the failing one."""
    if event.location is None:
        return verb(event), ""
    at, failing = event.location, finding.location
    if event.library and (at.file, at.line) == (failing.file, failing.line):
        at = event.library
    op = event.op.rpartition(".")[2]
    hidden = event.kind == "born" and event.library is not None and op not in at.code
    on_device = finding.about == "device"
    created = f"it on {finding.value(event)}" if on_device else event.dtype
    told = f"{verb(event)} at {place(at, width // 2)}"
    return told, f"{at.code} ({op} creates {created})" if hidden else at.code


def _around(event: Event | None, most: int) -> list[tuple[str, Event]]:
    """Return the events worth reporting beside a story's start, each at its own place: its sources and followers."""
    if event is None:
        return []
    chain, start = event.chain(), event.start()
    at = chain.index(start)
    told = {start.location, None}
    found: list[tuple[str, Event]] = []
    for arrow, one in (
        *(("←", one) for one in with_moves(chain[at + 1 :])),
        *(("→", one) for one in with_moves(chain[at::-1])),
    ):
        if one.location not in told:
            told.add(one.location)
            found.append((arrow, one))
    few = len(found) <= most
    return found if few else found[:1] if most == 1 else [*found[: most - 1], found[-1]]


def with_moves(events: Sequence[Event]) -> Iterator[Event]:
    """Yield events, each with the move that followed it as an event of its own."""
    for event in events:
        yield event
        if event.carried is not None:
            yield replace(event, kind="moved", location=event.carried, carried=None)


def _beside(rows: Sequence[_Row], width: int, detail: Detail) -> Iterator[Text]:
    """Yield code in a column beside the rest or, if that would cut it short, on lines of its own."""
    left = max(text.cell_len for text, _ in rows) + 2
    longest = max(len(code) for _, code in rows)
    room = width - left - 3
    column = room >= min(longest, detail.code)
    for index, (text, code) in enumerate(rows):
        line = Text("  ") + text
        if column and code:
            line.pad_right(left + 3 - line.cell_len)
            line.append(cut(code, room), "dim")
        line.truncate(width, overflow="ellipsis")
        yield line
        if code and not column and (detail.own or index == 0):
            yield Text(f"      {cut(code, width - 6)}", "dim")
