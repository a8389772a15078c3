"""The benchmark of mutants changes what it says it changes, and runs the tests that reach it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sweep import sweep

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
import mutants  # noqa: E402
from mutation.changes import changes, mutated  # noqa: E402

sys.path.remove(FOLDER)

CHANGES = {
    "a < b <= c": ["a <= b <= c", "a < b < c"],
    "a is not b": ["a is b"],
    "a in b": ["a not in b"],
    "a and b": ["a or b"],
    "not a": ["a"],
    "-a": ["a"],
    "a + b": ["a - b"],
    "a |= b": ["a &= b"],
    "return a": ["return None"],
    "return None": [],
    "break": ["continue"],
    "continue": ["break"],
    "if a:\n    b": ["if not a:"],
    "a if b else c": ["a if not b else c"],
    "while a:\n    b": ["while not a:"],
    "[a for a in b if c if d]": ["for a in b if d", "for a in b if c"],
    "any(a)": ["all(a)", "any(None)"],
    "a.lower()": ["a.upper()"],
    "f(a, *b, k=c, **d)": ["f(None, *b, k=c, **d)", "f(a, *b, **d)"],
    "a = 1": ["2"],
    "a = True": ["False"],
    "a = 'x'": ["'XXxXX'"],
    "a = ''": ["'XX'"],
    "a = f'{b:>3}'": ["'XX>3XX'"],
    "def f(a=1): pass": ["2"],
    "'a text'": [],
    "a: Literal['x'] = b": [],
    "def f(a: 'x') -> 'y': pass": [],
    "@cache(True)\ndef f(): pass": [],
    "class A(B, frozen=True): pass": [],
    "assert a, 'why'": [],
    "from a import b": [],
    "if TYPE_CHECKING:\n    a = 1": [],
    "__all__ = ['a']": [],
    "__slots__ = ('a',)": [],
    "A = Literal['a']": [],
    "T = TypeVar('T', bound=A)": [],
    "for a in zip(*b, strict=True): pass": [],
}  # fmt: skip


@sweep("source", CHANGES)
def test_each_kind_of_change(source):
    found = list(changes(ast.parse(source)))
    assert [change.after for change in found] == CHANGES[source]
    sources = [mutated(source, number) for number in range(len(found))]
    assert len({ast.unparse(ast.parse(one)) for one in (source, *sources)}) == len(found) + 1


def test_a_change_knows_its_function_and_its_statement():
    found = list(changes(ast.parse("class A:\n    def f(self):\n        if self:\n            return self.b(1)\n")))
    assert {change.function for change in found} == {"A.f"}
    assert [(change.after, type(change.statement).__name__, change.line) for change in found] == [
        ("if not self:", "If", 3), ("return None", "Return", 4), ("self.b(None)", "Return", 4), ("2", "Return", 4),
    ]  # fmt: skip


def test_all_functions_are_drawn_before_one_is_drawn_again():
    every = list(mutants.mutants("judging/cause.py"))
    functions = {one.change.function for one in every}
    drawn = list(mutants.drawn(every, 3))
    assert {one.change.function for one in drawn[: len(functions)]} == functions
    assert sorted(one.number for one in drawn) == list(range(len(every)))
    assert [one.number for one in mutants.drawn(every, 3)] == [one.number for one in drawn]


SOURCE = '''\
"""A module."""

from __future__ import annotations


def half(number):
    """Half of it."""
    while number > 100:
        number -= 1
    if number < 0:
        raise ValueError(number)
    return number / 2


def double(number):
    return number * 2
'''
TESTS = """\
import os, subprocess, sys
from package.numbers import double, half

def test_here():
    assert half(4) == 2

def test_refused():
    try:
        half(-1)
    except ValueError:
        pass

def test_in_a_process():
    subprocess.run([sys.executable, "-c", "from package.numbers import double; assert double(3) == 6"], check=True)

def test_in_a_fork():
    pid = os.fork()
    if not pid:
        os._exit(double(1) != 2)
    assert os.waitpid(pid, 0)[1] == 0

def test_that_fails():
    assert half(2) == 2
"""
RECORDING = """\
import sys
from pathlib import Path
from mutation.reach import instrument, record
tree = Path(sys.argv[1])
begins = instrument(tree / "src" / "package", ["numbers.py"])
record(tree, ["tests"], begins, tree / "found.json")
"""
TRYING = """\
import sys
from pathlib import Path
from mutation import trial
trial.PATIENCE = 10.0, 0.0
tree, tests = Path(sys.argv[1]), sys.argv[3:]
file = tree / "src" / "package" / "numbers.py"
with trial.changed(file, file.read_text().replace(*sys.argv[2].split(" -> "))):
    found = trial.run(tree, tests, 1.0)
print(found.by)
again = trial.run(tree, tests, 1.0)
assert not again.by, again.output
"""


@pytest.fixture
def tree(tmp_path):
    for name, text in {
        "src/package/__init__.py": "", "src/package/numbers.py": SOURCE, "tests/test_numbers.py": TESTS,
        "pyproject.toml": "",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def _python(script, *args):
    env = os.environ | {"PYTHONPATH": FOLDER, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # Miscast's needs Miscast
    return subprocess.run([sys.executable, "-c", script, *map(str, args)], env=env, capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip


def test_what_a_test_reaches_is_recorded_whatever_process_reaches_it(tree):
    ended = _python(RECORDING, tree)
    found = json.loads((tree / "found.json").read_text(encoding="utf-8"))
    assert {name.partition("::")[2]: reached for name, (_, reached) in found.items()} == {
        "test_here": [0, 1, 2], "test_refused": [0, 1, 4], "test_in_a_process": [5], "test_in_a_fork": [5],
    }, ended.stdout  # fmt: skip


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("number / 2 -> number / 4", "tests/test_numbers.py::test_here"),
        ("number * 2 -> number * 3", "tests/test_numbers.py::test_in_a_fork"),
        ("number < 0 -> number < -1", ""),
        ("def double -> def twice", "no import"),
        ("number > 100 -> True", "no end"),
    ],
)
def test_a_change_is_noticed_or_not(tree, change, told):
    names = ("here", "refused", "in_a_fork", "in_a_process")
    ended = _python(TRYING, tree, change, *(f"tests/test_numbers.py::test_{name}" for name in names))
    assert (ended.stdout.strip(), ended.returncode) == (told, 0), ended.stderr
