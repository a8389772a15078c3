"""The frames of the traceback that a message belongs to, innermost last.

They stand before the message, or, where a program prints the message first, after it. Only lines of the same rank
count. A traceback ends, going up, at its header or at the message of the one before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import chain, islice, pairwise

from ..core.frozen import replace
from ..core.regex import regex
from .frame import Frame, frame, marked, pointed, statement
from .line import Line, cleaned, is_marks
from .scan import ESCAPED, Passage
from .tested import is_tested, tested_frames

_FAR = 60
_MOST = 200
_START = 6
_TITLE = 3
_SHOWN = 8
"""So many lines a notebook shows below the one that failed, and a blank one."""
_LONGEST_CALL = 8
"""Lines."""
_WIDE = 200
_SAID = 30
"""So much of a message tells that two are one."""
RAISED = regex(r"^[\w.]{1,120}(?:Error|Exception|Interrupt|Warning)(?::|$)")
"""The start of a traceback's last line."""
_HEADER = "Traceback (most recent call last)"
BETWEEN = (
    "another exception occurred:",
    "the direct cause of the following exception:",
)
"""The end of the line that Python prints between the tracebacks of a chain. Another error follows it."""
_CODE = regex(
    r"^(?:[\w, ]{1,60}= ?|return )?(?:torch|F|nn|fft|dist)\.[\w.]{1,60}\("
    r"|^(?:[\w.,\[\]\"' +]{1,100} = |return )[a-z_][\w\[\]\"' +]{0,60}(?:\.\w{1,60}){1,4}\("
)
_FRAMES = regex(r' {1,8}(?=File ")| {1,8}(?=\w{1,60}(?:Error|Exception): )')
_SHOWS = ("File ", "---> ")
"""Marks of a traceback in its message's lines, from Python or a notebook."""
_HERE = "<--- HERE"
"""Below what TorchScript shows of a function: the line above it failed."""


def frames(passage: Passage) -> tuple[Frame, ...]:
    """Return the frames of a passage, the innermost last; none where there is no traceback."""
    escaped = ESCAPED.sub("\n", passage.text.replace("\\\\n", "\n"))
    shows = any(mark in escaped for mark in _SHOWS)
    inside = _read(map(cleaned, escaped.split("\n"))) if shows else ()
    return (
        inside
        or (tested_frames(passage) if is_tested(passage) else ())
        or _read(reversed(_above(passage.lines_before())))
        or _read(_below(passage.lines_after(), passage.text))
        or _pointed_at(passage)
    )


def _pointed_at(passage: Passage) -> tuple[Frame, ...]:
    """Return the line of code right before the message, where it names no file: pytest's, or one that calls torch."""
    above = list(islice(passage.before(), _FAR))
    scripted = next((before for line, before in pairwise(above) if _HERE in line), "")
    above = above[:_SHOWN]
    nearest = filter(lambda text: text.strip(")]}"), above[:_TITLE])
    code = scripted or next(nearest, "")
    arrow = pointed(code) or next(filter(None, map(pointed, above)), None)
    if scripted or arrow or is_tested(passage) or _CODE.search(code):
        return (Frame(file="", code=(arrow[1] if arrow else code)[:_WIDE]),)
    return ()


def _above(lines: Iterable[Line]) -> list[Line]:
    """Return the lines of the traceback that ends at the message, going up: the nearest first; maybe none."""
    found: list[Line] = []
    frames = silent = 0
    for line in lines:
        silent, text = silent + 1, line.text
        if silent > _FAR or frames >= _MOST or _begins(text, frames, silent):
            break
        if frame(text) is not None:
            frames, silent = frames + 1, 0
        # a notebook's title, or another line of the message
        if frames or not (_HEADER in text or RAISED.match(text)):
            found.append(line)
    return found if frames else []


def _begins(text: str, frames: int, silent: int) -> bool:
    """Check whether a line is above the traceback, after `frames` frames of it, the last one `silent` lines ago."""
    if text.endswith(BETWEEN):
        return True
    if _HEADER in text:
        return bool(frames or silent > _TITLE)
    return bool(frames and RAISED.match(text))


def _below(lines: Iterable[Line], message: str) -> list[Line]:
    """Return the lines of a traceback that follows its message; none if there is none, or it is another error's."""
    near = list(islice(lines, 2 * _FAR + 1))
    texts = [*(line.text for line in near), ""]
    begins = (at for at, text in enumerate(texts) if _HEADER in text or frame(text))
    first = next(begins, len(near))
    if first >= _START:
        return []
    raised = (at for at, text in enumerate(texts) if at > first and RAISED.match(text))
    end = next(raised, len(near))
    said = texts[end].partition(": ")[2][:_SAID]
    return near[: end + 1] if said in message else []


def _read(lines: Iterable[Line]) -> tuple[Frame, ...]:
    """Return the frames of a traceback's lines, each with the line an arrow points at, or else the first after it."""
    found: list[Frame] = []
    shown, before, column = True, "", 0
    above: deque[str] = deque(maxlen=_LONGEST_CALL)
    for line in chain.from_iterable(map(_parted, lines)):
        text = line.text
        read, arrow = frame(text), pointed(text)
        if read is not None:
            found.append(read)
            shown = False
        elif arrow and not found:  # what was pasted begins below the frame's place
            found.append(Frame(file="", line=arrow[0], code=arrow[1][:_WIDE]))
        elif arrow and not shown:
            last, shown = found[-1], True
            number = arrow[0] if last.line is None else last.line
            code = statement(arrow[1], above)[:_WIDE]
            found[-1] = replace(last, line=number, code=code)
        elif found:
            found[-1] = _filled(found[-1], text, before, line.column - column)
        before, column = text, line.column
        above.append(text)
    return tuple(found[-_MOST:])


def _filled(frame: Frame, text: str, before: str, shift: int) -> Frame:
    """Return a frame with its code, from a line below its place."""
    if _HERE in text:
        return replace(frame, code=before[:_WIDE])
    if is_marks(text):
        return marked(frame, text, shift) if frame.code == before else frame
    return frame if frame.code or not text else replace(frame, code=text[:_WIDE])


def _parted(line: Line) -> list[Line]:
    """Return a line; of a traceback that was written as one line, each frame and the message."""
    if line.text.count('File "') < 2:
        return [line]
    return [replace(line, text=part.strip()) for part in _FRAMES.split(line.text)]


def user_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """Return the innermost frame of the user's own code whose place is shown."""
    own = (frame for frame in reversed(frames) if frame.file and not frame.library)
    return next(own, None)


def library_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """Return the innermost frame of a library other than torch."""
    others = ("", "torch", "python")
    return next(
        (frame for frame in reversed(frames) if frame.library not in others), None
    )
