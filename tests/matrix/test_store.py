"""Results are known again while nothing that they came from has changed."""

from __future__ import annotations

import os

import pytest

from miscast.planning.matrix.cell import Cell, Setting
from miscast.planning.matrix.store import Store, identity
from miscast.planning.matrix.task import Result


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "store"))


def cell(**settings):
    return Cell({"axis": Setting(label="x", said="x", **settings)})


def test_as_long_as_its_files_are_as_they_were(store, tmp_path):
    script, data = tmp_path / "train.py", tmp_path / "data"
    script.write_text("one")
    data.mkdir()
    result = Result(report="{}", read=(str(script), str(data), str(tmp_path / "gone")))
    store.keep("key", result)
    again = lambda: Store(store.folder)  # noqa: E731 - a look at each file is made once
    assert again().known("key") == result
    assert again().known("other") is None
    os.utime(script, (1, 1))
    assert again().known("key") == result
    script.write_text("two")
    assert again().known("key") is None
    script.write_text("one")
    assert again().known("key") == result
    (data / "picture").touch()
    assert again().known("key") is None
    assert set(again().files("key")) == {str(script), str(data)}


def test_what_is_no_result_is_not_taken_for_one(store):
    store.keep("key", Result(report="{}"))
    path = os.path.join(store.folder, "key.json")
    for text in ("", "{", '{"files": 3}', "[]"):
        with open(path, "w") as file:
            file.write(text)
        assert store.known("key") is None
        assert store.files("key") is None


def test_a_folder_that_cannot_be_written_loses_nothing(tmp_path):
    (tmp_path / "file").touch()
    store = Store(str(tmp_path / "file" / "store"))
    store.keep("key", Result(report="{}"))
    store.begun("/", {})
    assert store.known("key") is None
    assert store.last("/") is None


def test_a_name_that_is_no_unicode_ends_no_matrix(store, tmp_path):
    script = tmp_path / "train\udcff.py"
    script.write_text("one")
    store.keep("key", Result(report="{}", read=(str(script),)))
    store.begun("/", {"target": str(script)})
    assert store.known("key") is None
    assert store.last("/") is None


def test_what_a_cell_is_told_by(monkeypatch):
    options = {"batches": 2}
    first = identity("a.py", ("--x",), cell(machine="v100"), options)
    assert first == identity("a.py", ("--x",), cell(machine="v100"), options)
    others = [
        identity("b.py", ("--x",), cell(machine="v100"), options),
        identity("a.py", (), cell(machine="v100"), options),
        identity("a.py", ("--x",), cell(machine="a100"), options),
        identity("a.py", ("--x",), cell(machine="v100", ranks=2), options),
        identity("a.py", ("--x",), cell(machine="v100", environment={"A": "1"}), options),
        identity("a.py", ("--x",), cell(machine="v100"), {"batches": 3}),
    ]
    monkeypatch.setenv("HF_HOME", "/elsewhere")
    others.append(identity("a.py", ("--x",), cell(machine="v100"), options))
    assert len({first, *others}) == 8
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("CI_RUN", "17")
    assert identity("a.py", ("--x",), cell(machine="v100"), options) == first


def test_the_matrix_that_was_last_begun_is_known_by_its_folder(store):
    store.begun("/a", {"vary": ["--x={1,2}"]})
    assert store.last("/a") == {"vary": ["--x={1,2}"]}
    assert store.last("/b") is None
