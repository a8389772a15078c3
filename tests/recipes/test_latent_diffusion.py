"""OneTrainer's issue 402: each mistake dies as reported, check names it, fix mends it; the right program learns."""

from __future__ import annotations

import json
import math
import statistics
import sys

import pytest
import torch
from PIL import Image
from recipe import RECIPES, check, fixed, told, train
from safetensors.torch import load_file

from miscast.cli import main

pytest.importorskip("diffusers")

PROGRAM = RECIPES / "latent_diffusion_fp16" / "train.py"
SHORT = ["--images", "4", "--batch-size", "2", "--steps", "2", "--sample-every", "2", "--sampling-steps", "1"]

# A fault: what torch says of it on a CPU, the op, the line that fails, and one behind it.
FAULTS = {
    "generated-mask": (
        "mat1 and mat2 must have the same dtype, but got Float and Half",
        "linear", "return models.unet(unet_input,", "return torch.ones(1, *size)",
    ),
    "hard-coded-float": (
        r"expected m(at)?1 and m(at)?2 to have the same dtype, but got: float != c10::Half|got Float and Half",
        "linear", "return models.unet(unet_input,", "return hidden_state.float()",
    ),
    "erosion-kernel": (
        r"expected scalar type Half but found Float|Input type \(.*\) and weight type \(.*\) should be the same",
        "conv2d", "return (kernel(mask) > 0.99)",
        "kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False, device=mask.device)",
    ),
    "noise-schedule": (
        r"Input type \(float\) and bias type \(c10::Half\) should be the same",
        "conv2d", "image = models.vae.decode(", "latent = (noisy - (1 - alpha).sqrt() * noise)",
    ),
}  # fmt: skip
CASTS = tuple(FAULTS)


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


def faults(*names: str) -> list[str]:
    return [arg for name in names for arg in ("--fault", name)]


def named(report) -> set[str]:
    """The faults whose line a report names, and the line behind it."""
    found = set()
    for finding in told(report):
        for name, (_, _, line, behind) in FAULTS.items():
            if finding.line.startswith(line) and any(text.startswith(behind) for text in finding.behind):
                found.add(name)
    return found


@pytest.mark.parametrize("fault", CASTS)
def test_each_mistake_dies_as_reported(fault, tmp_path):
    with pytest.raises(RuntimeError, match=FAULTS[fault][0]):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), *faults(fault))


def test_a_mask_file_for_every_image_hides_the_generated_mask(tmp_path):
    assert len(train(PROGRAM, *SHORT, "--output", str(tmp_path), "--masks", "all", *faults("generated-mask"))) == 2


def test_bfloat16_images_die_as_reported(tmp_path):
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), "--dtype", "bf16", *faults("half-image"))


def test_autocast_hides_the_casts_but_not_the_image(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--dtype", "bf16", "--autocast"]
    assert len(train(PROGRAM, *args, *faults(*CASTS))) == 2
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        train(PROGRAM, *args, *faults("half-image"))


@pytest.mark.parametrize("masks", ["some", slow("none")])
def test_check_names_all_lines_in_one_run(masks, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), "--masks", masks, *faults(*CASTS), machine="v100")
    assert named(report) == set(CASTS)
    assert sorted(finding.op for finding in told(report)) == sorted(op for _, op, _, _ in FAULTS.values())
    assert report.ended is None
    assert not report.unchecked


def test_check_sees_images_with_and_without_a_mask_file(tmp_path):
    args = ["--images", "2", "--batch-size", "1", "--steps", "4", "--output", str(tmp_path), *faults("generated-mask")]
    report = check(PROGRAM, *args, machine="v100", batches=4)
    assert named(report) == {"generated-mask"}
    assert not check(PROGRAM, *args, "--masks", "all", machine="v100", batches=4).findings


def test_check_names_the_bfloat16_image(tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), "--dtype", "bf16", *faults("half-image"), machine="a100")
    assert [finding.line for finding in told(report)] == ['pixels = (row.cpu().numpy() * 255).round().astype("uint8")']


def test_strict_tells_what_autocast_hides(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--autocast"]
    assert not check(PROGRAM, *args, *faults(*CASTS), machine="v100").findings
    assert not check(PROGRAM, *args, machine="cpu", strict=True).findings
    hidden = ("hard-coded-float", "erosion-kernel", "noise-schedule")
    assert named(check(PROGRAM, *args, *faults(*hidden), machine="cpu", strict=True)) == set(hidden)
    assert "generated-mask" in named(check(PROGRAM, *args, *faults("generated-mask"), machine="v100", strict=True))


@pytest.mark.parametrize(
    ("dtype", "machine"), [("fp16", "v100"), ("bf16", "a100"), slow("fp32", "v100"), ("fp16", "cpu")]
)
def test_the_right_program_is_right(dtype, machine, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), "--dtype", dtype, machine=machine)
    assert not report.findings
    assert report.ended is None


