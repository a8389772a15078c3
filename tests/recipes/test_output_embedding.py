"""OneTrainer's issue 752: a float32 token embedding dies as reported, is named, is mended; new words are learned."""

from __future__ import annotations

import pytest
import torch
from PIL import Image
from recipe import RECIPES, check, fixed, told, train
from safetensors.torch import load_file

pytest.importorskip("diffusers")

PROGRAM = RECIPES / "sdxl_output_embedding" / "train.py"
SAMPLER = RECIPES / "sdxl_output_embedding" / "sample.py"
SHORT = ["--images", "4", "--batch-size", "2", "--steps", "2", "--sample-every", "2", "--sampling-steps", "1"]
RAISED = ["--fault", "token-embedding"]
OUTSIDE = ["--fault", "set-up-outside-cast"]
FAILS = "outputs = [encoder(tokens, output_hidden_states=True) for encoder in models.text_encoders]"
CAUSE = "encoder.get_input_embeddings().to(dtype=torch.float32)"


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.parametrize("autocast", [[], ["--autocast"]])
def test_a_token_embedding_in_float32_dies_as_reported(autocast, tmp_path):
    """With autocast too: on a CPU it has no say in layer_norm."""
    with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\): expect parameter to have scalar type of Float"):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), *RAISED, *autocast)


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        ("v100", []),
        ("v100", ["--autocast", *OUTSIDE]),  # set-up fails, training does not
        ("cpu", []),
        ("cpu", ["--autocast"]),
    ],
)
def test_check_names_the_line_that_raised_it(machine, options, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *RAISED, *options, machine=machine)
    first, *_ = told(report)
    assert (first.op, first.line) == ("layer_norm", FAILS)
    assert {finding.op for finding in told(report)} == {"layer_norm"}
    assert all(CAUSE in finding.behind for finding in told(report))
    if OUTSIDE[1] in options:
        assert {frame.function for finding in report.findings for frame in finding.callers} >= {"set_up"}
        assert "train" not in {frame.function for finding in report.findings for frame in finding.callers}
    assert report.ended is None
    assert not report.unchecked


def test_autocast_hides_it_on_cuda_and_strict_tells(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *RAISED, "--autocast"]
    assert not check(PROGRAM, *args, machine="v100").findings
    hidden = told(check(PROGRAM, *args, machine="v100", strict=True))
    assert ("layer_norm", FAILS) in {(finding.op, finding.line) for finding in hidden if CAUSE in finding.behind}


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        ("v100", []),
        ("v100", ["--autocast"]),
        ("v100", ["--autocast", *OUTSIDE]),  # by itself it is harmless
        ("a100", ["--dtype", "bf16"]),
        ("cpu", ["--dtype", "fp32"]),
    ],
)
def test_the_right_program_is_right(machine, options, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *options, machine=machine)
    assert not report.findings
    assert report.ended is None


@pytest.mark.parametrize(
    ("dtype", "autocast"), [("fp32", []), slow("bf16", []), ("fp16", []), slow("bf16", ["--autocast"])]
)
def test_it_learns_saves_loads_and_samples(dtype, autocast, tmp_path):
    args = ["--dtype", dtype, *autocast, "--output", str(tmp_path), "--steps", "40", "--sample-every", "40"]
    before, after = train(PROGRAM, *args, told="validation")
    assert after < 0.85 * before
    train(PROGRAM, *args, "--steps", "1", "--output", str(tmp_path / "unlearned"))

    saved = load_file(tmp_path / "embedding.safetensors")
    assert {name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in saved.items()} == {
        "clip_l": (torch.float32, (2, 16)),
        "clip_g": (torch.float32, (2, 32)),
    }
    pictures = []
    for folder in (tmp_path, tmp_path / "unlearned"):
        picture = str(folder / "loaded.png")
        caption = "a <disc-1> <disc-2>"
        train(SAMPLER, str(folder / "embedding.safetensors"), caption, picture, "--dtype", dtype, *autocast)
        with Image.open(picture) as image:
            assert image.size == (16, 16)
            pictures.append(image.tobytes())
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("dtype", [slow("fp32"), slow("bf16"), "fp16"])
def test_a_run_that_resumes_ends_bit_for_bit_as_one_that_did_not_stop(dtype, tmp_path):
    args = ["--dtype", dtype, "--sample-every", "9"]
    whole, half, again = (str(tmp_path / name) for name in ("whole", "half", "again"))
    losses = train(PROGRAM, *args, "--steps", "4", "--output", whole)
    first = train(PROGRAM, *args, "--steps", "2", "--output", half)
    rest = train(PROGRAM, *args, "--steps", "4", "--output", again, "--resume", half)
    assert first + rest == losses
    one, two = (load_file(f"{folder}/embedding.safetensors") for folder in (whole, again))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_policy_holds_the_encoders_to_their_dtype(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *RAISED, "--policy", "16-true"]
    assert not check(PROGRAM, *args, machine="v100").findings
    assert len(train(PROGRAM, *args)) == 2


@pytest.mark.slow
def test_fix_mends_it(tmp_path):
    args = [*SHORT, "--output", str(tmp_path / "out"), *RAISED]
    program, mending = fixed(PROGRAM, *args, machine="v100", into=tmp_path / "fixed")
    assert not mending.after.findings
    assert not mending.unfixed
    assert len(train(program, *args)) == 2
