"""What the measured runs had, as data of the package: `python benchmarks/settings/evidence.py` writes it anew.

settings/measured keeps what was seen; `lint` says of each of these runs what decided each cell. Where both agree, the
decider is written down with the value, and of each run its settings, its machine and what was beside it: by that
`lint` tells a cell that was measured from one that is read off a source (src/miscast/lint/evidence.py).
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE)]

# ruff: noqa: E402 - imports follow the path
from combination import Combination
from comparison import laid, linted

from miscast.lint.evidence import chosen, companions, programs
from miscast.lint.measured import FOLDER, decider, spelled
from miscast.lint.run import Run

Values = dict[str, set[str]]


class Had:
    """What the runs had whose table is one system's."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.versions: dict[str, None] = {}
        self.devices: set[str] = set()
        self.beside: set[str] = set()
        self.programs: set[str] = set()
        self.settings: Values = defaultdict(set)
        self.cells: dict[str, dict[str, Values]] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
        """By component, decider and value: the respects."""

    def add(self, run: Run, seen: Mapping[str, Any], versions: str) -> None:
        """A run, and what was seen of it."""
        self.versions[versions] = None
        if run.machine is not None:
            self.devices.add(run.machine.device)
        self.beside.update(companions(run))
        self.programs.update(programs(run))
        for name, setting in chosen(run):
            self.settings[name].add(spelled(setting))
        for part in run.table:
            for respect, cell in part.cells():
                if cell.value != "unknown" and seen.get(part.name, {}).get(respect) == cell.value:
                    self.cells[part.name][decider(run, cell)][cell.value].add(respect)

    def text(self) -> str:
        """As JSON: a line for each setting, and for each decider of a component."""
        plain = {name: sorted(getattr(self, name)) for name in ("devices", "beside", "programs")}
        parts = {name: _lines({who: _sorted(of) for who, of in by.items()}, "  ") for name, by in self.cells.items()}
        members = {name: json.dumps(value) for name, value in ({"versions": [*_least(self.versions)]} | plain).items()}
        members["settings"] = _lines(_sorted(self.settings), " ")
        members["cells"] = "{\n" + ",\n".join(f' "{name}": {parts[name]}' for name in sorted(parts)) + "\n}"
        return "{\n" + ",\n".join(f'"{name}": {text}' for name, text in members.items()) + "\n}\n"


def _sorted(values: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    return {name: sorted(values[name]) for name in sorted(values)}


def _lines(rows: Mapping[str, object], indent: str) -> str:
    text = ",\n".join(f"{indent}{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
    return f"{{\n{text}\n{indent[1:]}}}"


def _least(versions: Iterable[str]) -> Iterator[str]:
    """Those in which no other's are all contained: what an engine was measured with is not also its launcher's."""
    sets = {text: set(text.split(", ")) for text in versions}
    yield from (text for text, own in sets.items() if not any(other < own for other in sets.values()))


def had(families: Iterable[str]) -> dict[str, Had]:
    """What was had, by the system whose table it is."""
    found: dict[str, Had] = defaultdict(Had)
    for family in families:
        kept = json.loads((HERE / "measured" / f"{family}.json").read_text(encoding="utf-8"))
        versions = ", ".join(f"{name} {number}" for name, number in kept["versions"].items())
        grid = {one.name: one for one in importlib.import_module(family).grid()}
        for name, seen in kept["seen"].items():
            run = None if seen["errors"] else _run(grid[name])
            if run is not None and run.decides is not None:
                found[run.decides.name].add(run, seen["cells"], versions)
    return found


def _run(one: Combination) -> Run | None:
    with tempfile.TemporaryDirectory() as folder:
        laid(one, Path(folder))
        runs = linted(one, Path(folder)).runs
    return runs[0] if runs else None


def families() -> list[str]:
    """Those that something was seen of."""
    return sorted(file.stem for file in (HERE / "measured").glob("*.json"))


def written() -> dict[str, str]:
    """The files, by the name of the system."""
    return {system: one.text() for system, one in sorted(had(families()).items())}


def main() -> None:
    """Write them."""
    Path(FOLDER).mkdir(exist_ok=True)
    for system, text in written().items():
        Path(FOLDER, f"{system}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
