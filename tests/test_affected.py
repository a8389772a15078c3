"""`make test-changed` leaves out what a change cannot reach, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import affected

pytestmark = pytest.mark.slow  # whichever comes first reads all sources
HERE = Path(__file__).parent


@pytest.fixture
def changed(monkeypatch):
    """Return the files of tests that files can affect, all of whose definitions changed."""

    def of(*names):
        monkeypatch.setattr(affected, "git", lambda *words: "\n".join(names) if words[0] == "diff" else "")
        return {str(path.relative_to(HERE)) for path in affected.affected_tests("main")}

    return of


@pytest.mark.parametrize(
    ("file", "reaches", "leaves"),
    [
        ("src/miscast/explanation/template.py", "explain/test_patterns.py", "contracts/test_judge.py"),
        ("src/miscast/torch_facts/contracts/matmul.py", "contracts/test_judge.py", "explain/test_patterns.py"),
        ("src/miscast/lint/systems/accelerate.py", "lint/test_working.py", "vm/test_collectives.py"),
        ("src/miscast/commands/fix.py", "fix/test_fix_command.py", "explain/test_patterns.py"),
        ("corpus/numbers/cases/wrap_of_uint8.py", "numbers/test_corpus.py", "explain/test_patterns.py"),
        ("corpus/explain/causes.json", "explain/test_corpus.py", "numbers/test_corpus.py"),
        ("tests/warm.py", "fix/test_fix_command.py", "test_dtypes.py"),
        ("tests/lint/cases/some.yaml", "lint/test_contradictions.py", "test_dtypes.py"),
    ],
    ids=lambda value: value.rpartition("/")[2],
)
def test_a_change_reaches(file, reaches, leaves, changed):
    found = changed(file)
    assert reaches in found
    assert leaves not in found


def test_what_all_tests_share_reaches_all(changed):
    assert changed("tests/conftest.py") == {str(path.relative_to(HERE)) for path in HERE.rglob("test_*.py")}


def test_nothing_changed_reaches_nothing(changed):
    assert changed() == set()
