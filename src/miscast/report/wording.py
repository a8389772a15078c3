"""Words that several formats share: how a tensor got its dtype, and what a file is called.

created by torch.ones · cast by unet.half · promoted by cat with float32 `mask` · moved by x.to
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from itertools import islice

from ..core.event import Event, Location, Memory
from ..core.finding import Fix
from ..core.meeting import ranks
from ..core.syntax import dotted

_STEPS = 4
_VERBS = {
    "born": "created", "cast": "cast", "moved": "moved", "loaded": "loaded", "promoted": "promoted",
    "autocast": "computed under autocast", "given": "passed in",
}  # fmt: skip
_BY_AUTOCAST = "cast by autocast"
"""Of an operand that autocast cast for the call: no op of the program's computed it so."""


def how(event: Event) -> str:
    """Return what gave a tensor its dtype or device: "created by torch.ones"."""
    if event.kind == "promoted":
        return f"promoted by {event.op}{_forced_by(event)}"
    if event.kind == "autocast" and event.op:
        return f"computed in {event.dtype} by {event.op} under autocast"
    if event.kind == "given":
        return _VERBS["given"]
    return f"{_VERBS[event.kind]} by {maker(event)}" if event.op else verb(event)


def briefly(event: Event) -> str:
    """Return the same in the op's own name: "created by torch.ones"; "assigned" by an op that keeps the dtype."""
    if event.kind == "given":
        return "assigned"
    done = "created" if event.kind == "born" else event.kind
    return f"{done} by {event.op}" if event.op else done


def lines_of(event: Event | None) -> Iterator[tuple[Event, Location]]:
    """Yield the events of a dtype or a device that have a line, the newest first, each line once; few of them."""
    told: dict[tuple[str, int], tuple[Event, Location]] = {}
    for one in event.chain() if event else ():
        if one.location is not None:
            at = one.location
            told.setdefault((at.file, at.line), (one, at))
    yield from islice(told.values(), _STEPS)


def verb(event: Event) -> str:
    """Return the short form, for a line that goes on with the place and the code: "created", "promoted by cat"."""
    if event.kind in ("promoted", "autocast"):
        return f"{_VERBS[event.kind]} by {event.op}" if event.op else _BY_AUTOCAST
    return _VERBS[event.kind]


def maker(event: Event) -> str:
    """Return the call as the user spells it: "torch.ones" for ones, "nn.Conv2d" where `empty` made its weights."""
    tree = _parse(event.location.code) if event.location else None
    nodes = ast.walk(tree) if tree else ()
    calls = (dotted(node.func) for node in nodes if isinstance(node, ast.Call))
    # of another expression's attribute only the last name: its call is not spelled
    names = [call.rpartition(".")[2] if call[:1] == "." else call for call in calls]
    op = event.op.rpartition(".")[2]
    named = [name for name in names if name.rpartition(".")[2] == op]
    return next(filter(None, (*named, *names)), event.op)


def path(file: str) -> str:
    """Return a file's displayed path, relative to the working directory or site-packages if it is below."""
    file = printable(file)
    _, found, tail = file.rpartition(f"site-packages{os.sep}")
    if found:
        return tail
    here = os.path.join(os.getcwd(), "")
    return file.removeprefix(here)


def held(memories: Iterable[Memory]) -> Iterator[str]:
    """Yield peaks: "cuda:0 10.4 of 23.7 GiB at train.py:81: parameters 4.78, …"; equal ranks share one line."""
    alike: dict[str, list[Memory]] = {}
    for memory in memories:
        alike.setdefault(_peak(memory), []).append(memory)
    for peak, those in alike.items():
        who = sorted({memory.rank for memory in those if memory.rank is not None})
        where = [ranks(who)] if who else []
        if len(who) < 2 or len(those) > len(who):
            where.append(", ".join(dict.fromkeys(memory.device for memory in those)))
        yield f"{' '.join(where)} {peak}"


def _peak(memory: Memory) -> str:
    unit, shift = ("GiB", 30) if memory.peak >= 1 << 30 else ("MiB", 20)
    parts = {
        "parameters": memory.parameters, "gradients": memory.gradients, "optimizer state": memory.optimizer,
        "activations": memory.activations, "buffers": memory.buffers, "temporaries": memory.temporaries,
    }  # fmt: skip
    told = ", ".join(
        f"{name} {_scaled(size, shift)}"
        for name, size in parts.items()
        if size >= memory.peak / 1000
    )
    at = f" at {place(memory.location)}" if memory.location else ""
    peak, capacity = _scaled(memory.peak, shift), _scaled(memory.capacity, shift)
    return f"{peak} of {capacity} {unit}{at}: {told}"


def _scaled(size: int, shift: int) -> str:
    amount = size / (1 << shift)
    if amount < 10:
        return f"{amount:.2f}"
    if amount < 1000:
        return f"{amount:,.1f}"
    return f"{amount:,.0f}"


def place(location: Location, room: int = 0) -> str:
    """Return a location in one word: "train.py:112", "ds_config.json:7:16".

    What has not `room` enough is shortened from the left, "…/models/unet.py:56", so that its line number stays.
    """
    column = f":{location.column}" if location.column else ""
    if location.file.startswith("In [") and location.line:  # a notebook's cell
        return f"{printable(location.file)}, line {location.line}"
    line = f":{location.line}{column}" if location.line else ""
    where = f"{path(location.file)}{line}"
    if not 0 < room < len(where):
        return where
    tail = where[len(where) - room + 1 :]
    folder, _, rest = tail.partition(os.sep)
    return f"…{os.sep}{rest}" if rest and len(folder) < len(tail) else f"…{tail}"


def printable(text: str, instead: str = "?") -> str:
    """Replace control characters, since a program's names must not control a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else instead for char in text)


def relative(text: str) -> str:
    """Return a line with its absolute paths in displayed form."""
    return " ".join(map(_shown_path, text.split(" ")))


def _shown_path(word: str) -> str:
    rest = word.lstrip("([{<'\"")
    return word[: len(word) - len(rest)] + path(rest)


def size(count: int, digits: int) -> str:
    """Return bytes with `digits` decimals for GiB, one less for MiB: "0.33 GiB", "72.1 MiB" with 2."""
    if count >= 2**30 / 10:
        return f"{count / 2**30:.{digits}f} GiB"
    return f"{count / 2**20:.{digits - 1}f} MiB"


def times(count: int) -> str:
    """Return how often something occurred, if more than once: " ×4"."""
    return f" ×{count:,}" if count > 1 else ""


def plural(count: int, noun: str) -> str:
    """Return a number of things: "1 finding", "1,200 findings"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _forced_by(event: Event) -> str:
    if event.source is None:
        return ""
    name = _assigned(event.source)
    own = event.location.code if event.location else ""
    beside = f" `{name}`" if name and name in own else ""
    return f" with {event.source.dtype}{beside}"


def _assigned(event: Event) -> str:
    tree = _parse(event.location.code) if event.location else None
    statement = tree.body[0] if tree and tree.body else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


def states(fix: Fix, *, untried: bool) -> tuple[str, ...]:
    """Return what is known of a fix, in words; `untried`: others were tried."""
    known = {
        "verified": fix.verified,
        "safe": fix.safe,
        "not tried": untried and not (fix.verified or fix.insufficient),
    }
    return tuple(word for word, holds in known.items() if holds)


def _parse(code: str) -> ast.Module | None:
    for text in (code, f"{code}\n pass", f"({code.rstrip(',')})"):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None
