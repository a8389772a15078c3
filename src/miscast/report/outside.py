"""What a checked program would have done to the world outside, in lines that say that it did not happen.

    effects    would have written 3 files in out, deleted out/checkpoint-1; contacted api.wandb.ai:443 at train.py:12
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..event import Effect
from .wording import path, place, plural

_LISTED = 3


def lines(effects: Sequence[Effect]) -> Iterator[str]:
    """One line on files, one on each kind of thing that has a line of the program's own."""
    written = [effect.what for effect in effects if effect.kind == "written"]
    deleted = [effect.what for effect in effects if effect.kind == "deleted"]
    parts = [f"{verb} {files(paths)}" for verb, paths in (("wrote", written), ("deleted", deleted)) if paths]
    if parts:
        yield f"{', and '.join(parts)}: only in the box, nothing on the disk has changed"
    for kind, says in (("network", "not sent"), ("started", "not started"), ("signal", "not sent")):
        found = [effect for effect in effects if effect.kind == kind]
        told = [_one(effect) for effect in found[:_LISTED]]
        if len(found) > _LISTED:
            told.append(f"{len(found) - _LISTED:,} more")
        if told:
            yield f"{says}: {', '.join(told)}"


def _one(effect: Effect) -> str:
    at = f" at {place(effect.location)}" if effect.location else ""
    times = f" ×{effect.count:,}" if effect.count > 1 else ""
    return f"{effect.action} {path(effect.what)}".strip() + at + times


def files(paths: Sequence[str]) -> str:
    """Few by name; many by number, with the folders that they are in."""
    if len(paths) <= _LISTED:
        return ", ".join(map(path, paths))
    folders = list(dict.fromkeys(_folder(one) for one in paths))
    more = f" and {plural(len(folders) - _LISTED, 'other folder')}" if len(folders) > _LISTED else ""
    return f"{plural(len(paths), 'file')} in {', '.join(folders[:_LISTED])}{more}"


def _folder(file: str) -> str:
    """The first folder on the way from here, or the one that the file is in."""
    near = path(file)
    return os.path.dirname(near) if os.path.isabs(near) else near.partition(os.sep)[0] if os.sep in near else "."
