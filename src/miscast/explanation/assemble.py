"""A passage -> a finding: the error, where it was raised, why, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, islice
from operator import itemgetter

from ..core.event import Location, Operand
from ..core.finding import Finding, Fix, RankedCause
from . import naming
from .cause import Cause, weigh
from .elsewhere import elsewhere
from .facts import Case, facts
from .frame import Frame
from .library import concerned
from .operands import devices, dtypes, operands
from .recognise import Recognised
from .scan import Passage
from .traceback import BETWEEN, frames, library_frame, user_frame

VERIFY = "verify without a GPU: miscast check"
NOWHERE = Location(file="", line=0)
"""The place of an error whose traceback is not shown."""
_NEAR = 12
_VERIFIED = ("dtype-mismatch", "device-mismatch", "unsupported-dtype", "grad-scaler")
_CATEGORIES_OF_LISTS = (
    "_flatten_dense_tensors", "allreduce", "all_reduce", "_all_gather", "reduce_scatter",
)  # fmt: skip

Look = Callable[[tuple[Operand, ...], "str | None"], tuple[Operand, ...]]
_AMONG = ("expected", "or", "also", "found")
_NOUNS = {
    "dtype-mismatch": "operands of different dtypes", "device-mismatch": "operands on different devices",
    "unsupported-dtype": "dtype not supported here", "unsupported-device": "device not supported here",
    "precision-config": "conflicting precision settings", "grad-scaler": "gradient scaler error",
    "overflow-nan": "overflow or NaN", "distributed-dtype": "ranks or parameters of different dtypes",
}  # fmt: skip


def explain(passage: Passage, look: Look | None = None) -> Finding | None:
    """Return one passage, explained; None where its frames say that it is something else.

    `look` makes of the message's operands and op what is known of them otherwise: from the tensors themselves.
    """
    found = passage.found
    trail = frames(passage)
    user = user_frame(trail)
    near = _near(passage)
    from_file = user is not None and user.file in found.pattern.unless_from
    if from_file or elsewhere(found, trail, near.lower()):
        return None
    if any(map(near.lower().__contains__, found.pattern.part_of)):
        return None
    op = naming.op(found, trail, near, _typed(passage, trail))
    told = operands(found, op.name)
    if found.pattern.lists and not told:
        return None
    category = _category(found, told, trail)
    case = _case(
        passage, category, op.name, look(told, op.name) if look else told, trail
    )
    weighed = weigh(case)
    return Finding(
        rule=category,
        severity="error",
        message=message(category, case.op, case.operands, guessed=op.guessed),
        op=case.op,
        guessed=op.guessed,
        phase="program",
        about="device" if category == "device-mismatch" else "dtype",
        operands=case.operands,
        location=_location(trail),
        library=_library(trail),
        error=_error(passage),
        raises="",
        pattern=found.pattern.name,
        causes=tuple(map(itemgetter(0), weighed)),
        fixes=tuple(Fix(title=title) for title in _help(case, weighed)),
        said_by=tuple(filter(None, (passage.line.rank,))),
        lines=(passage.number, passage.number),
    )


def _case(
    passage: Passage,
    category: str,
    op: str | None,
    told: tuple[Operand, ...],
    trail: tuple[Frame, ...],
) -> Case:
    """Return all that causes and help are chosen by."""
    found, near = passage.found, _near(passage).lower()
    return Case(
        found=found,
        category=category,
        op=op or "",
        operands=told,
        frames=trail,
        libraries=concerned(trail, near),
        facts=facts(found, category, op or "", told, trail),
        near=near,
    )


def _category(
    found: Recognised, told: tuple[Operand, ...], trail: tuple[Frame, ...]
) -> str:
    """Return the pattern's category, unless operands or frames give a better one."""
    category = found.pattern.category
    if category not in ("dtype-mismatch", "precision-config"):
        return category
    if len(devices(told)) > 1 and (
        len(dtypes(told)) < 2 or all(operand.device for operand in told)
    ):
        return "device-mismatch"
    lists = any(
        word in frame.function for frame in trail[-6:] for word in _CATEGORIES_OF_LISTS
    )
    return "distributed-dtype" if lists else category


def _near(passage: Passage) -> str:
    """Return the message, and up to a dozen lines on each side that are no part of a traceback."""
    lines = [passage.text]
    for texts in (passage.before(), passage.after()):
        for count, text in enumerate(texts):
            if count >= _NEAR or text.endswith(BETWEEN):
                break
            lines.append(text)
    return "\n".join(lines)[:8000]


