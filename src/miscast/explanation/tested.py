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

from ..regex import regex
from .frame import Frame
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
_CARETS = frozenset("^~ ")


def is_tested(passage: Passage) -> bool:
    """Whether a message stands where pytest shows what a test raised."""
    return _RAISED.match(passage.data, passage.start, passage.end) is not None


def is_summary(passage: Passage) -> bool:
    """Whether a line is of the list that pytest ends with, where it says each error again, cut off."""
    return _SUMMARY.match(passage.data, passage.start, passage.end) is not None


def tested_frames(passage: Passage) -> tuple[Frame, ...]:
    """The frames of the test whose message a passage is, the innermost last; none where pytest shows none."""
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
    """The frames of a test's lines; the place of the innermost is the first that stands behind the message."""
    found: list[Frame] = []
    code = function = ""
    shown = True
    for line in lines:
        marked, place, begins = (
            form.match(line.rstrip()) for form in (_MARKED, _PLACE, _DEF)
        )
        if begins:
            function = begins["name"]
        if marked:
            code, shown = marked["code"], True
        elif place:
            found.append(
                _frame(
                    place["file"], place["line"], place["function"] or function, code
                )
            )
            code, function, shown = "", "", place["function"] is None
        elif not shown and line.strip() and not _CARETS.issuperset(line):
            # what pytest shows in short: the place, and the code below it
            last, shown = found[-1], True
            found[-1] = _frame(last.file, last.line, last.function, line.strip())
    if code:
        place = next(
            (at for line in after if (at := _PLACE.match(line.rstrip()))), None
        )
        found.append(
            _frame(
                place["file"] if place else "",
                place["line"] if place else None,
                function,
                code,
            )
        )
    return tuple(found)


def _frame(file: str, line: str | int | None, function: str, code: str) -> Frame:
    number = None if line is None else int(line)
    return Frame(file=file, line=number, function=function, code=code[:_WIDE])
