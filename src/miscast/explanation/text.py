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

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .explanation import Explanation, Told

WIDTH = 80
_LABEL = 7
_NOUNS = {
    "dtype-mismatch": "operands of different dtypes", "device-mismatch": "operands on different devices",
    "unsupported-dtype": "a dtype that is not supported here", "precision-config": "precision settings that do not fit",
    "grad-scaler": "the gradient scaler refuses", "overflow-nan": "numbers left the range",
    "distributed-dtype": "ranks or parameters of different dtypes",
}  # fmt: skip


def render(found: Sequence[Explanation], *, width: int = WIDTH) -> str:
    """All explanations, or one line that says that nothing was recognised."""
    if not found:
        return "nothing recognised: no dtype, device or precision error in this text\n"
    return "\n".join("\n".join(_lines(one, max(width, 40))) + "\n" for one in found)


def _lines(one: Explanation, width: int) -> Iterator[str]:
    title = f"{one.category}  {_title(one)}"
    yield from _wrapped("", title, width, 2)
    yield from _where(one, width)
    widest = max([0, *(len(_value(operand)) for operand in one.operands)])
    for operand in one.operands:
        if operand.dtype or operand.device or operand.role:
            yield from _row(operand.name, f"{_value(operand):{widest}}  {operand.role}{_held(operand)}".rstrip(), width)
            yield from _lines_since(operand, width)
    for index, cause in enumerate(one.causes):
        yield from _row("or" if index else "cause", f"{cause.text}  ({cause.weight:.0%})", width)
        for evidence in cause.evidence[:3]:
            yield from _row("", f"· {evidence}", width)
    for index, text in enumerate(one.help):
        yield from _row("" if index else "help", text, width)
    yield from _row("error", one.error, width)
    if one.lines != (0, 0):  # an exception has no lines of a log
        yield from _row("lines", _counted(one), width)


def _title(one: Explanation) -> str:
    """What happened, in half a sentence."""
    values = [(operand, _stated(one, operand)) for operand in one.operands]
    values = [(operand, value) for operand, value in values if value]
    op = (f"{one.op} (most likely)" if one.guessed else one.op) or "an op"
    if one.category in ("dtype-mismatch", "device-mismatch") and len({value for _, value in values}) > 1:
        (first, value), (second, other) = values[0], next(pair for pair in values[1:] if pair[1] != values[0][1])
        return f"{op} mixes {value} `{first.name}` with {other} `{second.name}`"
    return f"{op}: {_NOUNS.get(one.category, one.category)}"


def _stated(one: Explanation, operand: Told) -> str:
    return (operand.device if one.category == "device-mismatch" else operand.dtype) or ""


def _value(operand: Told) -> str:
    return " ".join(filter(None, (operand.dtype, operand.device and f"on {operand.device}"))) or "?"


def _held(operand: Told) -> str:
    """What the tensor itself tells: "  [2, 320]  unet.conv_in.weight"."""
    shape = "" if operand.shape is None else f"  {list(operand.shape)}"
    return shape + (f"  {operand.path}" if operand.path else "")


def _lines_since(operand: Told, width: int) -> Iterator[str]:
    for since in operand.since:
        yield from _row("", f"{since.how} at {_short(since.file)}:{since.line}", width)
        if since.code:
            yield f"{' ' * (_LABEL + 5)}{_printable(since.code)}"[:width]


def _short(file: str) -> str:
    return file if len(file) < 60 else "…" + file[-59:]


def _where(one: Explanation, width: int) -> Iterator[str]:
    place = one.location
    if place is None:
        return
    file = _short(place.file)
    where = f"{file}:{place.line}" if place.line else file
    if place.function:
        where += f"  in {place.function}"
    if place.library:
        where += f"  ({place.library})" if place.library in place.file else f"  (raised in {place.library})"
    yield f"  {_printable(where)}"[:width]
    if place.code:
        yield f"      {_printable(place.code)}"[:width]


def _counted(one: Explanation) -> str:
    first, last = one.lines
    text = f"{first:,}" if first == last else f"{first:,}-{last:,}"
    if one.count > 1:
        text += f", {one.count:,} times"
    if len(one.ranks) > 1:
        text += f", by {len(one.ranks)} ranks: {', '.join(one.ranks[:6])}{', …' if len(one.ranks) > 6 else ''}"
    elif one.ranks:
        text += f", by rank {one.ranks[0]}"
    return text


def _row(label: str, text: str, width: int) -> Iterator[str]:
    return _wrapped(label, text, width, _LABEL + 3)


def _wrapped(label: str, text: str, width: int, indent: int) -> Iterator[str]:
    head = f"  {label:{_LABEL}} " if indent > 2 else ""
    lines = textwrap.wrap(
        _printable(text), width, initial_indent=head, subsequent_indent=" " * indent, break_on_hyphens=False
    )
    yield from lines or [head]


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
