"""A sweep runs each entry of a table, and reports all that fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
TABLE = """
    import os
    import pytest
    from sweep import sweep

    @sweep("word, size", [("one", 3), ("two", 4), ("three", 5), ("three", 6)])
    def test_sizes(word, size, tmp_path, monkeypatch):
        assert "LAST" not in os.environ
        monkeypatch.setenv("LAST", word)
        assert not any(tmp_path.iterdir())
        (tmp_path / word).touch()
        print("ran", word, size)
        assert len(word) == size

    @sweep("word", ["a", "b"])
    def test_words(word):
        if word == "a":
            pytest.skip("not here")
"""


@pytest.fixture
def run(pytester):
    """Run `TABLE` with options."""
    pytester.makepyfile(TABLE)
    pytester.makeconftest(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})

        def pytest_addoption(parser):
            parser.addoption("--entry", default="*")
    """)
    return lambda *options: pytester.inline_run("-p", "no:cacheprovider", "-p", "no:xdist", *options)


def names(reports):
    return [report.context.msg for report in reports if hasattr(report, "context")]


def test_all_entries_run_and_each_that_fails_is_named(run, capsys):
    _, skipped, failed = run("-s").listoutcomes()
    assert re.findall(r"ran (.*)", capsys.readouterr().out) == ["one 3", "two 4", "three 5", "three 6"]
    assert names(failed) == ["two-4", "three-6"]
    assert names(skipped) == ["a"]


def test_one_entry_runs_alone(run):
    passed, skipped, failed = run("-k", "test_sizes", "--entry", "three-*").listoutcomes()
    assert names(failed) == ["three-6"]
    passed, skipped, failed = run("-k", "test_sizes", "--entry", "one*").listoutcomes()
    assert (len(passed), skipped, failed) == (1, [], [])
    passed, skipped, failed = run("-k", "test_sizes", "--entry", "four").listoutcomes()
    assert (passed, len(skipped), failed) == ([], 1, [])
