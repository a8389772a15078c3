"""Collect a layer's effects at its end: the files that would differ on the disk, and outside requests.

Only what differs is told: a file that was written with the bytes it had, or made and removed again, is no effect.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from itertools import filterfalse
from typing import TYPE_CHECKING

from ...core.event import Effect, EffectKind, Location
from . import real
from .listing import entries

if TYPE_CHECKING:
    from .union import Union

Noted = Mapping[tuple[EffectKind, str, str], tuple[Location | None, int]]

_CHUNK = 1 << 20


def told(union: Union, noted: Noted) -> tuple[Effect, ...]:
    """Return files first, by path; then commands, signals and refusals, in their order."""
    files = {(one.what, one.kind): one for one in _files(union, noted)}
    rest = [
        Effect(kind=kind, what=what, action=action, location=location, count=count)
        for (kind, what, action), (location, count) in noted.items()
        if kind in {"started", "signal", "network"}
        or action in {"refused", "discarded"}
    ]
    there = {(e.what, e.kind) for e in rest}
    return (*(files[key] for key in sorted(files) if key not in there), *rest)


def _files(union: Union, noted: Noted) -> Iterator[Effect]:
    """Yield what was written and deleted, each with the first line that did it."""
    lines: dict[tuple[EffectKind, str], Location | None] = {}
    for (kind, what, _), (location, _) in noted.items():
        lines.setdefault((kind, what), location)
    done = {
        what: action for kind, what, action in noted if kind == "written" and action
    }
    # Of those no byte may differ, yet something does: "chmod".
    for name in filterfalse(_is_bytecode, _written(union, set(done))):
        action = done.get(name, "") if real.linked(name) else ""
        yield Effect(
            kind="written",
            what=name,
            action=action,
            location=lines.get(("written", name)),
        )
    for name in filterfalse(_is_bytecode, _deleted(union)):
        yield Effect(kind="deleted", what=name, location=lines.get(("deleted", name)))


def _is_bytecode(name: str) -> bool:
    return "__pycache__" in name or name.endswith(".pyc")


def _written(union: Union, marked: set[str]) -> Iterator[str]:
    """Yield names whose content, kind or mode differs from the disk's, or whose attributes the program set."""
    moved = set()
    for above, marks in list(union.marks.items()):
        for tail, at in marks.items():
            name = os.path.join(above, tail)
            source = union.source(name)
            if at is not None and at != name and source is not None:
                moved.add(name)  # a folder is told as a whole
                if _is_folder(source) or _differs(source, name):
                    yield name
    yield from _below(union, os.sep, marked, moved)


def _below(union: Union, name: str, marked: set[str], moved: set[str]) -> Iterator[str]:
    """Yield what differs in a folder of the layer; a new folder is reported only if it is empty."""
    if _dressed(name, marked) or (not real.linked(name) and not entries(union, name)):
        yield name
    for entry in sorted(real.listdir(union.upper(name))):
        inner = os.path.join(name, entry)
        if inner in moved:
            continue
        if _is_folder(union.upper(inner)):
            yield from _below(union, inner, marked, moved)
        elif _dressed(inner, marked) or _differs(union.upper(inner), inner):
            yield inner


def _dressed(name: str, marked: set[str]) -> bool:
    return name in marked and bool(real.linked(name))


def _deleted(union: Union) -> Iterator[str]:
    """Yield names of the disk that no longer exist; only the top of a tree."""
    hidden = {
        os.path.join(above, tail)
        for above, marks in union.marks.items()
        for tail in marks
    }
    hidden.discard(os.path.dirname(union.folder))  # the layer's own
    gone = {name for name in hidden if union.source(name) is None and real.linked(name)}
    for name in hidden - gone:
        gone.update(_gone_within(union, name))
    yield from (name for name in gone if gone.isdisjoint(_above(name)))


def _gone_within(union: Union, name: str) -> Iterator[str]:
    """Yield the former contents, now gone, of a folder that was deleted and made again."""
    source = union.source(name)
    if source is not None and _is_folder(source) and _is_folder(name):
        yield from (inner for inner in _all_below(name) if union.source(inner) is None)


def _above(name: str) -> Iterator[str]:
    while (above := os.path.dirname(name)) != name:
        yield above
        name = above


def _all_below(name: str) -> Iterator[str]:
    for entry in real.listdir(name):
        inner = os.path.join(name, entry)
        yield inner
        if _is_folder(inner):
            yield from _all_below(inner)


def _is_folder(path: str) -> bool:
    return real.linked(path) and stat.S_ISDIR(real.lstat(path).st_mode)


def _differs(one: str, other: str) -> bool:
    if not real.linked(other):
        return True
    a, b = real.lstat(one), real.lstat(other)
    if a.st_mode != b.st_mode:
        return True
    if stat.S_ISLNK(a.st_mode):
        return bool(real.readlink(one) != real.readlink(other))
    if not stat.S_ISREG(a.st_mode):
        return False
    return a.st_size != b.st_size or not _same(one, other)


def _same(one: str, other: str) -> bool:
    try:
        with real.open_file(one, "rb") as left, real.open_file(other, "rb") as right:
            while (chunk := left.read(_CHUNK)) == right.read(_CHUNK):
                if not chunk:
                    return True
    except OSError:  # unreadable: it cannot be vouched for
        return False
    return False
