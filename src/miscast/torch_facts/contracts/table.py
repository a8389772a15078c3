"""Measured tables: what a torch release on a kind of device does with each op's operands; `tools/op_probe` makes them.

A table is a file of `tables/`, gzip'd JSON lines: one for the machine, then one for each op and set of arguments.
Lines are read when their op is first asked for.
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .signature import argument

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

SCHEMA = 1
FOLDER = Path(__file__).parent / "tables"
_NAME = re.compile(
    r"(?P<device>[a-z]+)-(?:(?P<arch>\w+)-)?(?P<major>\d+)\.(?P<minor>\d+)\.\d+\.jsonl\.gz"
)
_KEY = re.compile(
    rb'\{"op": "([\w.]+)", "operands": (\[[^\]]*\])(?:, "autocast": "(\w+)")?'
)


@dataclass(frozen=True, slots=True)
class Row:
    """One op with one set of arguments. `runs`: signatures that ran, and the letters of the dtypes that came out.

    `raises`: signatures that torch refused, and its text. What is in neither was not tried, or was nondeterministic.
    `backward`: signatures that ran forward, but whose backward pass was refused. `said`: by the texts of all refusals
    the signatures; one may stand under several, for shapes make torch say others.
    """

    op: str
    operands: tuple[str, ...]
    runs: Mapping[str, str]
    raises: Mapping[str, str]
    backward: Mapping[str, str]
    said: Mapping[str, str]

    def knows(self, signature: str) -> bool:
        """Check whether calls with these operands have one outcome."""
        return signature in self.runs or signature in self.raises

    def may_say(self, error: str, signature: str) -> bool:
        """Check whether torch refused some call with these operands in these words."""
        return signature in self.said.get(error, "").split(" ")


class Table:
    """The measurements of one device kind and torch release."""

    def __init__(self, path: Path) -> None:
        """Read the table of a file. Raises ValueError if it is not a table, or has another schema."""
        self.path = path
        head, _, self._body = gzip.decompress(path.read_bytes()).partition(b"\n")
        self.head: Mapping[str, Any] = json.loads(head)
        if self.head.get("schema") != SCHEMA:
            message = f"{path.name}: schema {self.head.get('schema')}, not {SCHEMA}"
            raise ValueError(message)
        self._rows: dict[tuple[str, tuple[str, ...], str], Row | None] = {}
        self._refusing: dict[str, bool] = {}

    def __str__(self) -> str:
        """Return the table's name for a report: "cpu, torch 2.13.0"."""
        device = self.head["device"]
        kind = device if device == "cpu" else f"{device} {self.head['arch']}"
        return f"{kind}, torch {self.head['torch'].partition('+')[0]}"

    def speaks_for(self, arch: str) -> bool:
        """Check whether what ran here runs on a chip of that architecture too.

        It is no older ("sm_80" is than "sm_90").
        """
        return _generation(self.head.get("arch", "")) <= _generation(arch)

    @cached_property
    def _lines(self) -> Mapping[str, Mapping[tuple[tuple[str, ...], str], bytes]]:
        """The lines by op, then by arguments and autocast's dtype ("" if it is off)."""
        found: dict[str, dict[tuple[tuple[str, ...], str], bytes]] = {}
        for line in self._body.splitlines():
            key = _KEY.match(line)
            if key is not None:
                found.setdefault(key[1].decode(), {})[
                    tuple(json.loads(key[2])), (key[3] or b"").decode()
                ] = line
        return found

    @property
    def ops(self) -> Collection[str]:
        """The ops that were measured."""
        return self._lines.keys()

    def row(self, op: str, operands: Sequence[str], autocast: str = "") -> Row | None:
        """Return the measurements of an op called with these arguments ("aten.linear", ["input", "weight"]).

        `autocast` is the dtype of autocast, if it is on. Then only what it changes is written, so an op without a line
        of its own does as without autocast.
        """
        key = (op, tuple(operands), autocast)
        try:
            return self._rows[key]
        except KeyError:
            lines = self._lines.get(op, {})
            line = lines.get((key[1], autocast), lines.get((key[1], "")))
            row = self._rows[key] = None if line is None else _row(json.loads(line))
            return row

    def since(
        self, row: Row | None, signature: str, torch: tuple[int, int]
    ) -> Row | None:
        """Return a row with a call that the CPU once refused in the same words, and runs in this later torch."""
        cpu = self.head["device"] == "cpu"
        if row is None or signature not in row.raises or cpu:
            return row
        folder, error = self.path.parent, row.raises[signature]
        then, now = (table_for("cpu", at, folder=folder) for at in ((0, 0), torch))
        if not (then and now and then.release <= self.release < now.release <= torch):
            return row
        once, new = (one.row(row.op, row.operands) for one in (then, now))
        if not (once and new and once.raises.get(signature) == error):
            return row
        if signature not in new.runs:
            return row
        return replace(row, runs={**row.runs, signature: new.runs[signature]})

    @property
    def release(self) -> tuple[int, ...]:
        """Major and minor version of the torch that was measured."""
        return tuple(map(int, self.head["torch"].split(".")[:2]))

    def rows(self) -> Iterator[Row]:
        """Yield all of them, in the order of the file."""
        for op in self._lines:
            yield from self._rows_of(op)

    def refuses_some(self, op: str) -> bool:
        """Check whether any call of the op was refused."""
        try:
            return self._refusing[op]
        except KeyError:
            found = self._refusing[op] = any(row.raises for row in self._rows_of(op))
            return found

    def raised_by_others(self, op: str, error: str) -> bool:
        """Check whether other ops than `op` refused calls with this very text."""
        text = json.dumps(error).encode()
        at = self._body.find(text)
        while at >= 0:
            line = self._body[self._body.rfind(b"\n", 0, at) + 1 : at]
            key = _KEY.match(line)
            if key is not None and key[1].decode().split(".")[:2] != op.split(".")[:2]:
                return True
            at = self._body.find(text, at + len(text))
        return False

    def _rows_of(self, op: str) -> Iterator[Row]:
        for operands, autocast in self._lines.get(op, ()):
            row = self.row(op, operands) if not autocast else None
            if row is not None:
                yield row


