"""Report the outside effects of a checked program that the sandbox prevented.

sandboxed: wrote 3 files in out and deleted out/checkpoint-1
not sent: POST https://api.wandb.ai at train.py:12
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from ..core.event import Effect
from .wording import path, place, plural, times

_LISTED = 3
_FILES = {"written": "wrote", "deleted": "deleted"}
_OTHERS = {"network": "not sent", "started": "not started", "signal": "not sent"}


def lines(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield one line on files, one on each kind of thing that has a line of the program's own."""
    found: dict[str, list[Effect]] = {kind: [] for kind in (*_FILES, *_OTHERS)}
    for effect in effects:
        found[effect.kind].append(effect)
    changed = [
        f"{_FILES[kind]} {files([effect.what for effect in found[kind]])}"
        for kind in _FILES
        if found[kind]
    ]
    if changed:
        yield f"sandboxed: {' and '.join(changed)}"
    for kind, says in _OTHERS.items():
        if found[kind]:
            yield f"{says}: {_some(found[kind])}"


def _some(effects: Sequence[Effect]) -> str:
    told = [_one(effect) for effect in effects[:_LISTED]]
    more = [f"{len(effects) - _LISTED:,} more"] if len(effects) > _LISTED else []
    return ", ".join(told + more)


def _one(effect: Effect) -> str:
    at = f" at {place(effect.location)}" if effect.location else ""
    return f"{effect.action} {path(effect.what)}".strip() + at + times(effect.count)


def files(paths: Sequence[str]) -> str:
    """Return few files by name; many by number, with their outermost folders."""
    if len(paths) <= _LISTED:
        return ", ".join(map(path, paths))
    known = dict.fromkeys(map(_folder, paths))
    # in the root folder, and in this one, is everything
    folders = [
        one
        for one in known
        if known.keys().isdisjoint(map(str, PurePath(one).parents[:-1]))
    ]
    left = len(folders) - _LISTED
    more = f" and {plural(left, 'other folder')}" if left > 0 else ""
    return f"{plural(len(paths), 'file')} in {', '.join(folders[:_LISTED])}{more}"


def _folder(file: str) -> str:
    """Return the first folder on the way from here, or the one that the file is in."""
    near = path(file)
    if os.path.isabs(near):
        return os.path.dirname(near)
    if os.sep in near:
        return near.partition(os.sep)[0]
    return "."
