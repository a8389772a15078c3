"""Check whether a message is from another framework or a C compiler, with dtypes of their own."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from . import worlds
from .frame import Frame
from .recognise import Recognised

_TYPES = ("dtype-mismatch", "unsupported-dtype")
_NEAR = 3


def elsewhere(found: Recognised, frames: tuple[Frame, ...], near: str) -> bool:
    """Check whether the message's words or its innermost frames name another framework.

    What others say in the same words is not claimed either where the lines beside it, `near`, name one.
    """
    if found.pattern.library in worlds.CHECKS:
        text = f"{found.message.text}{near}"
        return _by_files(frames) or _any(worlds.TENSORFLOW, text)
    if _told(found, frames, near):
        return True
    if found.pattern.library:
        return found.pattern.library == "numpy" and any(
            f"{name}/" in near for name in worlds.FILES
        )
    return _of_no_origin(found, frames, near)


def _told(found: Recognised, frames: tuple[Frame, ...], near: str) -> bool:
    """Check whether another framework is named at any place of the message, whatever raised it."""
    text = found.message.text
    of_loss = found.pattern.category == "overflow-nan"
    return (
        (_any(worlds.ANYWHERE, text) and not _any(worlds.CHECKING, text))
        or _of_another_engine(found, frames, near)
        or _by_files(frames[-1:])
        or (of_loss and _any(worlds.TRAINERS_OF_OTHERS, near))
        or worlds.OTHERS.search(near) is not None
        or worlds.RUST.search(found.message.source) is not None
    )


def _of_no_origin(found: Recognised, frames: tuple[Frame, ...], near: str) -> bool:
    """Check whether a message without an origin is from another framework, or has no sign of torch."""
    ours, text = _ours(found, frames), found.message.text
    if worlds.SPELT.search(found.message.source):
        return True
    if found.pattern.faint and (not ours or _any(worlds.BESIDE, near)):
        return True
    if found.pattern.category in _TYPES and not (ours or _of_tensors(found, near)):
        return True
    others = not worlds.DTYPE.search(text) and _speaks_of_others(found, near)
    return others or _by_files(frames)


def _speaks_of_others(found: Recognised, near: str) -> bool:
    text = found.message.text
    sources = worlds.SOURCES.search(text) and not _any(worlds.ROUTED, text)
    if sources or _any(worlds.WORDS, text) or worlds.BESIDES.search(near):
        return True
    return _raised_elsewhere(found)


def _any(words: Iterable[str], text: str) -> bool:
    return any(word in text for word in words)


def _of_another_engine(found: Recognised, frames: tuple[Frame, ...], near: str) -> bool:
    """Check whether a missing build or device feature is reported by a C++ program outside torch's ecosystem."""
    of_torch = found.pattern.library in ("", "torch")
    if found.pattern.category != "unsupported-device" or not of_torch:
        return False
    if _any(worlds.NEAR_ENGINES, near):
        return False
    paths = [path[1] for path in worlds.BUILT.finditer(near)]
    if not (paths or _any(worlds.ENGINES_OF_OTHERS, near)):
        return False
    told = " ".join((*paths, *(frame.path for frame in frames))).lower()
    return not _any(worlds.OUR_SOURCES, told)


def _ours(found: Recognised, frames: tuple[Frame, ...]) -> bool:
    """Check whether the message or a frame refers to torch's ecosystem."""
    return (
        _any(worlds.OURS, found.message.text)
        or worlds.OUR_PLACES.search(found.message.source) is not None
        or any(
            word in frame.path.lower() for frame in frames for word in worlds.OUR_FILES
        )
    )


def _of_tensors(found: Recognised, near: str) -> bool:
    """Check whether the message speaks of tensors, devices or engines, or the lines beside it of torch."""
    return _any(worlds.TENSORS, found.message.text) or _any(worlds.NEAR_OURS, near)


def _raised_elsewhere(found: Recognised) -> bool:
    """Check whether an exception is not one of Python's, with no sign of torch: "ComputeError: …"."""
    raised = worlds.RAISED.search(found.message.source)
    if raised is None or _any(worlds.TORCH, found.message.text):
        return False
    name = f"{raised[1][0].upper()}{raised[1][1:]}"
    return not isinstance(getattr(builtins, name, None), type)


def _by_files(frames: tuple[Frame, ...]) -> bool:
    files = [
        frame.path.lower().rpartition("-packages/")[2] for frame in frames[-_NEAR:]
    ]
    return any(name in file for file in files for name in worlds.FILES)
