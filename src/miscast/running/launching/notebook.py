"""A notebook as one program: its code cells in order, in one `__main__`, as "Run All" runs them; no kernel is needed.

    train.ipynb[3]:2    line 2 of the third code cell, as tracebacks and reports name it

What is IPython's and not Python's is left out: lines of magics and of the shell, cells of `%%bash` and its kin.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import linecache
import re
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from ...vm.provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ENDING = ".ipynb"
_TIMED = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics that run the cell's Python."""
_LINE = re.compile(
    r"(?P<indent>\s*)(?P<names>[\w, ]+=\s*)?"
    r"(?P<what>[%!].*|\?.*|[\w.]+\?{1,2}\s*|(pip|conda|cd|ls|cat|cp|mv|rm|mkdir)( +[^=( ].*)?)"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One that holds Python; `left_out` are its lines that do not run."""

    name: str
    source: str
    left_out: tuple[str, ...]


class Notebook:
    """Read when it is made, run when it is called. Raises ValueError where the file is no notebook, or not Python's."""

    def __init__(self, path: Path) -> None:
        """Read the code cells that are not blank."""
        try:
            book = json.loads(path.read_text(encoding="utf-8-sig"))
            sheets = [book] if "cells" in book else book["worksheets"]
            cells = [
                one
                for sheet in sheets
                for one in sheet["cells"]
                if one["cell_type"] == "code"
            ]
            texts = ["".join(one.get("source", one.get("input", ""))) for one in cells]
            language = (
                book.get("metadata", {}).get("kernelspec", {}).get("language", "python")
            )
        except ValueError as error:
            raise ValueError(f"{path} is not a notebook: {error}") from error
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path} is not a notebook: its JSON has no cells with a cell_type and a source"
            ) from error
        if str(language).lower() != "python":
            raise ValueError(f"{path} is a notebook for {language}, not for Python")
        self.cells = [
            cell(f"{path}[{number}]", text)
            for number, text in enumerate(filter(str.strip, texts), 1)
        ]

    def notes(self) -> list[str]:
        """Return what a report says of what does not run."""
        return left_out(
            "notebook", [line for one in self.cells for line in one.left_out]
        )

    def __call__(self) -> None:
        """Run the cells, one after the other."""
        main = ModuleType("__main__")
        vars(main).update(display=lambda *shown, **_: print(*shown))
        sys.modules["__main__"] = main
        for one in self.cells:
            lines = one.source.splitlines(keepends=True)
            linecache.cache[one.name] = (len(one.source), None, lines, one.name)
            read = one.source, one.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            code = theirs(compile, *read, dont_inherit=True)
            if inspect.iscoroutine(given := theirs(eval, code, vars(main))):
                theirs(asyncio.run, given)


def left_out(what: str, lines: Sequence[str]) -> list[str]:
    """Return notes on the IPython lines of a notebook or a cell, which did not run; empty if there are none."""
    if not lines:
        return []
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return [f"IPython commands of the {what} were not run: {lines[0][:60]}{more}"]


def cell(name: str, text: str) -> Cell:
    """Return a cell with `pass` for each line that does not compile as Python, so that lines keep their numbers."""
    first = text.split(maxsplit=1)[0]
    if first.startswith("%%") and first not in _TIMED:
        return Cell(name, "", (first,))
    lines, left_out = text.splitlines(), []
    while (number := _refused(lines)) is not None and (
        match := _LINE.fullmatch(lines[number])
    ):
        left_out.append(lines[number].strip())
        end = number
        # the shell's command goes on
        while lines[end].endswith("\\") and end + 1 < len(lines):
            end += 1
        assigned = f"{match['names']}[]" if match["names"] else "pass"
        lines[number : end + 1] = [match["indent"] + assigned, *[""] * (end - number)]
    return Cell(name, "\n".join(lines) + "\n", tuple(left_out))


def _refused(lines: list[str]) -> int | None:
    """Return the number of the line that Python does not take."""
    try:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        compile("\n".join(lines), "", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        if error.lineno is not None and 0 < error.lineno <= len(lines):
            return error.lineno - 1
        return None
    except ValueError:
        return None
    return None
