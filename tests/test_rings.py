"""Which tests a ring runs."""

from __future__ import annotations

import pytest

import rings

FILE = "tests/some/test_file.py"


@pytest.fixture
def ring(monkeypatch):
    """Return whether a ring runs the test `name` with some marks, of a commit, of seconds, and of what changed."""

    class Item:
        def __init__(self, name, marks):
            self.name, self.nodeid, self.user_properties = name, f"{FILE}::{name}", []
            self.marks = {mark.name: mark for mark in marks}

        def add_marker(self, mark):
            self.marks[mark.name] = mark.mark

        def get_closest_marker(self, name):
            return self.marks.get(name)

    turns = rings._turns.__wrapped__

    def is_run(ring, *marks, name="test_it", seconds=None, commit=0, changed=()):
        known = {} if seconds is None else {f"{FILE}::{name}": seconds}
        monkeypatch.setattr(rings, "_seconds", lambda: known)
        monkeypatch.setattr(rings, "_turns", turns)
        monkeypatch.setattr(rings, "_commit", lambda: commit)
        monkeypatch.setattr(rings, "changed", lambda: frozenset(changed))
        item = Item(name, [mark.mark for mark in marks])
        rings.mark_slow([item])
        return rings.is_run(item, ring)

    return is_run


CASE = pytest.mark.corpus("corpus/cases/{}.py")


def test_the_quick_ring_has_neither_slow_tests_nor_what_takes_minutes(ring):
    assert ring("quick")
    assert not ring("quick", seconds=1.5)
    assert not ring("quick", pytest.mark.slow)
    assert not ring("quick", pytest.mark.minutes)
    assert not ring("quick", seconds=80)


def test_the_quick_ring_has_slow_tests_that_are_kept(ring, monkeypatch):
    monkeypatch.setattr(rings, "_kept", lambda: {f"{FILE}::test_it"})
    assert ring("quick", seconds=1.5)


def test_all_programs_of_a_test_are_kept(ring, monkeypatch):
    monkeypatch.setattr(rings, "_kept", lambda: {f"{FILE}::test_it"})
    assert ring("quick", name="test_it[one]", seconds=1.5)
    assert not ring("quick", name="test_other[one]", seconds=1.5)


def test_what_is_kept_is_slow():
    known = rings.DURATIONS.read_text("utf-8")
    assert [name for name in rings._kept() if name.startswith("tests/") and f'"{name}' not in known] == []


def test_all_has_all(ring):
    assert ring("all", pytest.mark.minutes, seconds=100)


def test_a_slow_test_has_its_turn_once_in_six_commits(ring):
    for marks, seconds in (((), 0.5), ((CASE,), 0.3), ((pytest.mark.slow,), None)):
        assert sum(ring("ci", *marks, seconds=seconds, commit=commit) for commit in range(6)) == 1
    assert not any(ring("ci", pytest.mark.minutes, commit=commit) for commit in range(6))
    assert not any(ring("ci", seconds=80, commit=commit) for commit in range(6))


def test_all_turns_take_equally_long():
    seconds = [0.0] * rings.SHARE
    for name, turn in rings._turns().items():
        seconds[turn] += rings._seconds()[name]
    assert max(seconds) - min(seconds) < 0.05 * max(seconds)


@pytest.mark.parametrize("changed", [FILE, "corpus/cases/one.py"])
def test_what_changed_is_run_out_of_turn(changed, ring):
    assert all(ring("ci", CASE, name="test_it[one]", seconds=9, commit=one, changed=[changed]) for one in range(6))


def test_what_another_program_changes_does_not(ring):
    case = {"name": "test_it[two]", "seconds": 9, "changed": ["corpus/cases/one.py"]}
    assert sum(ring("ci", CASE, commit=commit, **case) for commit in range(6)) == 1


def test_what_changed_is_told_from_a_base(monkeypatch):
    words = []
    monkeypatch.setattr(rings, "git", lambda *given: words.append(given[-1]) or "a.py\nb.py")
    monkeypatch.delenv("BASE", raising=False)
    assert rings.changed.__wrapped__() == {"a.py", "b.py"}
    monkeypatch.setenv("BASE", "main")
    rings.changed.__wrapped__()
    assert words == ["HEAD^", "main"]
