"""How dense the code is, beside code bases that read well: `python benchmarks/house.py [--parts] [--write]`.

Decisions are `if`, `for`, `while`, `except`, a ternary, each `and` and `or`, `assert`, each `for` and `if` of a
comprehension, and each `case`; a function's complexity is one more. Lines of functions are counted without docstrings,
comments and blank ones; tokens are names, numbers, strings and operators. The models are those of attrs, httpx, rich
and structlog that are installed. `--parts` shows each part of Miscast; `--write` puts the table into docs/design.md.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import page

ROOT = Path(__file__).resolve().parents[1] / "src" / "miscast"
MODELS = ("attr", "httpx", "rich", "structlog")
GOALS = "| goal |  | ≤ 25 | ≤ 6.8 | ≤ 3 % | ≤ 20 |  |"
COLUMNS = "code", "lines", "branches / 100 lines", "tokens / line", "complexity > 10", "most", "comments / 100 lines"

_DECISIONS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CODE = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)


@dataclass
class House:
    """What is counted in some files; of a function within a function in both."""

    lines: int = 0
    code: int = 0
    tokens: int = 0
    comments: int = 0
    functions: int = 0
    complex: int = 0
    most: int = 0
    branches: int = 0
    body: int = 0

    def add(self, path: Path) -> None:
        """One more file."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        docs = {line for node in ast.walk(tree) if _is_text(node) for line in _lines(node)}
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
        code = [token.start[0] for token in found if token.type in _CODE and token.start[0] not in docs]
        written = set(code)
        self.lines += text.count("\n")
        self.tokens += len(code)
        self.code += len(written)
        self.comments += sum(token.type == tokenize.COMMENT for token in found)
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
        """A line of the table."""
        shares = (100 * self.branches / (self.body or 1), self.tokens / (self.code or 1))
        complex_, comments = 100 * self.complex / (self.functions or 1), 100 * self.comments / (self.lines or 1)
        dense, wide = (f"{share:.1f}" for share in shares)
        return f"| {name} | {self.lines:,} | {dense} | {wide} | {complex_:.1f} % | {self.most} | {comments:.1f} |"


def _is_text(node: ast.AST) -> bool:
    """A docstring, or another statement that is only a string."""
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
    """Of a file, or of all files below a folder that are no tests."""
    found = House()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        if "tests" not in file.parts[len(path.parts) :]:
            found.add(file)
    return found


def models() -> Iterator[tuple[str, Path]]:
    """Those that are installed."""
    for name in MODELS:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            yield name, Path(spec.origin).parent


def main() -> None:
    parser = argparse.ArgumentParser(description="How dense the code is, beside code bases that read well")
    parser.add_argument("--parts", action="store_true", help="each part of Miscast")
    parser.add_argument("--write", action="store_true", help="put the table into docs/design.md")
    options = parser.parse_args()
    rows = [house(ROOT).row("**Miscast**"), GOALS, *(house(path).row(name) for name, path in models())]
    text = "\n".join([f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|", *rows])
    print(text)
    if options.parts:
        parts = [path for path in sorted(ROOT.iterdir()) if path.suffix == ".py" or path.is_dir()]
        print(*(house(path).row(path.name) for path in parts if path.name != "__pycache__"), sep="\n")
    if options.write:
        page.write("design.md", "python benchmarks/house.py", text)


if __name__ == "__main__":
    main()