@pytest.mark.parametrize(("dtype", "autocast"), [("fp32", False), ("bf16", False), slow("bf16", True), ("fp16", False)])
def test_it_learns_and_paints(dtype, autocast, tmp_path):
    args = ["--output", str(tmp_path), "--dtype", dtype, *(["--autocast"] if autocast else [])]
    losses = train(PROGRAM, *args, "--steps", "30", "--sample-every", "30", "--save-every", "30")
    assert statistics.mean(losses[-5:]) < 0.7 * statistics.mean(losses[:5])
    for name in ("sample-30.png", "preview-30.png"):
        with Image.open(tmp_path / name) as image:
            assert image.size == (4 * 16, 16)
            assert len(set(image.getdata())) > 100
    saved = load_file(tmp_path / "checkpoint-30" / "unet" / "diffusion_pytorch_model.safetensors")
    assert {str(weight.dtype) for weight in saved.values()} == {
        {"fp32": "torch.float32", "bf16": "torch.bfloat16", "fp16": "torch.float16"}[dtype]
    }


@pytest.mark.parametrize("dtype", [slow("fp32"), slow("bf16"), "fp16"])
def test_a_run_that_resumes_ends_bit_for_bit_as_one_that_did_not_stop(dtype, tmp_path):
    args = ["--dtype", dtype, "--steps", "4", "--save-every", "2", "--sample-every", "9"]
    whole = train(PROGRAM, *args, "--output", str(tmp_path / "whole"))
    resumed = train(
        PROGRAM, *args, "--output", str(tmp_path / "again"), "--resume", str(tmp_path / "whole" / "checkpoint-2")
    )
    assert resumed == whole[2:]
    for file in ("unet/diffusion_pytorch_model.safetensors", "masters.safetensors"):
        one, two = (load_file(tmp_path / run / "checkpoint-4" / file) for run in ("whole", "again"))
        assert one.keys() == two.keys()
        assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_policy_holds_the_components_to_one_dtype(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *faults("generated-mask", "hard-coded-float", "noise-schedule")]
    assert named(check(PROGRAM, *args, machine="v100")) == {"generated-mask", "hard-coded-float", "noise-schedule"}
    assert not check(PROGRAM, *args, "--policy", "16-true", machine="v100").findings
    assert len(train(PROGRAM, *args, "--policy", "16-true")) == 2


@pytest.mark.slow
def test_fix_mends_a_mistake(tmp_path):
    args = [*SHORT, "--output", str(tmp_path / "out"), *faults("hard-coded-float")]
    program, mending = fixed(PROGRAM, *args, machine="v100", into=tmp_path / "fixed")
    assert not mending.after.findings
    assert len(train(program, *args)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "long", [pytest.param(0.0, id="as_if_long"), pytest.param(math.inf, id="as_if_short", marks=pytest.mark.minutes)]
)
def test_fix_mends_all_mistakes_at_once(long, tmp_path, monkeypatch):
    """Fixes are tried under other switches where a run is short."""
    monkeypatch.setattr(sys.modules["miscast.fixing.fixes.candidates"], "LONG", long)
    args = [*SHORT, "--output", str(tmp_path / "out"), *faults(*CASTS)]
    program, mending = fixed(PROGRAM, *args, machine="v100", into=tmp_path / "fixed")
    assert len(mending.fixed) == len(CASTS)
    assert "+    latent = ((noisy - (1 - alpha).sqrt() * noise) / alpha.sqrt()).to(noisy.dtype)" in mending.diff()
    assert not mending.unfixed
    assert not check(program, *args, machine="v100").findings
    assert len(train(program, *args)) == 2


@pytest.mark.slow
def test_under_its_plan_it_is_trained_to_the_losses_of_float32_within_the_error(tmp_path, monkeypatch, capsys):
    usual = ["--dtype", "fp32", "--images", "4"]
    plan = str(tmp_path / "plan.toml")
    words = ["--machine", "rtx4090", "--memory", "9.5M", "--error", "1e-2", "--seeds", "1", "--real-steps", "4"]
    words += ["--measure", " ".join(usual), "--apply", plan, "--format", "json"]
    assert main(["plan", *words, str(PROGRAM), *usual]) == 0
    chosen = json.loads(capsys.readouterr().out)["plan"]["chosen"]
    assert "bf16-true" in chosen["precisions"].values()
    assert 0 < chosen["error"] <= 1e-2

    losses = []
    backward = torch.Tensor.backward

    def noted(loss, *args, **kwargs):
        losses.append(loss.item())
        backward(loss, *args, **kwargs)

    monkeypatch.setattr(torch.Tensor, "backward", noted)
    usual += ["--steps", "4", "--output", str(tmp_path / "out")]
    train(PROGRAM, *usual)
    train(PROGRAM, *usual, "--policy", plan)
    exact, half = losses[:4], losses[4:]
    error = max(abs(a - b) / b for a, b in zip(half, exact, strict=True))
    assert 0 < error <= 1e-2
    assert error == pytest.approx(chosen["error"], rel=1)  # the twin's is of the same size
