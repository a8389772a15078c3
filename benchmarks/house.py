"""How dense the code is, compared with code bases that read well: `python benchmarks/house.py`.

    python benchmarks/house.py            print the table; rows of packages that are not installed come from the page
    python benchmarks/house.py --parts    also each part of Miscast
    python benchmarks/house.py --write    write the table of docs/accuracy.md
    python benchmarks/house.py --check    exit code 1 if the page no longer fits the code

Branches are `if`, `for`, `while`, `except`, a ternary, each `and` and `or`, `assert`, each `for` and `if` of a
comprehension, and each `case`; a function's complexity is one more. Lines of functions are counted without docstrings,
comments and blank lines; tokens are names, numbers, strings and operators. `--check` reads Miscast alone. It allows
1 % in counts of lines and functions, and 0.1 in the other figures.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import sys
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parents[1] / "src" / "miscast"
MODELS = ("attr", "httpx", "rich", "structlog")
NAME = "**Miscast**"
COMMAND = "make house"
GOALS = "| goal |  |  | ≤ 25 | ≤ 6.8 | ≤ 3 % | ≤ 20 |"
COLUMNS = (
    "code", "lines", "functions", "branches / 100 lines", "tokens / line", "complexity > 10", "most",
)  # fmt: skip

_DECISIONS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CODE = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)


@dataclass
class House:
    """What is counted in some files; a function within a function counts in both."""

    lines: int = 0
    code: int = 0
    tokens: int = 0
    functions: int = 0
    complex: int = 0
    most: int = 0
    branches: int = 0
    body: int = 0

    def add(self, path: Path) -> None:
        """Count one more file."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        docs = {line for node in ast.walk(tree) if _is_text(node) for line in _lines(node)}
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        code = [token.start[0] for token in tokens if token.type in _CODE and token.start[0] not in docs]
        written = set(code)
        self.lines += text.count("\n")
        self.tokens += len(code)
        self.code += len(written)
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                self._function(node, written)

    def _function(self, node: ast.AST, written: set[int]) -> None:
        branches = sum(map(_decisions, ast.walk(node)))
        self.functions += 1
        self.branches += branches
        self.complex += branches + 1 > 10
        self.most = max(self.most, branches + 1)
        self.body += sum(line in written for line in _lines(node))

    def row(self, name: str) -> str:
        """Return a line of the table."""
        shares = (100 * self.branches / (self.body or 1), self.tokens / (self.code or 1))
        complex_ = 100 * self.complex / (self.functions or 1)
        dense, wide = (f"{share:.1f}" for share in shares)
        counts = f"{self.lines:,} | {self.functions:,} | {dense} | {wide}"
        return f"| {name} | {counts} | {complex_:.1f} % | {self.most} |"


def _is_text(node: ast.AST) -> bool:
    """Check whether a statement is only a string, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _lines(node: ast.AST) -> range:
    return range(node.lineno, node.end_lineno + 1)  # type: ignore[attr-defined]


def _decisions(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    return int(isinstance(node, _DECISIONS))


def house(path: Path) -> House:
    """Count a file, or all files below a folder except tests."""
    found = House()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        if "tests" not in file.parts[len(path.parts) :]:
            found.add(file)
    return found


def models(known: Mapping[str, str]) -> Iterator[str]:
    """Yield a row for each package to compare with; if it is not installed, the known one."""
    for name in MODELS:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            yield house(Path(spec.origin).parent).row(name)
        elif name in known:
            yield known[name]


def on_page() -> dict[str, str]:
    """Return the rows of the page's table, by name."""
    text = (page.DOCS / "accuracy.md").read_text(encoding="utf-8")
    table = text.partition(f"<!-- begin: {COMMAND} -->")[2].partition(page.END)[0]
    return {line.split("|")[1].strip(): line for line in table.splitlines() if line.startswith("|")}


def stale(written: str, counted: str) -> list[str]:
    """Return the columns in which a row of the page no longer fits what was counted."""
    pairs = zip(COLUMNS[1:], _figures(written), _figures(counted), strict=True)
    return [
        f"{column}: the page has {old:g}, the code {new:g}"
        for column, old, new in pairs
        if abs(old - new) > (0.01 * new if column in ("lines", "functions") else 0.1) + 1e-9
    ]


def _figures(row: str) -> list[float]:
    return [float(cell.strip(" %").replace(",", "")) for cell in row.split("|")[2:-1]]


def main() -> int:
    parser = argparse.ArgumentParser(description="How dense the code is, compared with code bases that read well")
    parser.add_argument("--parts", action="store_true", help="each part of Miscast")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    parser.add_argument("--check", action="store_true", help="fail if the page no longer fits the code")
    options = parser.parse_args()
    known, own = on_page(), house(ROOT).row(NAME)
    if options.check:
        differs = stale(known[NAME], own) if NAME in known else ["there is no row of Miscast"]
        for line in differs:
            print(f"docs/accuracy.md, {line}; run: make house", file=sys.stderr)
        return int(bool(differs))
    rows = [own, GOALS, *models(known)]
    text = "\n".join([f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|", *rows])
    print(text)
    if options.parts:
        parts = [path for path in sorted(ROOT.iterdir()) if path.suffix == ".py" or path.is_dir()]
        print(*(house(path).row(path.name) for path in parts if path.name != "__pycache__"), sep="\n")
    if options.write:
        page.write(COMMAND, f"{text}\n\nMeasured {page.today()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
