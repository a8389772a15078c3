"""A correct program: a file of `corpus/correct`, or a folder there with a `main.py`.

    # machine: v100                  its first line: the machine that it is checked on
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "correct"


@dataclass(frozen=True, kw_only=True)
class Program:
    """One program; `files` are its sources by name, of which `start` is run."""

    name: str
    start: str
    files: Mapping[str, str]

    @cached_property
    def machine(self) -> str:
        """The machine that it is made for."""
        head = self.files[self.start].partition("\n")[0]
        assert head.startswith("# machine: "), f"{self.name}: the first line names no machine"
        return head.removeprefix("# machine: ").strip()

    def write(self, folder: Path) -> Path:
        """Put the sources into a folder; returns the one to run."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in self.files.items():
            (folder / name).write_text(source, encoding="utf-8")
        return folder / self.start

    def having(self, file: str, source: str) -> Program:
        """The same with another source of one file."""
        return Program(name=self.name, start=self.start, files={**self.files, file: source})

    def imports(self) -> Iterator[tuple[str, str]]:
        """The modules that it imports, with the name that it takes of each (empty for the module itself)."""
        for source in self.files.values():
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Import):
                    yield from ((alias.name, "") for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield from ((node.module, alias.name) for alias in node.names)


def programs() -> list[Program]:
    """Every correct program."""
    alone = [
        Program(name=path.stem, start=path.name, files={path.name: path.read_text(encoding="utf-8")})
        for path in FOLDER.glob("*.py")
    ]
    folders = [
        Program(
            name=path.parent.name,
            start=path.name,
            files={one.name: one.read_text(encoding="utf-8") for one in sorted(path.parent.glob("*.py"))},
        )
        for path in FOLDER.glob("*/main.py")
    ]
    return sorted([*alone, *folders], key=lambda program: program.name)
