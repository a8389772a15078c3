"""The frames that pytest shows: the failing line is marked, and the place stands below it.

    def test_product():
>       product(torch.ones(1, 2, 2), torch.ones(1, 2, 2).half())

test_product.py:18:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
    def product(a, b):
>       return torch.bmm(a, b)
E       RuntimeError: expected scalar type Float but found Half

test_product.py:4: RuntimeError
"""

from __future__ import annotations

import re

from ..core.frozen import replace
from ..core.regex import regex
from .frame import Frame, marked
from .line import is_marks
from .scan import Passage

_FAR = 32 << 10
_BEHIND = 2 << 10
_WIDE = 200
_RAISED = regex(rb"[ \t]{0,4}E {1,12}\S")
_SUMMARY = regex(rb"[ \t]{0,8}(?:FAILED|ERROR) \S{1,400}::\S")
_TITLE = regex(r"^_{3,} .{1,200} _{3,}$|^={3,} ")
_MARKED = regex(r"^> {1,40}(?P<code>\S.{0,400})$")
_PLACE = regex(
    r"^(?P<file>\S{1,400}\.py[cx]?):(?P<line>\d{1,8}): ?"
    r"(?:in (?P<function>[\w.<>]{1,200})|\w{0,60}(?:Error|Exception|Warning)?)$"
)
_DEF = regex(r"^ {4,40}(?:async )?def (?P<name>\w{1,100})\(")


def is_tested(passage: Passage) -> bool:
    """Check whether a message is at the place where pytest shows what a test raised."""
    return _RAISED.match(passage.data, passage.start, passage.end) is not None


def is_summary(passage: Passage) -> bool:
    """Check whether a line is of the list that pytest ends with, where it says each error again, cut off."""
    return _SUMMARY.match(passage.data, passage.start, passage.end) is not None


def tested_frames(passage: Passage) -> tuple[Frame, ...]:
    """Return the frames of the test that raised a passage's message, the innermost last; none if pytest shows none."""
    before = passage.data[max(0, passage.start - _FAR) : passage.start]
    raised = passage.data[passage.start : passage.end]
    blank = " " * (
        len(raised) - len(raised.lstrip(b" "))
    )  # of what is quoted, indented
    lines = [
        line.removeprefix(blank)
        for line in before.decode("utf-8", "replace").split("\n")[:-1]
    ]
    titles = [number for number, line in enumerate(lines) if _TITLE.match(line)]
    after = passage.data[passage.end : passage.end + _BEHIND].decode("utf-8", "replace")
    places = [line.removeprefix(blank) for line in after.split("\n")[1:]]
    return _read(lines[titles[-1] + 1 if titles else 0 :], places)


def _read(lines: list[str], after: list[str]) -> tuple[Frame, ...]:
    """Return the frames of a test's lines; the innermost one's place is the first after the message."""
    found: list[Frame] = []
    shown, function = Frame(file=""), ""
    column, waits = 0, False
    for line in lines:
        failed, place, begins = (
            form.match(line.rstrip()) for form in (_MARKED, _PLACE, _DEF)
        )
        text = line.strip()
        if begins:
            function = begins["name"]
        if failed:
            shown = Frame(file="", code=failed["code"][:_WIDE])
            column = failed.start("code")
        elif place:
            found.append(_placed(shown, place, function))
            shown, function, waits = Frame(file=""), "", place["function"] is not None
        elif waits and text and not is_marks(text):
            # what pytest shows in short: the place, and the code below it
            found[-1] = replace(found[-1], code=text[:_WIDE])
            waits, column = False, line.index(text)
        elif is_marks(text):
            start = line.index(text) - column
            if shown.code:
                shown = marked(shown, text, start)
            elif found:
                found[-1] = marked(found[-1], text, start)
    if shown.code:
        places = filter(None, map(_PLACE.match, map(str.rstrip, after)))
        found.append(_placed(shown, next(places, None), function))
    return tuple(found)


def _placed(shown: Frame, place: re.Match[str] | None, function: str) -> Frame:
    """Return what was shown, at its place."""
    if place is None:
        return replace(shown, function=function)
    return replace(
        shown,
        file=place["file"],
        line=int(place["line"]),
        function=place["function"] or function,
    )
