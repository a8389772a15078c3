"""An unknown key looks like a precision key.

## What
A key that its system does not know, one or two letters off one that it does.

## Why
Some libraries ignore unknown keys, and the setting that was meant keeps its default; others refuse.

## Example
    mixed_precison: bf16

## Use instead
    mixed_precision: bf16

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..setting import Document
from ..system import Key, Setting, System

_CLOSE = 0.88


def find(run: Run) -> Iterator[Contradiction]:
    """Slips of a precision key."""
    for view in run.views:
        for document in view.documents:
            if (
                view.system.role not in ("environment", "library")
                and document.origin != "call"
            ):
                yield from _slips(view.system, document)


def _slips(system: System, document: Document) -> Iterator[Contradiction]:
    for entry in document.entries:
        if name := _meant(system, entry.path, document):
            setting = Setting(key=Key(name=entry.path), entry=entry, document=document)
            yield Contradiction(
                says=f"{system.title} knows no {setting.name}: did you mean {name}?",
                settings=(setting,),
                severity="warning",
                effect=system.unknown_key,
                help=f"write {name}",
            )


def _meant(system: System, path: str, document: Document) -> str:
    """The key that a path that the system does not know looks like, if the document does not give it."""
    bare = next(
        (path[len(prefix) :] for prefix in system.nested if path.startswith(prefix)),
        path,
    )
    if len(bare) < 4 or bare in system.others or _is_known(system, path):
        return ""
    near = difflib.get_close_matches(bare, system.by_name, n=1, cutoff=_CLOSE)
    return (
        ""
        if not near or near[0] in document.values() or _variant(bare, near[0])
        else near[0]
    )


def _is_known(system: System, path: str) -> bool:
    """Whether a path is a key, another that is known, a bare word, or the section of a key, which may be empty."""
    if system.key(path) is not None or path in system.others or path.startswith("@"):
        return True
    return any(name.startswith(f"{path}.") for name in system.by_name)


def _variant(path: str, name: str) -> bool:
    """Whether a key differs by a digit, a point or a prefix: text_encoder_2 is no slip of text_encoder_3."""
    plain = str.maketrans("._-", "   ", "0123456789")
    return (
        path.translate(plain) == name.translate(plain)
        or path.endswith(name)
        or name.endswith(path)
    )
