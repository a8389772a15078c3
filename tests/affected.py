"""Which tests a change can affect: those that use what changed, by `uses.py`, or read a file that did.

    pytest --changed-since main        those tests alone: `make test-changed BASE=main`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from imports import ROOT as PACKAGE
from rings import ROOT, git
from uses import Definition, Module, in_text, modules, users

TESTS = Path(__file__).parent
EVERYTHING = ("tests/conftest.py", "tests/rings.py", "tests/sweep.py", "pyproject.toml", "constraints.txt", "Makefile")
"""Files that every test hangs on."""
READ = {
    "benchmarks": ("benchmarks", "numbers", "docs"),
    "corpus/correct": ("benchmarks",),
    "corpus/explain": ("explain",),
    "corpus/numbers": ("numbers", "benchmarks"),
    "docs": ("docs", "test_docs.py"),
    "examples": ("examples", "docs"),
    "recipes": ("recipes", "docs"),
    "tools": ("probe", "workers", "benchmarks", "explain", "numerics", "vm"),
}  # fmt: skip
"""Folders of the repository, and the tests that read them."""
COMMANDS = {path.stem for path in (PACKAGE / "commands").glob("*.py") if "def add(" in path.read_text("utf-8")}


@dataclass(frozen=True)
class File:
    """A file outside of the package: what it uses of that, the texts in it, and the files beside it that it imports."""

    uses: frozenset[Definition]
    texts: frozenset[str]
    imports: tuple[Path, ...]


@cache
def read(path: Path) -> File:
    """Read a file once."""
    module, tree = Module("", path), ast.parse(path.read_bytes())
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    uses = {one for definition in module.bodies for one in module.uses(definition)}
    in_texts = {one for text in texts if "miscast" in text for one in in_text(text)}
    return File(frozenset(uses | in_texts), frozenset(texts), tuple(_helpers(path.parent, tree)))


def _helpers(beside: Path, tree: ast.Module) -> Iterator[Path]:
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [one.name for one in node.names]
        for name in names:
            for folder in (beside, TESTS, ROOT / "benchmarks", ROOT / "docs"):
                path = folder / name.replace(".", "/")
                yield from (one for one in (path.with_suffix(".py"), *path.glob("*.py")) if one.exists())


class Test:
    """A file of tests, with all that it imports, and what that uses of the package."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: set[Path] = set()
        conftests = (folder / "conftest.py" for folder in path.parents)
        todo = [path, *(one for one in conftests if one.exists()), *_programs(path)]
        while todo:
            if (file := todo.pop()) not in self.files:
                self.files.add(file)
                todo += read(file).imports
        self.uses = {one for file in self.files for one in read(file).uses}
        if ("cli", "main") in self.uses or TESTS / "warm.py" in self.files:
            words = {text for file in self.files for text in read(file).texts}
            for command in COMMANDS & words or COMMANDS:
                self.uses.update((f"commands.{command}", one) for one in modules()[f"commands.{command}"].bodies)
            self.uses.add(("cli", "main"))


def _programs(test: Path) -> Iterator[Path]:
    """Programs of the repository that a test runs, and that may use Miscast."""
    folder = test.relative_to(TESTS).parts[0]
    for name, readers in READ.items():
        if folder in readers and name in ("recipes", "examples"):
            yield from (ROOT / name).rglob("*.py")


def affected_tests(base: str) -> set[Path]:
    """Return the files of tests that what changed since a revision can affect."""
    untracked = git("ls-files", "--others", "--exclude-standard")
    changed = [*git("diff", "--name-only", "--no-renames", base).splitlines(), *untracked.splitlines()]
    every = [Test(path) for path in TESTS.rglob("test_*.py")]
    if any(name in EVERYTHING for name in changed):
        return {test.path for test in every}
    used = _users_of(one for name in changed if name.startswith("src/") for one in _changed(name, base))
    files = {ROOT / name for name in changed}
    imported = {file for test in every for file in test.files}
    data = [file.relative_to(TESTS) for file in files - imported if TESTS in file.parents]
    folders = {TESTS.joinpath(*file.parts[:1]) if len(file.parts) > 1 else TESTS for file in data}
    for folder, readers in READ.items():
        if any(name.startswith(f"{folder}/") for name in changed):
            folders.update(TESTS / one for one in readers)
    return {
        test.path
        for test in every
        if test.files & files or test.uses & used or folders & {test.path, *test.path.parents}
    }


def _users_of(changed: Iterable[Definition]) -> set[Definition]:
    """Return these definitions, and all that use them by way of whatever."""
    found: set[Definition] = set()
    todo = [*changed]
    while todo:
        if (one := todo.pop()) not in found:
            found.add(one)
            todo += users().get(one, ())
    return found


def _parts(source: str) -> Iterator[tuple[str, ast.AST]]:
    """The definitions of a source; all that is none is one."""
    rest = ast.Module([], [])
    for statement in ast.parse(source).body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name, statement
        else:
            rest.body.append(statement)
    yield "", rest


def _changed(name: str, base: str) -> Iterator[Definition]:
    """The definitions of a file that are others than before."""
    module = ".".join(Path(name).relative_to("src/miscast").with_suffix("").parts)
    before = {one: ast.dump(node) for one, node in _parts(git("show", f"{base}:{name}"))}
    now = (ROOT / name).read_text("utf-8") if (ROOT / name).exists() else ""
    after = {one: ast.dump(node) for one, node in _parts(now)}
    for one in before.keys() | after.keys():
        if before.get(one) != after.get(one):
            yield module, one
            yield module, ""
