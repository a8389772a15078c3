"""One finding as a person reads it: what, where, why, help. It fits into twelve lines, unless all is wanted.

    error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
      train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)
      input   float32  promoted by cat at train.py:109     x = torch.cat([latent, mask], dim=1)
      help    give `ones` its dtype at train.py:98: torch.ones(n, 1, 64, 64, dtype=torch.float16)

Where it would be longer, what is told twice goes first, then what stands furthest from the mistake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from shlex import join

from rich.text import Text

from ..core.finding import Finding, Fix, Severity
from ..core.meeting import ranks
from . import places
from .detail import ALL, LESS, Detail
from .lines import cut, labelled, one_line, titled
from .wording import place, states

COLOURS: dict[Severity, str] = {
    "error": "bold red",
    "warning": "bold yellow",
    "hint": "bold cyan",
}
LINES = 12
_LABEL = 6


def paragraph(
    finding: Finding, followers: Sequence[Finding], width: int, *, verbose: bool = False
) -> list[Text]:
    """Return its lines. An `error` that is not raised by an exception is reported as an effect."""
    told: list[Text] = []
    for detail in (ALL,) if verbose else LESS:
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
    yield from places.lines(finding, width, detail)
    yield from on_ranks(finding, width)
    if finding.arguments:
        yield from labelled("with", one_line(join(finding.arguments)), width, "cyan")
    if finding.cells:
        yield from labelled("in", one_line(finding.cells), width, "cyan")
    for label, text in list(_ways(finding))[: detail.fixes]:
        yield from labelled(label, one_line(text), width, "green")
    if finding.error:
        raised = "torch", f"{finding.raises}: {finding.error}"
        label, text = raised if finding.raises else ("effect", finding.error)
        text = cut(text, width - _LABEL - 4) if detail.error == 1 else one_line(text)
        yield from labelled(label, text, width, "dim", "dim")
    yield from also(followers, width, detail.also)


def on_ranks(finding: Finding, width: int) -> Iterator[Text]:
    """Yield the lines that say which ranks have it, where several ran."""
    if finding.ranks:
        label, _, numbers = ranks(finding.ranks).partition(" ")
        only = "" if len(finding.ranks) > 1 else " only"
        yield from labelled(label, numbers + only, width, "cyan")


def also(
    followers: Sequence[Finding], width: int, most: int = ALL.also
) -> Iterator[Text]:
    """Yield the lines that say what follows from it, the first of them by place."""
    for text in _also(followers, most):
        yield from labelled("└ also", one_line(text), width, "dim")


def _ways(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the fixes, verified ones first; then others, marked as not tried."""
    fixes = sorted(finding.fixes, key=lambda fix: not fix.verified)
    tried = any(fix.verified for fix in fixes)
    label = "fix" if tried else "help"
    for fix in fixes:
        yield label, fix.title + state(fix, untried=tried or bool(finding.blamed))
        label = "or"


def state(fix: Fix, *, untried: bool) -> str:
    """Return what is known of a fix; `untried`: others were tried."""
    words = ", ".join(states(fix, untried=untried))
    return f"  ({words})" if words else ""


def _also(followers: Sequence[Finding], most: int) -> Iterator[str]:
    """Yield the consequences: the first few by place, the rest by number."""
    told = [f"{finding.message} at {place(finding.location)}" for finding in followers]
    counted = Counter(told)
    shown = list(counted)[:most]
    rest = sum(counted.values()) - sum(counted[text] for text in shown)
    for text in shown:
        times = f" (×{counted[text]})" if counted[text] > 1 else ""
        yield (
            text
            + times
            + (f", and {rest:,} more that follow" if most == 1 and rest else "")
        )
    if rest and most != 1:
        yield f"{rest:,} more that follow"
