"""One finding as a person reads it: what, where, why, help. It fits into twelve lines, unless all is wanted.

    error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
      train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)
      input   float32  promoted by cat at train.py:109     x = torch.cat([latent, mask], dim=1)
      help    give `ones` its dtype at train.py:98: torch.ones(n, 1, 64, 64, dtype=torch.float16)

Where it would be longer, what is told twice goes first, then what stands furthest from the mistake.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from ..event import Event, Location
from ..finding import Finding, Fix, Severity
from ..meeting import ranks
from .lines import cut, labelled, one_line, titled
from .wording import place, printable, verb

COLOURS: dict[Severity, str] = {
    "error": "bold red",
    "warning": "bold yellow",
    "hint": "bold cyan",
}
LINES = 12
_PLACE = re.compile(r"[\w.-]+:\d+")
_LABEL = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much is told: of consequences, of torch's text (lines), of callers, of what followed a birth, of ways out.

    `code` is the width from which source stands in a column beside the rest, cut short; `own`: else on lines of its
    own. `operands` are told at most so many.
    """

    also: int = 3
    error: int = 9
    related: int = 9
    around: int = 3
    fixes: int = 9
    code: int = 40
    own: bool = True
    operands: int = 9


ALL = Detail()
_LESS = (
    ALL,
    Detail(also=1),
    Detail(also=1, code=24),
    Detail(also=1, code=24, related=2, around=1),
    Detail(error=1, also=1, code=24, related=2, around=1),
    Detail(error=1, also=1, code=16, related=2, around=1, own=False),
    Detail(error=1, also=1, code=16, related=1, around=1, own=False, operands=3),
    Detail(
        error=1, also=0, code=16, related=1, around=1, own=False, operands=2, fixes=1
    ),
)


def paragraph(
    finding: Finding, followers: Sequence[Finding], width: int, *, verbose: bool = False
) -> list[Text]:
    """Its lines. An `error` that no exception carries is told as an effect."""
    told: list[Text] = []
    for detail in _LESS[:1] if verbose else _LESS:
        told = list(_lines(finding, followers, width, detail))
        if len(told) <= LINES:
            break
    return told


def _lines(
    finding: Finding, followers: Sequence[Finding], width: int, detail: Detail
) -> Iterator[Text]:
    title = Text.assemble(
        (finding.severity, COLOURS[finding.severity]), (f"[{finding.rule}]", "bold")
    )
    times = f" (×{finding.count:,})" if finding.count > 1 else ""
    yield from titled(title, one_line(finding.message + times), width, 4)
    yield from _beside(list(_rows(finding, width, detail)), width, detail)
    if finding.ranks:
        label, _, numbers = ranks(finding.ranks).partition(" ")
        yield from labelled(
            label,
            numbers if len(finding.ranks) > 1 else f"{numbers} only",
            width,
            "cyan",
        )
    for label, text in list(_ways(finding.fixes))[: detail.fixes]:
        yield from labelled(label, one_line(text), width, "green")
    if finding.error:
        label, text = (
            ("torch", f"{finding.raises}: {finding.error}")
            if finding.raises
            else ("effect", finding.error)
        )
        text = cut(text, width - _LABEL - 4) if detail.error == 1 else one_line(text)
        yield from labelled(label, text, width, "dim", "dim")
    for text in _also(followers, detail.also):
        yield from labelled("└ also", one_line(text), width, "dim")


def _ways(fixes: Sequence[Fix]) -> Iterator[tuple[str, str]]:
    """The ways out, those first that were tried; beside these the others that stand elsewhere, told as not tried."""
    tried = [fix for fix in fixes if fix.verified]
    told = {at for fix in tried for at in _PLACE.findall(fix.title)}
    others = [
        fix
        for fix in fixes
        if not fix.verified and told.isdisjoint(_PLACE.findall(fix.title))
    ]
    label = "fix" if tried else "help"
    for fix in (*tried, *others):
        yield label, fix.title + _state(fix, untried=bool(tried))
        label = "or"


def _state(fix: Fix, *, untried: bool) -> str:
    """What is known of a way out; `untried`: others were tried."""
    known = {
        "verified": fix.verified,
        "safe": fix.safe,
        "not tried": untried and not fix.verified,
    }
    words = ", ".join(word for word, holds in known.items() if holds)
    return f"  ({words})" if words else ""


