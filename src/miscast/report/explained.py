"""A finding of an error that was read in a log, or off an exception, as a person reads it.

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

Nothing but what the log says, without control characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ..core.event import Operand
from ..core.finding import Finding
from .lines import labelled, titled
from .wording import briefly, lines_of, printable

_LEAST = 40
_EVIDENCE = 3
_NAMED = 6


def explained(one: Finding, width: int) -> Iterator[Text]:
    """Yield its lines."""
    width = max(width, _LEAST)
    yield from titled(Text(one.rule, "bold red"), _printable(one.message), width, 2)
    if one.location.file:
        yield from _place(one, width)
    yield from _operands(one, width)
    yield from _causes(one, width)
    for index, text in enumerate(one.help):
        yield from _row("" if index else "help", text, width, "bold green")
    yield from _row("error", one.error, width, "dim")
    if one.lines != (0, 0):  # an exception has no lines of a log
        yield from _row("lines", _counted(one), width, "dim")


def _place(one: Finding, width: int) -> Iterator[Text]:
    place, library = one.location, one.library
    file = _short(place.file)
    where = f"{file}:{place.line}" if place.line else file
    if place.function:
        where += f"  in {place.function}"
    if library:
        where += (
            f"  ({library})" if library in place.file else f"  (raised in {library})"
        )
    yield Text(f"  {_printable(where)}"[:width])
    if place.code:
        yield Text(f"      {_printable(place.code)}"[:width])


def _operands(one: Finding, width: int) -> Iterator[Text]:
    """Yield the known facts of each operand, and the lines that gave it its dtype or device."""
    widest = max((len(_value(operand)) for operand in one.operands), default=0)
    for operand in one.operands:
        if operand.dtype or operand.device or operand.role:
            text = f"{_value(operand):{widest}}  {operand.role}{_tensor(operand)}"
            yield from _row(operand.name, text.rstrip(), width)
            for event, at in lines_of(one.origin(operand)):
                told = f"{briefly(event)} at {_short(at.file)}:{at.line}"
                yield from _row("", told, width)
                if at.code:
                    yield Text(f"{'':12}{_printable(at.code)}"[:width])


def _value(operand: Operand) -> str:
    on = operand.device and f"on {operand.device}"
    return " ".join(filter(None, (operand.dtype, on))) or "?"


def _tensor(operand: Operand) -> str:
    """Return the tensor's own facts: " [2, 320] unet.conv_in.weight"."""
    shape = "" if operand.shape is None else f"  {list(operand.shape)}"
    return shape + (f"  {operand.path}" if operand.path else "")


def _causes(one: Finding, width: int) -> Iterator[Text]:
    label, colour = "cause", "bold cyan"
    for cause in one.causes:
        yield from _row(label, f"{cause.text}  ({cause.weight:.0%})", width, colour)
        for evidence in cause.evidence[:_EVIDENCE]:
            yield from _row("", f"· {evidence}", width)
        label, colour = "or", "cyan"


def _counted(one: Finding) -> str:
    """Return the lines of the log that report it, how often, and on which ranks."""
    first, last = one.lines
    text = f"{first:,}" if first == last else f"{first:,}-{last:,}"
    if one.count > 1:
        text += f", {one.count:,} times"
    who = one.said_by
    if len(who) > 1:
        more = ", …" if len(who) > _NAMED else ""
        text += f", on {len(who)} ranks: {', '.join(who[:_NAMED])}{more}"
    elif who:
        text += f", on rank {who[0]}"
    return text


def _row(label: str, text: str, width: int, colour: str = "") -> Iterator[Text]:
    return labelled(label, _printable(text), width, colour)


def _short(file: str) -> str:
    return file if len(file) < 60 else "…" + file[-59:]


def _printable(text: str) -> str:
    return printable(text, instead=" ")
