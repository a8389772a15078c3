"""The frames of the traceback that a message belongs to, innermost last.

They stand before the message, or, where a program prints the message first, after it. Only lines of the same rank
count. A traceback ends, going up, at its header or at the message of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .frame import Frame, frame, pointed
from .scan import Passage

_FAR = 60
_MOST = 200
_RAISED = re.compile(r"^[\w.]{1,120}(?:Error|Exception|Interrupt|Warning)(?::|$)")
_HEADER = "Traceback (most recent call last)"
BETWEEN = ("another exception occurred:", "the direct cause of the following exception:")
"""How the line ends that Python prints between the tracebacks of a chain: beyond it is another error."""
_CARETS = frozenset("^~ ")


def frames(passage: Passage) -> tuple[Frame, ...]:
    """The frames of a passage, the innermost last; none where there is no traceback."""
    escaped = passage.text.replace("\\\\n", "\n").replace("\\n", "\n")
    inside = _down(escaped.split("\n")) if "File " in escaped else ()
    return inside or _up(passage.before()) or _ahead(passage.after()) or _pointed_at(passage)


def _pointed_at(passage: Passage) -> tuple[Frame, ...]:
    """The line of code that pytest points at, right before the message, where it names no file."""
    if not passage.data[passage.start : passage.end].lstrip().startswith(b"E  "):
        return ()
    code = next(iter(passage.before()), "")
    return (Frame(file="", code=code[:200]),) if code else ()


def _up(lines: Iterable[str]) -> tuple[Frame, ...]:
    """Going up from the message, the nearest line first."""
    found: list[Frame] = []
    code = ""
    arrow: tuple[int, str] | None = None
    since = 0
    for text in lines:
        since += 1
        if since > _FAR or len(found) >= _MOST:
            break
        if text.endswith(BETWEEN):
            break
        if _HEADER in text:
            if found or since > 3:
                break
            continue
        read = frame(text)
        if read is not None:
            number, shown = arrow or (read.line, code)
            line = read.line if read.line is not None else number
            found.append(Frame(file=read.file, line=line, function=read.function, code=shown[:200]))
            code, arrow, since = "", None, 0
            continue
        if found and _RAISED.match(text):
            break
        if not found and since > 1 and _RAISED.match(text) and since < 4:
            continue
        arrow = pointed(text) or arrow
        if text and not _CARETS.issuperset(text):
            code = text
    return tuple(reversed(found))


def _ahead(lines: Iterable[str]) -> tuple[Frame, ...]:
    """After a message that stands before its traceback."""
    near: list[str] = []
    for count, text in enumerate(lines):
        near.append(text)
        started = any(_HEADER in line or frame(line) for line in near[:6])
        if count >= 6 and not started:
            return ()
        if count >= 2 * _FAR or (count > 6 and _RAISED.match(text)):
            break
    return _down(near)


def _down(lines: Iterable[str]) -> tuple[Frame, ...]:
    """Going down, as Python prints it."""
    found: list[Frame] = []
    for text in lines:
        text = text.strip()  # noqa: PLW2901 - the line without its indentation
        read = frame(text)
        if read is not None:
            found.append(read)
        elif found and not found[-1].code and text and not _CARETS.issuperset(text):
            last = found[-1]
            found[-1] = Frame(file=last.file, line=last.line, function=last.function, code=text[:200])
        if len(found) >= _MOST:
            break
    return tuple(found)


def user_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame of the user's own code."""
    return next((frame for frame in reversed(frames) if not frame.library), None)


def library_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame of a library other than torch."""
    others = ("", "torch", "python")
    return next((frame for frame in reversed(frames) if frame.library not in others), None)
