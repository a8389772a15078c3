"""How a matrix is written: --vary, and miscast.toml."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from miscast.planning.matrix.specification import read, size
from miscast.planning.matrix.varied import SpellingError, vary
from sweep import sweep


@pytest.mark.parametrize(
    ("text", "name", "labels", "arguments"),
    [
        ("--mixed_precision={no,fp16}", "--mixed_precision", ["no", "fp16"],
         [("--mixed_precision=no",), ("--mixed_precision=fp16",)]),
        ("--fp16={on,off}", "--fp16", ["on", "off"], [("--fp16",), ()]),
        ("--half={off}", "--half", ["off"], [()]),
        ("trainer.precision={16,bf16-mixed}", "trainer.precision", ["16", "bf16-mixed"],
         [("trainer.precision=16",), ("trainer.precision=bf16-mixed",)]),
        ("{--fp16,--bf16 --tf32,}", "arguments", ["--fp16", "--bf16 --tf32", "-"],
         [("--fp16",), ("--bf16", "--tf32"), ()]),
    ],
)  # fmt: skip
def test_what_arguments_an_axis_gives(text, name, labels, arguments):
    axis = vary(text)
    assert axis.name == name
    assert [one.label for one in axis.settings] == labels
    assert [one.arguments for one in axis.settings] == arguments
    assert not any(one.environment or one.changes for one in axis.settings)


def test_a_variable_of_the_environment():
    axis = vary("NVIDIA_TF32_OVERRIDE={0,1}")
    assert [one.environment for one in axis.settings] == [
        {"NVIDIA_TF32_OVERRIDE": "0"},
        {"NVIDIA_TF32_OVERRIDE": "1"},
    ]


def test_a_key_of_a_file():
    (setting, _) = vary("conf/a.yaml:train.precision={fp16,bf16}").settings
    (change,) = setting.changes
    assert change.file.endswith("/conf/a.yaml")
    assert (change.key, change.value, setting.arguments) == (("train", "precision"), "fp16", ())


@pytest.mark.parametrize("text", ["--fp16", "--a={x,x}", "--a={x", "--a{x,y}", "={}", "", "--a={"])
def test_what_is_no_axis_is_refused_in_one_line(text):
    with pytest.raises(SpellingError) as refused:
        vary(text)
    assert "\n" not in str(refused.value)


WRITTEN = """
    [matrix]
    run = "-m package.train --steps 2"
    machine = ["v100", "2xA100"]
    ranks = [0, 2]

    [matrix.vary]
    "--half" = [true, false]
    "--size" = [1, 2.5]

    [[matrix.exclude]]
    machine = "v100"
    "--half" = true
    ranks = 2

    [[matrix.include]]
    machine = "h100"
    "--size" = 7

    [[matrix.expect]]
    where = { machine = ["v100"] }
    findings = ["dtype-not-on-machine"]
    memory = "24GiB"
"""


def written(tmp_path, text):
    file = tmp_path / "miscast.toml"
    file.write_text(textwrap.dedent(text))
    return str(file)


def test_a_matrix_as_a_file_says_it(tmp_path):
    spec = read(written(tmp_path, WRITTEN))
    assert (spec.target, spec.args) == ("-m package.train", ("--steps", "2"))
    cells = spec.cells()
    labels = [tuple(cell.labels.values()) for cell in cells]
    assert len(labels) == 2 * 2 * 2 * 2 - 2 + 1 == len(set(labels))
    assert ("v100", "2", "on", "1") not in labels
    assert ("v100", "2", "off", "1") in labels
    assert labels[-1] == ("h100", "0", "on", "7")
    assert cells[-1].arguments == ("--half", "--size=7")
    assert cells[0].machine == "v100"
    (expected,) = spec.expect
    assert [expected.concerns(cell) for cell in cells].count(True) == 6
    assert expected.memory == 24 * 2**30


@sweep(
    ("text", "said"),
    [
        ("[matrix]\nrun = 3", "run must be text"),
        ("[matrix]\nrum = 'a.py'", "no key 'rum'"),
        ("[tool]\n", "no table [matrix]"),
        ("[matrix]\nmachine = ['v99']", "unknown machine 'v99'"),
        ("[matrix]\nranks = [-1]", "whole numbers"),
        ("[matrix.vary]\n'--a' = [[1]]", "a value of --a"),
        ("[matrix.vary]\n'--a' = []", "has no value"),
        ("[matrix]\n[matrix.vary]\n'--a' = [1]\n[[matrix.exclude]]\n'--a' = 2", "--a has no value '2'"),
        ("[matrix]\n[[matrix.exclude]]\nmachine = 'v100'", "no key 'machine'"),
        ("[matrix]\n[matrix.exclude]\nmachine = 'v100'", "write [[matrix.exclude]]"),
        ("[matrix]\n[matrix.vary]\n'--a' = [1, 2]\n[[matrix.include]]\n'--a' = [3, 4]", "several values"),
        ("[matrix]\n[[matrix.expect]]\nmemory = '24 apples'", "expected a size"),
        ("[matrix", "miscast.toml"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_one_line(text, said, tmp_path):
    with pytest.raises(SpellingError) as refused:
        read(written(tmp_path, text)).cells()
    assert said in str(refused.value)
    assert "miscast.toml" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_example_has_its_48_cells():
    spec = read(str(Path(__file__).parents[2] / "examples" / "matrix" / "miscast.toml"))
    assert len(spec.cells()) == 48
    assert spec.target == "train_text_to_image_lora_sdxl.py"
    assert spec.args[:2] == ("--pretrained_model_name_or_path", "sdxl")


def test_a_matrix_without_end_is_refused(tmp_path):
    axes = "\n".join(f"'--{letter}' = [{', '.join(map(str, range(40)))}]" for letter in "abc")
    with pytest.raises(SpellingError, match="64,000 combinations: at most"):
        read(written(tmp_path, f"[matrix.vary]\n{axes}")).cells()


def test_all_excluded(tmp_path):
    spec = read(written(tmp_path, "[matrix.vary]\n'--a' = [1]\n[[matrix.exclude]]\n'--a' = 1"))
    with pytest.raises(SpellingError, match="all are excluded"):
        spec.cells()


@pytest.mark.parametrize(
    ("text", "bytes_"), [("24GiB", 24 * 2**30), ("1.5 GB", 1.5e9), ("500M", 5e8), ("7", 7), ("3 KiB", 3072)]
)
def test_sizes(text, bytes_):
    assert size(text) == bytes_
