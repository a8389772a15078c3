"""Likely causes, as data, and how they are weighed.

A cause holds where all facts that it `needs` are known (`facts.py`). Its weight is its own, plus that of every clue
found: a fact, or a word in the frames. What was found is told as evidence. The heaviest come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ..plugins import each, load
from .explanation import Likely
from .facts import Case

_SHOWN = 3
_LEAST = 0.15
_PLAIN = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """What speaks for a cause: facts, or words in the traceback's files, functions and code."""

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
    """One sentence. {half}, {other}, {device}, {accelerator}, {op}, {input}, {weight} are filled in."""
    needs: tuple[str, ...]
    """Facts that must all be known; "a|b" is either."""
    weight: float = 0.3
    clues: tuple[Clue, ...] = ()
    help: tuple[str, ...] = ()
    """What to change, where no library says better."""


@cache
def causes() -> tuple[Cause, ...]:
    """Every cause, by discovery."""
    from . import causes as folder

    return tuple(cause for file in load(folder.__name__, needs=(each("CAUSES", Cause),)) for cause in file.CAUSES)


def weigh(case: Case) -> tuple[tuple[Likely, Cause], ...]:
    """The likely causes of a case, the likeliest first, at most three."""
    implied = case.found.pattern.implies
    weighed = []
    for cause in causes():
        if not all(any(fact in case.facts for fact in need.split("|")) for need in cause.needs):
            continue
        evidence, weight = [], cause.weight
        if cause.name in implied:
            weight += 0.45 - 0.1 * implied.index(cause.name)
            evidence.append("the message itself")
        for clue in cause.clues:
            said = _found(clue, case)
            if said is not None:
                weight += clue.weight
                evidence += [said] if said else []
        weighed.append((weight, cause, tuple(dict.fromkeys(evidence))))
    weighed.sort(key=lambda item: -item[0])
    total = max(1.0, sum(weight for weight, _, _ in weighed[:_SHOWN] if weight > 0))
    return tuple(
        (
            Likely(name=cause.name, text=_filled(cause.text, case), evidence=evidence, weight=round(weight / total, 2)),
            cause,
        )
        for weight, cause, evidence in weighed[:_SHOWN]
        if weight >= _LEAST
    )


def _found(clue: Clue, case: Case) -> str | None:
    """The evidence that a clue gives, "" for none worth telling, None where it is not found."""
    if clue.facts and not all(any(fact in case.facts for fact in need.split("|")) for need in clue.facts):
        return None
    if not clue.words:
        return clue.says
    for frame in reversed(case.frames):
        word = next((word for word in clue.words if word in frame.words), None)
        if word is not None:
            name = frame.file.replace("\\", "/").rpartition("/")[2]
            where = f"{name}:{frame.line}" if frame.line else name
            shown = (
                f": {frame.code}"
                if frame.code and word in frame.code.lower()
                else f" in {frame.function}"
                if frame.function
                else ""
            )
            return f"{where}{shown}"
    word = next((word for word in clue.words if _tells(word) and word in case.near), None)
    return f"`{word}` beside the message" if word is not None else None


def _tells(word: str) -> bool:
    """Whether a word beside a message, outside of its traceback, says something: "loss" is in every line of a log."""
    return len(word) > _PLAIN or not word.isalpha()


def _filled(text: str, case: Case) -> str:
    for key, value in _values(case):
        text = text.replace("{" + key + "}", value)
    return text


def _values(case: Case) -> Iterator[tuple[str, str]]:
    dtypes = [operand.dtype for operand in case.operands if operand.dtype]
    devices = [operand.device for operand in case.operands if operand.device]
    half = next((dtype for dtype in dtypes if dtype in ("float16", "bfloat16")), "half precision")
    yield "half", half
    yield "other", next((dtype for dtype in dtypes if dtype != half), "another dtype")
    yield "dtype", dtypes[-1] if dtypes else "its dtype"
    yield "accelerator", next((device for device in devices if device != "cpu"), "the accelerator")
    yield "device", next(iter(devices), "another device")
    yield "op", case.op or "the op"
    inputs, weights = case.operand("activation"), case.operand("weight", "bias")
    yield "input", (inputs.dtype if inputs else None) or "one dtype"
    yield "weight", (weights.dtype if weights else None) or "another"
    yield "library", case.library or "the library"
