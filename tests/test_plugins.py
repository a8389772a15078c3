"""Every folder whose files are found by discovery refuses one that is not what the folder promises, and says where."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from miscast.core.plugins import PluginError, each, function, load, table, value

RULE = '"""A rule."""\n\n\ndef {}(trace):\n    return iter(())\n'
ARCH = """from miscast.core.machines.machine import Machine

MACHINES = (Machine(name="x100", title="X100", device="cuda", arch="sm_110"),)
"""
MACHINE = 'from miscast.core.machines.machine import Machine\n{} = (Machine(name="x1", title="X1", device="xpu"),)\n'


def loader(module: str, name: str) -> Callable[[], Any]:
    """The function that loads a folder, without what it remembers."""

    def loaded() -> Any:
        found = getattr(importlib.import_module(module), name)
        return getattr(found, "__wrapped__", found)()

    return loaded


FOLDERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "rules": ("miscast.judging.rules", loader("miscast.judging.rules", "known")),
    "machines": ("miscast.core.machines", loader("miscast.core.machines", "_by_name")),
    "strategies": ("miscast.fixing.remedy.strategies", loader("miscast.fixing.remedy.strategies", "known")),
    "specials": ("miscast.vm.specials", loader("miscast.vm.specials", "_table")),
    "patches": ("miscast.vm.torch_api.patches", loader("miscast.vm.torch_api.patches", "_files")),
    "substitutes": ("miscast.vm.substitutes", loader("miscast.vm.substitutes", "_files")),
    "clients": ("miscast.box.network.clients", loader("miscast.box.network.shield", "clients_by_module")),
    "formats": ("miscast.report", loader("miscast.report", "_renderers")),
    "commands": ("miscast.commands", loader("miscast.commands", "known")),
    "contracts": ("miscast.torch_facts.contracts", loader("miscast.torch_facts.contracts", "_by_op")),
    "autocast": ("miscast.torch_facts.autocast", loader("miscast.torch_facts.autocast", "_files")),
    "patterns": ("miscast.explanation.patterns", loader("miscast.explanation.pattern", "patterns")),
    "causes": ("miscast.explanation.causes", loader("miscast.explanation.cause", "causes")),
    "libraries": ("miscast.explanation.libraries", loader("miscast.explanation.library", "libraries")),
    "lint systems": ("miscast.lint.systems", loader("miscast.lint.systems", "known")),
    "lint rules": ("miscast.lint.rules", loader("miscast.lint.rules", "known")),
    "lint formats": ("miscast.lint.formats", loader("miscast.lint.formats", "_by_suffix")),
}
WRONG = [
    ("rules", RULE.format("finds"), 4, "`finds`: did you mean `find`?"),
    ("rules", RULE.format("find").replace("trace", ""), 4, "`find` is not a function of 1 argument"),
    ("rules", RULE.format("find") + "\n\nSTRIKT = True\n", 8, "`STRIKT`: did you mean `STRICT`?"),
    (
        "rules", '"""Nothing."""\n', 1,
        "missing `find`, `across`, `HELP`, which every file of miscast.judging.rules must have",
    ),
    ("machines", MACHINE.format("MACHINE"), 2, "`MACHINE`: did you mean `MACHINES`?"),
    ("machines", "MACHINES = ('x100',)\n", 1, "`MACHINES` is str, not Machine"),
    ("machines", ARCH, 3, "`MACHINES` has 'x100', whose architecture 'sm_110' is missing in `ARCHITECTURES`"),
    ("machines", MACHINE.format("MACHINES").replace("x1", "a100"), 2, "'a100' uses the name 'a100' of 'a100'"),
    ("strategies", "ORDER = 3\n\n\ndef proposed(source, site): ...\n", 4, "`proposed`: did you mean `propose`?"),
    ("strategies", "ORDER = 3\n\n\ndef propose(source): ...\n", 4, "`propose` is not a function of 2 arguments"),
    ("strategies", "def propose(source, site): ...\n", 1, "missing `ORDER`"),
    ("specials", "def _empty(call): ...\n\n\nSPECIAL = {'empty': _empty}\n", 4, "`SPECIAL`: did you mean `SPECIALS`?"),
    ("specials", "SPECIALS = {'empty': 1}\n", 1, "`SPECIALS` of 'empty' is int, not Callable"),
    ("patches", "def patch(vm): ...\n", 1, "`patch`: did you mean `patches`?"),
    ("patches", "LATER = {'trl': None}\n", 1, "`LATER` of 'trl' is NoneType, not Callable"),
    ("substitutes", "PACKAGES = 'vllm'\n", 1, "`PACKAGES`: did you mean `PACKAGE`?"),
    ("clients", "MODULE = {}\n", 1, "`MODULE`: did you mean `MODULES`?"),
    ("formats", "def renders(report): ...\n", 1, "`renders`: did you mean `render`?"),
    ("formats", "def render(): ...\n", 1, "`render` is not a function of 1 argument"),
    ("commands", "def add(parser): ...\n", 1, "missing `run`"),
    ("commands", "def wholly(): ...\n", 1, "missing `add`, `run`, which every file of miscast.commands must have"),
    (
        "contracts", "DEMANDS = ()\n", 1,
        "missing `CONTRACTS`, which every file of miscast.torch_facts.contracts must have",
    ),
    ("lint systems", "ACCELERATE = ()\n", 1, "missing `SYSTEM`, which every file of miscast.lint.systems must have"),
    ("lint rules", "def contradicts(): ...\n", 1, "missing `CONFLICTS`, `find`, which every file of"),
    ("lint formats", "def parsed(text): ...\n", 1, "missing `SUFFIXES`, `read`, which every file of"),
    ("contracts", "CONTRACT = ()\n", 1, "`CONTRACT`: did you mean `CONTRACTS`?"),
    ("contracts", "CONTRACTS = ['aten.mm']\n", 1, "`CONTRACTS` is not a tuple of Contract"),
    ("autocast", "POLICY = {}\n", 1, "missing `POLICIES`"),
    ("patterns", "PATTERN = ()\n", 1, "`PATTERN`: did you mean `PATTERNS`?"),
    ("causes", "CAUSES = (3,)\n", 1, "`CAUSES` is int, not Cause"),
    ("libraries", "LIBRARY = ()\n", 1, "missing `LIBRARIES`"),
    ("lint systems", "SYSTEMS = ()\n", 1, "`SYSTEMS`: did you mean `SYSTEM`?"),
    ("lint rules", "def finds(run): ...\n", 1, "`finds`: did you mean `find`?"),
    ("lint formats", "SUFFIXES = ('.ini',)\n", 1, "missing `read`"),
]


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Path]]:
    """Puts a file beside those of a package."""
    names = []

    def add(package: str, text: str) -> Path:
        file = tmp_path / "added_by_a_test.py"
        file.write_text(text, "utf-8")
        found = importlib.import_module(package)
        monkeypatch.setattr(found, "__path__", [*found.__path__, str(tmp_path)])
        names.append(f"{package}.added_by_a_test")
        return file

    yield add
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("folder", "text", "line", "why"), WRONG, ids=[f"{one[0]} {one[3]}" for one in WRONG])
def test_a_misnamed_one_is_refused(added, folder, text, line, why):
    package, loaded = FOLDERS[folder]
    file = added(package, text)
    with pytest.raises(PluginError) as caught:
        loaded()
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: {why}")
    assert "\n" not in message


@pytest.mark.parametrize("folder", FOLDERS)
def test_those_that_are_there_are_as_promised(folder):
    assert FOLDERS[folder][1]() is not None


def test_helpers_are_no_plugins(added):
    added("miscast.judging.rules", "def lists(): ...\n")
    promised = (function("find", 1), function("across", 1), value("HELP", dict))
    assert len(load("miscast.judging.rules", either=promised, helpers=None)) == len(
        load("miscast.judging.rules", either=promised, helpers=("added_by_a_test",))
    )


def test_each_kind_of_promise_says_what_is_wrong():
    assert function("f", 1).fault(len) == ""
    assert function("f", 2).fault(3) == "is not a function of 2 arguments"
    assert value("V", bool).fault(1) == "is int, not bool"
    assert each("E", str).fault(("a", 1)) == "is int, not str"
    assert table("T").fault({"a": len}) == table("T", str).fault({"a": "b"}) == ""
    assert table("T").fault(()) == "is not a mapping"