def _typed(passage: Passage, trail: tuple[Frame, ...]) -> str:
    """Return what was typed at a prompt and failed there; it is above the traceback, not in it."""
    if not trail or trail[-1].file not in ("<stdin>", "<string>"):
        return ""
    lines = islice(passage.before(), _NEAR)
    above = dropwhile(lambda text: not text.startswith("Traceback (most"), lines)
    return next(islice(above, 1, None), "")


def _error(passage: Passage) -> str:
    """Return the message as it is in the log, from the exception's name on, in one line."""
    words = " ".join(passage.text.split("\n")[0].split())
    message = passage.found.message
    whole = message.original(passage.found.match.start, passage.found.match.end)
    if "\n" in whole:
        first = passage.text.split("\n")[0].strip()
        lead = first[: max(0, first.find(whole.split("\n")[0].strip()))]
        words = " ".join(f"{lead}{whole}".split())
    return words if len(words) <= 400 else words[:399] + "…"


def _first(trail: tuple[Frame, ...]) -> Frame | None:
    """Return where to look first: the innermost line of the user's, else of a library."""
    own = user_frame(trail) or library_frame(trail)
    frame = own or (trail[-1] if trail else None)
    return frame if frame and frame.file else None


def _location(trail: tuple[Frame, ...]) -> Location:
    frame = _first(trail)
    if frame is None:
        return NOWHERE
    return Location(
        file=frame.file, line=frame.line or 0, function=frame.function, code=frame.code
    )


def _library(trail: tuple[Frame, ...]) -> str:
    """Return the library that raised, or in whose code the error occurred."""
    frame = _first(trail)
    if frame is None:
        return ""
    inside = library_frame(trail)
    return inside.library if inside else frame.library


def _help(case: Case, weighed: tuple[tuple[RankedCause, Cause], ...]) -> Iterator[str]:
    """Yield what to change, in the library first, then elsewhere, and how to check that it is fixed."""
    likely = [cause for _, cause in weighed[:2]]
    advised = (
        library.advice(cause.name, case.category)
        for cause in likely[:1]
        for library in case.libraries[:2]
    )
    general = (
        text
        for cause, most in zip(likely, (2, 1), strict=False)
        for text in cause.help[:most]
    )
    yield from dict.fromkeys(filter(None, (*advised, *general)))
    if case.category in _VERIFIED:
        user = user_frame(case.frames)
        script = user.base if user and user.file.endswith(".py") else "train.py"
        yield f"{VERIFY} --machine {_machine(case)} {script}"


def _machine(case: Case) -> str:
    """Return the machine to check on: one like that of the error, as far as it is known."""
    stated = devices(case.operands)
    if any(device.startswith("mps") for device in stated):
        return "m2"
    if "gpu-lacks-bfloat16" in case.found.pattern.implies:
        return "v100"
    if stated == ("cpu",):
        return "cpu"
    return "2xa100" if "several-accelerators" in case.facts else "a100"


def message(
    category: str, op: str, operands: Sequence[Operand], *, guessed: bool
) -> str:
    """Return an error's kind with its op and the first two operands that differ, as far as they are known."""
    told = f"{op} (most likely)" if op and guessed else op or "an op"
    taken = _taken(operands)
    if taken:
        return f"{told} takes {taken}"
    mixed = _mixed(category, operands)
    if mixed:
        return f"{told} mixes {mixed}"
    return f"{told}: {_NOUNS.get(category, category)}"


def _taken(operands: Sequence[Operand]) -> str:
    """Return the dtypes of which an error says that one is wanted, and what came instead."""
    dtypes = {operand.name: operand.dtype for operand in operands if operand.dtype}
    if not {"or", "found"} <= dtypes.keys():
        return ""
    *taken, found = (dtypes[one] for one in _AMONG if one in dtypes)
    return "" if found in taken else f"{' or '.join(taken)}, and was given {found}"


def _mixed(category: str, operands: Sequence[Operand]) -> str:
    if category not in ("dtype-mismatch", "device-mismatch"):
        return ""
    first: dict[str, str] = {}
    for operand in operands:
        value = operand.device if category == "device-mismatch" else operand.dtype
        if value:
            first.setdefault(value, operand.name)
    pairs = [f"{value} `{name}`" for value, name in first.items()]
    return " with ".join(pairs[:2]) if len(pairs) > 1 else ""
