"""Each program of `box_cases.py`: what it sees is asserted there; here, that the disk stays, and what is told of it."""

from __future__ import annotations

import fnmatch
import inspect
import os
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import box_cases as cases
import box_tree as tree
import ways_around
from box_costs import calls_of

from miscast.box.redirect import Layer, guarded, redirected

pytestmark = pytest.mark.usefixtures("all_objects")  # a table of a library's own is looked for among them
_KEPT = (open, os.remove, os.rename)  # in no table, and under no name: nobody finds them there


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    tree.make(root)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def layer(tmp_path):
    folder = tmp_path / "layer"
    folder.mkdir()
    return Layer(str(folder))


@pytest.mark.parametrize("name", cases.CASES)
def test_the_disk_stays_and_the_program_does_not_notice(name, place, layer, request):
    if name == "numpy_files":  # NumPy's table of functions is found among all objects
        request.getfixturevalue("all_objects")
    program, effects = cases.CASES[name]
    wanted = program.__code__.co_varnames[: program.__code__.co_argcount]
    given = {"kept": _KEPT, "layer": layer}
    before, around = tree.snapshot(place), set(os.listdir(tempfile.gettempdir()))
    loaded = set(sys.modules)
    try:
        with redirected(layer), guarded(layer):
            program(*(given[argument] for argument in wanted))
    finally:
        for module in [m for m in set(sys.modules) - loaded if m.startswith("wrote_")]:
            del sys.modules[module]
    assert tree.snapshot(place) == before
    assert os.getcwd() == str(place)
    more = set(os.listdir(tempfile.gettempdir())) - around
    assert {name for name in more if not name.startswith(("pytest", "torch", "miscast-", "pip-"))} == set()
    told = [_said(effect, place) for effect in layer.effects()]
    effects = [effect.replace("PARENT", str(os.getppid())) for effect in effects]
    assert [effect for effect in effects if not fnmatch.filter(told, effect)] == []
    assert [one for one in told if not any(fnmatch.fnmatch(one, effect) for effect in effects)] == []


@pytest.mark.parametrize("name", [n for n, way in vars(ways_around).items() if inspect.isfunction(way)])
@pytest.mark.filterwarnings("ignore")
def test_no_way_leads_around(name, place, layer, monkeypatch):
    monkeypatch.setenv("PATH", os.environ["PATH"])
    before = tree.snapshot(place)
    with redirected(layer), guarded(layer):
        getattr(ways_around, name)()
    os.chdir(place)
    assert tree.snapshot(place) == before


def _said(effect, place):
    what = os.path.relpath(effect.what, place) if os.path.isabs(effect.what) else effect.what
    return f"{effect.kind} {what}" + (f" {effect.action}" if effect.action == "refused" else "")


def test_a_file_that_stays_open_writes_to_the_layer(place, layer):
    before = tree.snapshot(place)
    with redirected(layer), guarded(layer):
        file = open("a.txt", "a")  # noqa: SIM115 - it is to stay open
        deleted = tempfile.NamedTemporaryFile(delete=False)  # noqa: SIM115 - the same
    file.write("late")
    file.close()
    deleted.close()
    assert tree.snapshot(place) == before


def test_everything_is_as_before(place, layer):
    before = {name: vars(os)[name] for name in vars(os)}, open, sys.meta_path[:], os.supports_dir_fd
    with redirected(layer), guarded(layer):
        assert open is not before[1]
        kept = open, os.remove
    assert ({name: vars(os)[name] for name in vars(os)}, open, sys.meta_path[:], os.supports_dir_fd) == before
    kept[0]("new.txt", "w").close()
    kept[1]("new.txt")
    assert not (place / "new.txt").exists()


def test_a_name_that_was_imported_before_is_redirected(place, layer):
    module = type(sys)("imported_by_name")
    sys.modules[module.__name__] = module
    module.remove = os.remove
    try:
        with redirected(layer), guarded(layer):
            module.remove("a.txt")
            assert not os.path.exists("a.txt")
    finally:
        del sys.modules[module.__name__]
    assert (place / "a.txt").exists()
    assert module.remove is os.remove


def test_where_the_program_stood_is_asked_for_once(place, tmp_path):
    asked = []
    (tmp_path / "other").mkdir()
    layer = Layer(str(tmp_path / "other"), lambda *what: asked.append(what))
    with redirected(layer), guarded(layer):
        for _ in range(3):
            open("a.txt", "a").close()
        os.system("touch z")
    assert asked == [("written", str(place / "a.txt"), ""), ("started", "touch z", "")]


@pytest.mark.usefixtures("place")
def test_exec_ends_the_program(layer):
    with redirected(layer), guarded(layer), pytest.raises(SystemExit) as end:
        os.execvp("touch", ["touch", "z"])
    assert end.value.code == 0
    assert [effect.what.endswith("touch z") for effect in layer.effects()] == [True]


def test_what_it_costs(layer, tmp_path):
    with redirected(layer), guarded(layer):  # the first imports
        pass
    other = Layer(str(tmp_path))

    def enter() -> None:
        with redirected(other), guarded(other):
            pass

    assert calls_of(enter) < 20_000
