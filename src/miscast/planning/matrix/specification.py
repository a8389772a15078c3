"""`miscast.toml`: the matrix of a program, written down.

[matrix]
run = "train.py --steps 2"            # the program, with what all cells share
machine = ["v100", "a100"]
ranks = [0, 8]

[matrix.vary]
"--mixed_precision" = ["no", "fp16", "bf16"]
"--gradient_checkpointing" = [true, false]

[[matrix.exclude]]                    # no cell is all of this; a list names several
machine = "v100"
"--mixed_precision" = "bf16"

[[matrix.include]]                    # one cell more; what is not named is the first of its axis
machine = "h100"

[[matrix.expect]]                     # what cells must show; without any: nothing found
where = { machine = "v100" }
findings = ["operand-dtype-mismatch"]
memory = "24GiB"                      # the most of a device
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .cell import Axis, Cell, Setting, crossed
from .varied import SpellingError, axis, machines_axis, ranks_axis

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

_MOST = 10_000
_BYTES = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,9})?)\s?(?P<unit>[KMGT]i?)?B?")
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
          "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}  # fmt: skip

Where = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A requirement on combinations `where` it holds: these rules' findings, and a device memory limit."""

    where: Where
    findings: tuple[str, ...] | None = None
    memory: float | None = None

    def concerns(self, cell: Cell) -> bool:
        """Check whether it speaks of a cell."""
        return _is(cell, self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """A matrix: the program, the axes, and which of their combinations are meant."""

    target: str = ""
    args: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    exclude: tuple[Where, ...] = ()
    include: tuple[Where, ...] = ()
    expect: tuple[Expectation, ...] = ()

    def cells(self) -> tuple[Cell, ...]:
        """Return all combinations, in order. Raises SpellingError if there are none, or too many to be intended."""
        count = 1
        for one in self.axes:
            count *= len(one.settings)
        if count > _MOST:
            raise SpellingError(
                f"{count:,} combinations: at most {_MOST:,} are supported"
            )
        kept = [
            cell
            for cell in crossed(self.axes)
            if not any(_is(cell, where) for where in self.exclude)
        ]
        for where in self.include:
            cell = self._one(where)
            if cell.labels not in [other.labels for other in kept]:
                kept.append(cell)
        if not kept:
            raise SpellingError("no combination left: all are excluded")
        return tuple(kept)

    def _one(self, where: Where) -> Cell:
        settings: dict[str, Setting] = {}
        for one in self.axes:
            (label,) = where.get(one.name, (one.settings[0].label,))
            try:
                settings[one.name] = one.labelled(label)
            except KeyError:
                settings[one.name] = _another(one, label)
        return Cell(settings)


def _another(one: Axis, label: str) -> Setting:
    """Return a setting that only an included cell has."""
    if one.name == "machine":
        return machines_axis([label]).settings[0]
    if one.name == "ranks":
        return ranks_axis([int(label)]).settings[0]
    return axis(one.name, [label]).settings[0]


def read(file: str) -> Specification:
    """Return the matrix of a file. Raises SpellingError if it is malformed; OSError if it cannot be opened."""
    with open(file, "rb") as stream:
        try:
            table = tomllib.load(stream).get("matrix")
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SpellingError(f"{file}: {error}") from error
    if not isinstance(table, dict):
        raise SpellingError(f"{file} has no table [matrix]")
    try:
        return _specified(table)
    except ValueError as error:
        raise SpellingError(f"{file}: {error}") from error


_KEYS = ("run", "machine", "ranks", "vary", "exclude", "include", "expect")


def _specified(table: Mapping[str, Any]) -> Specification:
    _known(table, _KEYS, "[matrix]")
    words = shlex.split(_text(table.get("run", ""), "run"))
    axes = tuple(_axes(table))
    spec = Specification(
        target=" ".join(words[:2]) if words[:1] == ["-m"] else "".join(words[:1]),
        args=tuple(words[2:] if words[:1] == ["-m"] else words[1:]),
        axes=axes,
        exclude=tuple(_where(one, axes) for one in _tables(table, "exclude")),
        expect=tuple(_expected(one, axes) for one in _tables(table, "expect")),
    )
    included = [_where(one, axes, known=False) for one in _tables(table, "include")]
    for one in included:
        several = next((name for name, labels in one.items() if len(labels) != 1), None)
        if several is not None:
            raise SpellingError(
                f"include describes one combination, but {several} has several values"
            )
    return replace(spec, include=tuple(included))


def _axes(table: Mapping[str, Any]) -> Iterator[Axis]:
    if "machine" in table:
        yield machines_axis(
            [_text(one, "machine") for one in _listed(table["machine"])]
        )
    if "ranks" in table:
        counts = _listed(table["ranks"])
        if not all(type(one) is int and 0 <= one <= 10**4 for one in counts):
            raise SpellingError(
                f"ranks = {table['ranks']!r}: expected whole numbers (0: one process)"
            )
        yield ranks_axis(counts)
    varied = table.get("vary", {})
    if not isinstance(varied, dict):
        raise SpellingError("vary must be a table of names and their values")
    for name, values in varied.items():
        yield axis(name, [_value(one, name) for one in _listed(values)])


def _expected(table: Mapping[str, Any], axes: Sequence[Axis]) -> Expectation:
    _known(table, ("where", "findings", "memory"), "expect")
    findings, memory = table.get("findings"), table.get("memory")
    return Expectation(
        where=_where(table.get("where", {}), axes),
        findings=None
        if findings is None
        else tuple(_text(one, "findings") for one in _listed(findings)),
        memory=None if memory is None else size(_text(memory, "memory")),
    )


def size(text: str) -> float:
    """Return the bytes of "24GiB", "500 MB". Raises SpellingError."""
    found = _BYTES.fullmatch(text.strip())
    if found is None:
        raise SpellingError(f"expected a size such as 24GiB, got {text[:40]!r}")
    return float(found["number"]) * _UNITS[found["unit"] or ""]


def _where(
    table: Mapping[str, Any], axes: Sequence[Axis], *, known: bool = True
) -> Where:
    if not isinstance(table, dict):
        raise SpellingError("where must be a table of axes and their values")
    names = {one.name: one for one in axes}
    _known(table, tuple(names), "a condition")
    found: dict[str, tuple[str, ...]] = {}
    for name, values in table.items():
        labels = tuple(
            _label(names[name], _value(one, name)) for one in _listed(values)
        )
        having = [setting.label for setting in names[name].settings]
        strange = next((one for one in labels if known and one not in having), None)
        if strange is not None:
            raise SpellingError(f"{name} has no value {strange!r}: {', '.join(having)}")
        found[name] = labels
    return found


def _label(one: Axis, value: str | bool) -> str:
    flags = {setting.label for setting in one.settings} <= {"on", "off"}
    if isinstance(value, bool):
        return ("on" if value else "off") if flags else str(value).lower()
    return value


def _is(cell: Cell, where: Where) -> bool:
    labels = cell.labels
    return all(labels[name] in values for name, values in where.items())


def _known(table: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    strange = next((key for key in table if key not in keys), None)
    if strange is not None:
        raise SpellingError(f"{what} has no key {strange!r}; known: {', '.join(keys)}")


def _tables(table: Mapping[str, Any], name: str) -> list[Any]:
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise SpellingError(f"write [[matrix.{name}]]")
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _value(value: Any, name: str) -> str | bool:
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return str(value)
    raise SpellingError(f"a value of {name} must be text, a number, true or false")


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise SpellingError(f"{name} must be text")
    return value