def _row(line: Mapping[str, Any]) -> Row:
    runs = _by_signature(line.get("runs", {}))
    raises = _by_signature(line.get("raises", {}))
    open_ = runs.keys() & raises.keys()
    return Row(
        op=line["op"],
        operands=tuple(argument(name) for name in line["operands"]),
        runs={s: result for s, result in runs.items() if s not in open_},
        raises={s: text for s, text in raises.items() if s not in open_},
        backward=_by_signature(line.get("backward", {})),
        said=line.get("raises", {}),
    )


def _by_signature(grouped: Mapping[str, str]) -> dict[str, str]:
    return {
        signature: outcome
        for outcome, signatures in grouped.items()
        for signature in signatures.split(" ")
    }


@cache
def table_for(
    device: str, torch: tuple[int, int], arch: str = "", folder: Path = FOLDER
) -> Table | None:
    """Return the table of a device type with the nearest torch release (and architecture); None if there is none.

    "gfx942" is no neighbour of "sm_90": AMD's libraries refuse other dtypes than NVIDIA's.
    """
    near = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        name = _NAME.fullmatch(path.name)
        if (
            name is not None
            and name["device"] == device
            and _maker(name["arch"]) == _maker(arch)
        ):
            version = (int(name["major"]), int(name["minor"]))
            other = abs(_generation(arch) - _generation(name["arch"] or ""))
            apart = other, abs(version[0] - torch[0]), abs(version[1] - torch[1])
            near.append((apart, path.name, path))
    return Table(min(near)[2]) if near else None


def _maker(arch: str | None) -> str:
    """Return the vendor's prefix of an architecture: "sm" for "sm_90"."""
    return re.split("[_0-9]", arch or "")[0]


def _generation(arch: str) -> int:
    """Return the number of an architecture: 90 for "sm_90"."""
    return int("".join(filter(str.isdigit, arch)) or 0)
