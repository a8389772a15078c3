"""Likely causes, as data, and how they are weighed.

A cause holds where all facts that it `needs` are known (`facts.py`). Its weight is its own, plus that of every clue
found: a fact, or a word in the frames. What was found is told as evidence. The heaviest come first.
"""

from __future__ import annotations

from functools import cache

from ..core.finding import RankedCause
from ..core.frozen import dataclass
from ..core.plugins import each, load
from .facts import Case, holds
from .frame import Frame
from .operands import devices, dtypes

_SHOWN = 3
_LEAST = 0.15
_PLAIN = 7
_IMPLIED = 0.45
_OFTEN = (
    "; NumPy data, or positions or frequencies computed in float64, often cause this"
)
_FLOOR = 0.3
"""A cause that weighs less is asked, not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """Evidence for a cause: facts, or words in the traceback's files, functions and code."""

    weight: float
    facts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    says: str = ""
    """The evidence, where the clue is a fact; of words, the frame is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Something that people do, or that a library does, that ends in such an error."""

    name: str
    text: str
    """One sentence. {half}, {dtype}, {device}, {accelerator}, {op}, {library} are filled in."""
    needs: tuple[str, ...]
    """Facts that must all be known; "a|b" is either."""
    weight: float = 0.3
    clues: tuple[Clue, ...] = ()
    help: tuple[str, ...] = ()
    """Changes to make, where no library has better advice."""


@cache
def causes() -> tuple[Cause, ...]:
    """Return every cause, by discovery."""
    from . import causes as folder

    return tuple(
        cause
        for file in load(folder.__name__, needs=(each("CAUSES", Cause),))
        for cause in file.CAUSES
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    cause: Cause
    weight: float
    evidence: tuple[str, ...]


def weigh(case: Case) -> tuple[tuple[RankedCause, Cause], ...]:
    """Return the likely causes of a case, the likeliest first, at most three."""
    weighed = [_weighed(cause, case) for cause in causes() if _fits(cause, case)]
    likely = sorted(weighed, key=lambda one: -one.weight)[:_SHOWN]
    total = max(1.0, sum(max(one.weight, 0.0) for one in likely))
    return tuple(
        (_likely(one, case, total), one.cause) for one in likely if one.weight >= _LEAST
    )


def _fits(cause: Cause, case: Case) -> bool:
    """Check whether all facts that a cause needs are known; a message that implies it counts as such a fact."""
    implied = cause.name in case.found.pattern.implies
    return holds(
        (need for need in cause.needs if not (implied and "pattern:" in need)),
        case.facts,
    )


def _weighed(cause: Cause, case: Case) -> _Weighed:
    """Return a cause with what speaks for it: that the message implies it, and each clue."""
    weights, evidence = [cause.weight], []
    if cause.name in case.found.pattern.implies:
        weights.append(_IMPLIED - 0.1 * case.found.pattern.implies.index(cause.name))
        evidence.append("the message itself")
    for clue in cause.clues:
        said = _evidence(clue, case)
        if said is not None:
            weights.append(clue.weight)
            evidence.append(said)
    return _Weighed(
        cause=cause,
        weight=sum(weights),
        evidence=tuple(dict.fromkeys(filter(None, evidence))),
    )


def _likely(one: _Weighed, case: Case, total: float) -> RankedCause:
    text = one.cause.text.format_map(_words(case))
    if one.weight < _FLOOR:
        text = f"perhaps {text}?"
    return RankedCause(
        name=one.cause.name,
        text=text,
        evidence=one.evidence,
        weight=round(one.weight / total, 2),
    )


def _evidence(clue: Clue, case: Case) -> str | None:
    """Return a clue's evidence: "" if it is not worth reporting, None if the clue was not found."""
    if not clue.words:
        return clue.says if holds(clue.facts, case.facts) else None
    shown = (
        (frame, word)
        for frame in reversed(case.frames)
        for word in clue.words
        if word in frame.words
    )
    frame, word = next(shown, (None, ""))
    if frame is not None:
        return _where(frame, word)
    for word in filter(_tells, clue.words):
        if word in case.near:
            return f"`{word}` near the message"
    return None


def _where(frame: Frame, word: str) -> str:
    """Return the frame that contains a word, with its code if the word is in it."""
    where = f"{frame.base}:{frame.line}" if frame.line else frame.base
    if word in frame.code.lower():
        return f"{where}: {frame.code}"
    return f"{where} in {frame.function}" if frame.function else where


def _tells(word: str) -> bool:
    """Check whether a word outside a traceback is specific enough: "loss" is in every line of a log."""
    return len(word) > _PLAIN or not word.isalpha()


def _refused(case: Case) -> str:
    """Return the dtype that was found, else the last that the message names; "" for none."""
    named = [one for one in reversed(case.operands) if one.dtype]
    found = next((one.dtype for one in named if one.name == "found"), "")
    return found or next((one.dtype for one in named), "")


def _words(case: Case) -> dict[str, str]:
    """Return what the holes of a cause's text are filled with."""
    stated, places = dtypes(case.operands), devices(case.operands)
    return {
        "half": next(
            (dtype for dtype in stated if dtype in ("float16", "bfloat16")),
            "half precision",
        ),
        "dtype": _refused(case) or "this dtype",
        "often": _OFTEN if "float64" in stated else "",
        "accelerator": next(
            (device for device in places if device != "cpu"), "the accelerator"
        ),
        "device": next(iter(places), "another device"),
        "op": case.op or "the op",
        "library": next((library.name for library in case.libraries), "the library"),
    }
