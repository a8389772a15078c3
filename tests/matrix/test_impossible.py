"""Cells that `lint` knows to be refused, from the command line and from changed configurations."""

from __future__ import annotations

import pytest

from miscast.planning.matrix.cell import Cell
from miscast.planning.matrix.changed_file import contents
from miscast.planning.matrix.impossible import impossible
from miscast.planning.matrix.varied import machines_axis, vary


def cell(*axes, machine="v100"):
    settings = {axis.name: axis.settings[0] for axis in map(vary, axes)}
    return Cell({"machine": machines_axis([machine]).settings[0], **settings})


@pytest.mark.parametrize(
    ("target", "args", "axis", "rules"),
    [
        ("train.py", ("--output_dir", "o"), "{--fp16 --bf16}", ["both-half-dtypes"]),
        ("train.py", ("--output_dir", "o"), "{--fp16}", []),
        ("train_network.py", ("--mixed_precision", "bf16"), "--full_fp16={on}", ["full-half-without-mixed"]),
        ("train_network.py", ("--mixed_precision", "fp16"), "--full_fp16={on}", []),
        ("my program.py", ("--x", "$(touch gone); `y`"), "--fp16={on}", []),
    ],
)
def test_from_the_command_line(target, args, axis, rules, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = impossible(target, args, cell(axis), {})
    assert [one.rule for one in found] == rules
    assert all(one.location.file == "the command line" for one in found)
    assert list(tmp_path.iterdir()) == []


def test_from_a_configuration_that_the_cell_changes(tmp_path):
    file = tmp_path / "train.yaml"
    file.write_text("output_dir: o\nnum_train_epochs: 1\nfp16: true\nbf16: false\n")
    args = (str(file),)
    bad, good = (cell(f"{file}:bf16={{{value}}}") for value in ("true", "false"))
    assert impossible("train.py", args, good, contents(good.changes)) == ()
    (found,) = impossible("train.py", args, bad, contents(bad.changes))
    assert found.rule == "both-half-dtypes"
    assert found.location.file == str(file)
    assert found.fixes
    assert not any(fix.edits for fix in found.fixes)  # of a copy
    assert "bf16: false" in file.read_text()
