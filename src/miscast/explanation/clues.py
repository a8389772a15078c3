"""Read the op from a pattern's clues (`OpClue`): words of the message, or of the innermost frames."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from ..core.ops import by
from .frame import Frame
from .frame_op import collective, op_of_frames
from .operands import dtypes, operands
from .pattern import OpClue, Place
from .recognise import Recognised
from .visible import changed_op, launched, visible_op


def _clues(
    place: Place, told: Mapping[str, str], frames: int = 1
) -> tuple[OpClue, ...]:
    """Return a clue for every word that names an op at that place."""
    return tuple(
        OpClue(op=op, place=place, words=(word,), frames=frames)
        for word, op in told.items()
    )


_OWN = by(lambda op: op.own_arguments)
ARGUMENTS = by(lambda op: f"{op.own_arguments} {op.arguments}")
ANY_PATTERN = (
    OpClue(place="calls"),
    *_clues("other argument", _OWN),
    *_clues("argument", ARGUMENTS),
)
"""Clues to the op for a pattern without any."""
USUAL = (
    *_clues("words", by(lambda op: op.frames), frames=3),
    OpClue(op="cross_entropy", place="words", words=("loss",), frames=3, dtype="int64"),
)


def first_told(
    clues: Iterable[OpClue], found: Recognised, frames: tuple[Frame, ...]
) -> str:
    """Return the op of the first clue that holds of a message; "" where none does."""
    return next(filter(None, (_told(clue, found, frames) for clue in clues)), "")


def _told(clue: OpClue, found: Recognised, frames: tuple[Frame, ...]) -> str:
    """Return the op that a clue finds in this message, or ""."""
    if clue.place in _TELLING:
        return _TELLING[clue.place](frames)
    texts: list[Container[str]]
    if clue.place in _IN_MESSAGE:
        texts = [_IN_MESSAGE[clue.place](found)]
    else:
        texts = [getattr(frame, clue.place) for frame in frames[-clue.frames :]]
    holds = any(word in text for text in texts for word in clue.words)
    return clue.op if holds and (not clue.dtype or clue.dtype in _dtypes(found)) else ""


def _dtypes(found: Recognised) -> tuple[str, ...]:
    return dtypes(operands(found, None))


def word(found: Recognised, name: str) -> str:
    """Return the text in a hole of the message's template; "" for none."""
    return found.match.words.get(name, "")


_TELLING: Mapping[str, Callable[[tuple[Frame, ...]], str]] = {
    "calls": op_of_frames, "collective": collective, "changed": changed_op, "launched": launched,
    "line": visible_op,
}  # fmt: skip
_IN_MESSAGE: Mapping[str, Callable[[Recognised], Container[str]]] = {
    "": lambda _: ("",),
    "message": lambda found: found.message.text,
    "operand": lambda found: found.match.values,
    "argument": lambda found: (word(found, "arg"), f"{word(found, 'arg')}#{word(found, 'n')}"),
    "other argument": lambda found: (word(found, "other"),),
    "dtype": _dtypes,
    "first dtype": lambda found: _dtypes(found)[:1],
}  # fmt: skip
