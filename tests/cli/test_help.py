"""`--help` on a narrow terminal: sentences are as wide as it is, samples as they were written."""

from __future__ import annotations

import pytest

from miscast.cli import main
from miscast.commands import known


@pytest.mark.parametrize("columns", [72, 80])
def test_sentences_are_wrapped_and_samples_are_not(columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in known():
        with pytest.raises(SystemExit) as left:
            main([command.name, "--help"])
        told = capsys.readouterr().out.splitlines()
        samples = [line for line in command.page.splitlines() if line.startswith(" ")]
        assert left.value.code == 0
        assert [line for line in samples if line not in told] == []
        assert [line for line in told if len(line) > (80 if line in samples else columns)] == [], command.name
        words = " ".join(told).split()
        assert [word for word in command.page.split() if word not in words] == []


def test_all_commands_fit_in_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []
