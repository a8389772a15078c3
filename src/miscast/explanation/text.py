"""Explanations for a person, as text.

    dtype-mismatch  linear mixes float32 `mat1` with bfloat16 `mat2`
      train.py:112  in forward                    emb = self.time_embedding(t_emb)
      mat1    float32   activation
      mat2    bfloat16  weight
      cause   the model's weights are bfloat16, and a tensor made in another …  (57 %)
              embeddings.py:192: sample = self.linear_1(sample)
      or      autocast is not on at this place
      help    cast the input to the weights' dtype just before the call
      error   RuntimeError: mat1 and mat2 must have the same dtype, …
      lines   12-4711, 64 times, by ranks 0-63

80 columns; nothing but what the log says, without control characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from ..report.lines import labelled, titled
from ..report.page import Page, plain
from ..report.wording import printable

if TYPE_CHECKING:
    from .explanation import Explanation, OperandInfo, Place

WIDTH = 80
_LEAST = 40
_EVIDENCE = 3
_NOUNS = {
    "dtype-mismatch": "operands of different dtypes",
    "device-mismatch": "operands on different devices",
    "unsupported-dtype": "a dtype that is not supported here",
    "unsupported-device": "an op that this device does not have",
    "precision-config": "precision settings that do not fit",
    "grad-scaler": "the gradient scaler refuses",
    "overflow-nan": "numbers left the range",
    "distributed-dtype": "ranks or parameters of different dtypes",
}


def render(found: Sequence[Explanation], *, width: int = WIDTH) -> str:
    """All explanations, or one line that says that nothing was recognised."""
    return plain(lines(found, width))


def show(found: Sequence[Explanation], file: TextIO) -> None:
    """Print the explanations: in colour on a terminal, plain where it is piped."""
    page = Page(file, width=WIDTH, most=120)
    page.put(lines(found, page.width))


def lines(found: Sequence[Explanation], width: int) -> Iterator[Text]:
    """The explanations, line by line, an empty one between two."""
    if not found:
        yield Text(
            "nothing recognised: no dtype, device or precision error in this text"
        )
    for index, one in enumerate(found):
        yield from [Text()] * bool(index)
        yield from _paragraph(one, max(width, _LEAST))


def _paragraph(one: Explanation, width: int) -> Iterator[Text]:
    yield from titled(Text(one.category, "bold red"), _printable(_title(one)), width, 2)
    if one.location is not None:
        yield from _place(one.location, width)
    yield from _operands(one.operands, width)
    yield from _causes(one, width)
    for index, text in enumerate(one.help):
        yield from _row("" if index else "help", text, width, "bold green")
    yield from _row("error", one.error, width, "dim")
    if one.lines != (0, 0):  # an exception has no lines of a log
        yield from _row("lines", _counted(one), width, "dim")


def _title(one: Explanation) -> str:
    """What happened, in half a sentence."""
    op = f"{one.op} (most likely)" if one.op and one.guessed else one.op or "an op"
    mixed = _mixed(one) if one.category in ("dtype-mismatch", "device-mismatch") else ""
    return (
        f"{op} mixes {mixed}"
        if mixed
        else f"{op}: {_NOUNS.get(one.category, one.category)}"
    )


def _mixed(one: Explanation) -> str:
    """The first two operands that differ; empty if none do."""
    first: dict[str, str] = {}
    for operand in one.operands:
        value = operand.device if one.category == "device-mismatch" else operand.dtype
        if value:
            first.setdefault(value, operand.name)
    pairs = [f"{value} `{name}`" for value, name in first.items()]
    return " with ".join(pairs[:2]) if len(pairs) > 1 else ""


def _place(place: Place, width: int) -> Iterator[Text]:
    file = _short(place.file)
    where = f"{file}:{place.line}" if place.line else file
    if place.function:
        where += f"  in {place.function}"
    if place.library:
        where += (
            f"  ({place.library})"
            if place.library in place.file
            else f"  (raised in {place.library})"
        )
    yield Text(f"  {_printable(where)}"[:width])
    if place.code:
        yield Text(f"      {_printable(place.code)}"[:width])


def _operands(operands: Sequence[OperandInfo], width: int) -> Iterator[Text]:
    """What is known of each operand, and the lines that gave it its dtype or device."""
    widest = max((len(_value(operand)) for operand in operands), default=0)
    for operand in operands:
        if operand.dtype or operand.device or operand.role:
            text = f"{_value(operand):{widest}}  {operand.role}{_tensor(operand)}"
            yield from _row(operand.name, text.rstrip(), width)
            yield from _since(operand, width)


def _value(operand: OperandInfo) -> str:
    return (
        " ".join(
            filter(None, (operand.dtype, operand.device and f"on {operand.device}"))
        )
        or "?"
    )


def _tensor(operand: OperandInfo) -> str:
    """What the tensor itself tells: "  [2, 320]  unet.conv_in.weight"."""
    shape = "" if operand.shape is None else f"  {list(operand.shape)}"
    return shape + (f"  {operand.path}" if operand.path else "")


def _since(operand: OperandInfo, width: int) -> Iterator[Text]:
    for since in operand.since:
        yield from _row("", f"{since.how} at {_short(since.file)}:{since.line}", width)
        if since.code:
            yield Text(f"{'':12}{_printable(since.code)}"[:width])


def _causes(one: Explanation, width: int) -> Iterator[Text]:
    label, colour = "cause", "bold cyan"
    for cause in one.causes:
        yield from _row(label, f"{cause.text}  ({cause.weight:.0%})", width, colour)
        for evidence in cause.evidence[:_EVIDENCE]:
            yield from _row("", f"· {evidence}", width)
        label, colour = "or", "cyan"


def _counted(one: Explanation) -> str:
    """Which lines of the log tell of it, how often, and on which ranks."""
    first, last = one.lines
    text = f"{first:,}" if first == last else f"{first:,}-{last:,}"
    if one.count > 1:
        text += f", {one.count:,} times"
    if len(one.ranks) > 1:
        text += f", by {len(one.ranks)} ranks: {', '.join(one.ranks[:6])}{', …' if len(one.ranks) > 6 else ''}"
    elif one.ranks:
        text += f", by rank {one.ranks[0]}"
    return text


def _row(label: str, text: str, width: int, colour: str = "") -> Iterator[Text]:
    return labelled(label, _printable(text), width, colour)


def _short(file: str) -> str:
    return file if len(file) < 60 else "…" + file[-59:]


def _printable(text: str) -> str:
    return printable(text, instead=" ")
