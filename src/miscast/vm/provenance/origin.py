"""Locate events in the program. Origins are caught cheaply, and become events only for a finding."""

from __future__ import annotations

import linecache
import os
import site
import sys
import sysconfig
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

import torch

from ...core.event import Event, EventKind, Location
from ...core.failure import FOLDER, real_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TORCH, LIBRARY, USER = 0, 1, 2
DEPTH = 8
_LINES = 8
_APPLY = torch.nn.Module._apply.__code__
Place = tuple[CodeType, int]


def _roots(paths: set[str | None]) -> tuple[str, ...]:
    return tuple(
        sorted(
            {os.path.join(os.path.realpath(p), "") for p in paths if p},
            key=len,
            reverse=True,
        )
    )


_HERE = _roots({FOLDER})
_EDGES = frozenset(
    os.path.join(FOLDER, name)
    for name in ("running/program/run.py", "live/launch.py", "api.py")
)
_TORCH = _roots({str(Path(torch.__file__).parent)})
_PACKAGES = _roots({
    sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages(),
    site.getusersitepackages(),
})  # fmt: skip
_STDLIB = _roots({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
_NOT_CODE = ("<frozen", "<string>", "<__array_function__", "<attrs", "<eval_with_key>")
_kinds: dict[str, int] = {}
_own: list[str] = []


def kind_of(code: CodeType) -> int:
    """Return the kind of the code: TORCH's (or Python's, or ours), a LIBRARY's, or the USER's."""
    kind = _kinds.get(code.co_filename)
    return _classify(code.co_filename) if kind is None else kind


def kind_of_file(name: str) -> int:
    """Return the kind of a file's code."""
    kind = _kinds.get(name)
    return _classify(name) if kind is None else kind


def own(paths: Iterable[str]) -> None:
    """Treat these files, and those in these folders, as the user's, even if they are a package's."""
    before = list(_own)
    _own[:] = [
        path if os.path.isfile(path) else os.path.join(path, "")
        for path in map(os.path.realpath, paths)
    ]
    if _own != before:
        _kinds.clear()


def _classify(name: str) -> int:
    if name.startswith(_NOT_CODE):
        kind = TORCH
    elif name.startswith("<"):
        kind = USER
    else:
        path = real_path(name)
        if _own and path.startswith(tuple(_own)):
            kind = USER
        elif path.startswith((*_TORCH, *_HERE)):
            kind = TORCH
        elif path.startswith(_PACKAGES):
            kind = LIBRARY
        elif path.startswith(_STDLIB):
            kind = TORCH
        else:
            kind = LIBRARY if _on_the_way(path) else USER
    _kinds[name] = kind
    return kind


def _on_the_way(path: str) -> bool:
    """Check whether it lies where an installer put packages (`pip install --target`), and `PYTHONPATH` leads.

    Not where the program itself lies, which is the first folder that Python looks into.
    """
    folders = [os.path.join(real_path(folder), "") for folder in sys.path[1:]]
    return any(path.startswith(folder) and _has_packages(folder) for folder in folders)


@cache
def _has_packages(folder: str) -> bool:
    with suppress(OSError):
        return any(name.endswith(".dist-info") for name in os.listdir(folder))
    return False


class Origin:
    """A live event: cheap to make (code objects and instruction offsets), read as an `Event` only when told about.

    `bare` is the dtype that the tensor would have without autocast. `other` is a second source, where two dtypes made a
    third (float16 and bfloat16 float32): which of them was out of place shows only where the result is used. A chain of
    sources is at most DEPTH long: a loop that casts its own result again and again must not remember every turn.
    `carried` is the user's line that moved the tensor to another device as it is, the last of them.
    """

    __slots__ = (
        "bare", "carried", "depth", "device", "dtype", "kind", "library", "op", "other", "source", "user",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - one per field
        self,
        kind: EventKind,
        op: str,
        dtype: torch.dtype,
        device: torch.device | None,
        places: tuple[Place | None, Place | None],
        source: Origin | None = None,
        bare: torch.dtype | None = None,
    ) -> None:
        """Start with (user, library) as places, which `places` returns."""
        self.kind = kind
        self.op = op
        self.dtype = dtype
        self.device = device
        self.user, self.library = places
        self.source: Origin | None = (
            source if source is None or source.depth < DEPTH else source.source
        )
        self.depth: int = 0 if self.source is None else self.source.depth + 1
        self.bare = bare or dtype
        self.other: Origin | None = None
        self.carried: Place | None = None

    def carried_to(
        self, place: Place | None, dtype: torch.dtype | None = None
    ) -> Origin:
        """Return the same, of what was moved at a place; `dtype`: another one that its bytes were read as."""
        made = copy(self)
        made.carried, made.dtype = place, dtype or self.dtype
        return made

    def place(self) -> Event:
        """Return this origin of a device as plain data, without the source of its dtype."""
        return self._told(
            self.source.place()
            if self.source is not None and self.kind == "moved"
            else None
        )

    def freeze(self, wanted: str = "") -> Event:
        """Return this origin as plain data, with that one of two sources whose dtype is not `wanted`."""
        source = self.source
        if (
            source is not None
            and self.other is not None
            and str(source.dtype)[6:] == wanted
        ):
            source = self.other
        told = self._told(source.freeze(wanted) if source is not None else None)
        carried = locate(self.carried)
        return told if carried == told.location else replace(told, carried=carried)

    def _told(self, source: Event | None) -> Event:
        return Event(
            kind=self.kind,
            op=self.op,
            dtype=str(self.dtype)[6:],
            device=str(self.device) if self.device is not None else "",
            location=locate(self.user),
            library=locate(self.library),
            source=source,
        )


def places(frame: FrameType | None = None) -> tuple[Place | None, Place | None]:
    """Return the innermost place in the user's own code, and a package's place below it, if any."""
    frame = frame or sys._getframe(1)
    library = None
    kinds = _kinds
    here: FrameType | None = frame
    while here is not None:
        code = here.f_code
        kind = kinds.get(code.co_filename)
        if kind is None:
            kind = _classify(code.co_filename)
        if kind:
            if kind == USER and not _hands_on(here):
                return (code, here.f_lasti), library
            if library is None and kind == LIBRARY:
                library = (code, here.f_lasti)
        here = here.f_back
    return library, None


def converts_module(frame: FrameType | None) -> bool:
    """Check whether a module is being converted, as by `net.half()`, with its parameters and their gradients."""
    while frame is not None and kind_of(frame.f_code) != USER:
        if frame.f_code is _APPLY:
            return True
        frame = frame.f_back
    return False


def asks_for(made: object, frame: FrameType) -> FrameType:
    """Return the frame that creates an object, from within its `__init__` or a base class's."""
    while frame.f_back is not None and frame.f_code.co_name == "__init__":
        first = frame.f_code.co_varnames[:1]
        if not first or frame.f_locals.get(first[0]) is not made:
            break
        frame = frame.f_back
    return frame


def _is_users(frame: FrameType) -> bool:
    return kind_of(frame.f_code) == USER and not _hands_on(frame)


def _hands_on(frame: FrameType) -> bool:
    """Check whether a class's or a mode's `__torch_function__` passes on here what it was called for.

    Not its own doing.
    """
    return frame.f_code.co_name == "__torch_function__" and _passes_on(
        frame.f_code, frame.f_lasti
    )


@cache
def _passes_on(code: CodeType, lasti: int) -> bool:
    place = locate((code, lasti))
    calls = [f"{name}(*" for name in code.co_varnames[: code.co_argcount]]
    return place is not None and any(
        call in place.code for call in (*calls, "super().__torch_function__(")
    )


def user_frames(frame: FrameType | None) -> list[FrameType]:
    """Return all frames of the user's own code below `frame`, innermost first."""
    found = []
    while frame is not None:
        if _is_users(frame):
            found.append(frame)
        frame = frame.f_back
    return found


def program_frames(frame: FrameType | None) -> list[FrameType]:
    """Return the program's frames that the run began, without those that called Miscast."""
    return [one for one in frames_of_run(frame) if _is_users(one)]


def frames_of_run(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield all frames below `frame` that the run began, its libraries' and torch's too."""
    while frame is not None and frame.f_code.co_filename not in _EDGES:
        yield frame
        frame = frame.f_back


def locate(place: Place | None, module: str | None = None) -> Location | None:
    """Return file, line and source text of a place; of an expression over several lines, all of them as one."""
    if place is None:
        return None
    code, lasti = place
    line, end = _lines(code, lasti)
    source = [
        linecache.getline(code.co_filename, n).strip()
        for n in range(line, min(end, line + _LINES) + 1)
    ]
    # of `for batch in loader:` not the body
    text = source[0] if source[0].endswith(":") else " ".join(source)
    return Location(
        file=code.co_filename,
        line=line,
        function=code.co_name,
        module=module,
        code=text,
    )


def _lines(code: CodeType, lasti: int) -> tuple[int, int]:
    """Return the first and last line of the expression at an instruction; only the first before Python 3.11."""
    for span in _spans(code)[lasti // 2 : lasti // 2 + 1]:
        if span is not None:
            return span
    line = next(
        (
            n
            for start, stop, n in code.co_lines()
            if start <= lasti < stop and n is not None
        ),
        None,
    )
    return (line or code.co_firstlineno,) * 2


@lru_cache(
    maxsize=64
)  # a long script is one piece of code, and each of its findings has places in it
def _spans(code: CodeType) -> tuple[tuple[int, int] | None, ...]:
    """Return the first and last line of each instruction's expression."""
    if sys.version_info < (3, 11):
        return ()
    return tuple(
        None if line is None or end is None else (line, end)
        for line, end, *_ in code.co_positions()
    )