_Row = tuple[Text, str]


def _rows(finding: Finding, width: int, detail: Detail) -> Iterator[_Row]:
    """The places of a finding, each with its code: the failing line, the library's, then one or more per operand.

    A line of the program is told once, but for the failing one, and its code never twice.
    """
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
    own = [finding.value(operand) for operand in operands]
    widest = max(
        map(
            len,
            [
                *own,
                *(_value(finding, event) for story in stories for _, event in story),
            ],
        ),
        default=0,
    )
    label = max([_LABEL, *(len(operand.name) for operand in operands)])
    for operand, value, story in zip(operands, own, stories, strict=True):
        event = finding.origin(operand)
        told, line = (
            _told(event.start(), width) if event else (_untold(finding, value), "")
        )
        yield (
            Text.assemble(
                (f"{operand.name:{label}}", "cyan"), f"  {value:{widest}}  {told}"
            ),
            _once(line, code),
        )
        for arrow, other in story:
            told, line = _told(other, width)
            yield (
                Text(f"{arrow:>{label}}  {_value(finding, other):{widest}}  {told}"),
                _once(line, code),
            )
    if len(finding.operands) > len(operands):
        yield Text(f"and {len(finding.operands) - len(operands)} more"), ""


def _once(line: str, seen: set[str]) -> str:
    new = line not in seen
    seen.add(line)
    return line if new else ""


def _where(location: Location, width: int) -> Text:
    module = f"  {printable(location.module)}" if location.module else ""
    return Text.assemble((place(location, width // 2), "bold"), (module, "magenta"))


def _value(finding: Finding, event: Event) -> str:
    return event.device if finding.about == "device" else event.dtype


def _untold(finding: Finding, value: str) -> str:
    return (
        "never moved"
        if finding.about == "device" and value == "cpu"
        else "from an unknown place"
    )


def _told(event: Event, width: int) -> tuple[str, str]:
    if event.location is None:
        return verb(event), ""
    code, op = event.location.code, event.op.rpartition(".")[2]
    hidden = event.kind == "born" and event.library is not None and op not in code
    at = place(event.location, width // 2)
    return (
        f"{verb(event)} at {at}",
        f"{code} ({op} makes {event.dtype})" if hidden else code,
    )


def _around(event: Event | None, most: int) -> list[tuple[str, Event]]:
    """The events worth telling beside the start of a story, each at its own place: what lies behind, what followed."""
    if event is None:
        return []
    chain, start = event.chain(), event.start()
    at = chain.index(start)
    places = {start.location, None}
    found: list[tuple[str, Event]] = []
    behind = [
        ("←", one) for event in chain[at + 1 :] for one in (event, *_carried(event))
    ]
    after = [
        ("→", one)
        for event in reversed(chain[: at + 1])
        for one in (event, *_carried(event))
    ]
    for arrow, other in behind + after:
        if other.location not in places:
            places.add(other.location)
            found.append((arrow, other))
    if most == 1:
        return found[:1]
    return found if len(found) <= most else [*found[: most - 1], found[-1]]


def _carried(event: Event) -> tuple[Event, ...]:
    """The move that followed an event, as one of its own."""
    return (
        ()
        if event.carried is None
        else (replace(event, kind="moved", location=event.carried, carried=None),)
    )


def _beside(rows: Sequence[_Row], width: int, detail: Detail) -> Iterator[Text]:
    """Code in a column beside the rest, or, where that would cut it short, on lines of its own."""
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


def _also(followers: Sequence[Finding], most: int) -> Iterator[str]:
    """The consequences: the first few by place, the rest by number."""
    told = [f"{finding.message} at {place(finding.location)}" for finding in followers]
    counted = Counter(told)
    shown = list(counted)[:most]
    rest = sum(counted.values()) - sum(counted[text] for text in shown)
    for text in shown:
        times = f" (×{counted[text]})" if counted[text] > 1 else ""
        yield (
            text
            + times
            + (f", and {rest:,} more that follow from it" if most == 1 and rest else "")
        )
    if rest and most != 1:
        yield f"{rest:,} more that follow from it"
