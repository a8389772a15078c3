"""What a layer tells at its end: the files that would differ on the disk, and what was asked of the world.

Only what differs is told: a file that was written with the bytes it had, or made and removed again, is no effect.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...event import Effect, EffectKind, Location
from . import real
from .listing import entries

if TYPE_CHECKING:
    from .union import Union

Told = Mapping[tuple[EffectKind, str, str], tuple[Location | None, int]]

_CHUNK = 1 << 20


def told(union: Union, noted: Told) -> tuple[Effect, ...]:
    """Files first, by path; then commands, signals and what was refused, in their order."""
    lines: dict[tuple[EffectKind, str], Location | None] = {}
    for (kind, what, _), (location, _) in noted.items():
        lines.setdefault((kind, what), location)
    done = {(kind, what): action for kind, what, action in noted if action}  # "chmod": no byte differs, yet something
    files: dict[tuple[str, EffectKind], Effect] = {}
    for name in _written(union, {what for kind, what in done if kind == "written"}):
        if "__pycache__" not in name and not name.endswith(".pyc"):
            action = done.get(("written", name), "") if real.linked(name) else ""
            line = lines.get(("written", name))
            files[name, "written"] = Effect(kind="written", what=name, action=action, location=line)
    for name in _deleted(union):
        if "__pycache__" not in name and not name.endswith(".pyc"):
            files[name, "deleted"] = Effect(kind="deleted", what=name, location=lines.get(("deleted", name)))
    rest = [
        Effect(kind=kind, what=what, action=action, location=location, count=count)
        for (kind, what, action), (location, count) in noted.items()
        if kind in {"started", "signal", "network"} or action in {"refused", "discarded"}
    ]
    there = {(e.kind, e.what) for e in rest}
    return (*(files[key] for key in sorted(files) if (key[1], key[0]) not in there), *rest)


def _written(union: Union, marked: set[str]) -> Iterator[str]:
    """Names whose content, kind or mode differs from the disk's, or that the program dressed anew."""
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
    """What differs in a folder of the layer; a new folder is told only where it is empty."""
    known = real.linked(name)
    if (name in marked and known) or (not known and not entries(union, name)):
        yield name
    for entry in sorted(real.listdir(union.upper(name))):
        inner = os.path.join(name, entry)
        if inner in moved:
            continue
        if _is_folder(union.upper(inner)):
            yield from _below(union, inner, marked, moved)
        elif (inner in marked and real.linked(inner)) or _differs(union.upper(inner), inner):
            yield inner


def _deleted(union: Union) -> Iterator[str]:
    """Names of the disk that are no more; of a tree only its top."""
    hidden = {os.path.join(above, tail) for above, marks in union.marks.items() for tail in marks}
    hidden.discard(os.path.dirname(union.folder))  # the layer's own
    gone = {name for name in hidden if union.source(name) is None and real.linked(name)}
    for name in hidden - gone:  # deleted and made anew: what was in it and is no more
        source = union.source(name)
        if source is not None and _is_folder(source) and _is_folder(name):
            gone.update(inner for inner in _all_below(name) if union.source(inner) is None)
    for name in gone:
        above = os.path.dirname(name)
        while above not in gone and os.path.dirname(above) != above:
            above = os.path.dirname(above)
        if above not in gone:
            yield name


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
