"""SimpleTuner's issue 854 and its kind: lint tells what contradicts, check names what fails, the right one learns."""

from __future__ import annotations

import importlib
import runpy
import shutil
import statistics
from pathlib import Path

import pytest
import torch
from PIL import Image
from recipe import RECIPES, check, fixed, told, train
from safetensors.torch import load_file
from several_ranks import launched

from miscast.lint import fixing, lint

pytest.importorskip("diffusers")

FOLDER = RECIPES / "bf16_trainer"
PROGRAM = FOLDER / "train.py"
SHORT = [
    *("--images", "4", "--train_batch_size", "2"),
    *("--steps", "2", "--sample-every", "2", "--sampling-steps", "1"),
]
RAISED = "param.grad.data = param.grad.data.to(torch.float32)"
GRADIENTS = ["--gradient_precision=fp32", "--optimizer=adamw"]
FP16_VAE = ["--vae_dtype=fp16", "--fault", "fp16-vae"]
NORM = ["--fault", "float32-norm"]
POLICY = ["--policy", "bf16-true", "--optimizer=adamw"]


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


def config(name: str) -> list[str]:
    return ["--config", str(FOLDER / "configs" / name)]


def transformer(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "transformer" / "diffusion_pytorch_model.safetensors")


# Settings


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("report", [("gradient-dtype-unlike-parameters", "Expected BFloat16, got Float (in backward")]),
        ("one_process", [("gradient-dtype-unlike-parameters", "expected dtype c10::BFloat16 for `end`")]),
        ("float32", [("attention-needs-half", "No available kernel"), ("optimizer-demands-dtype", "only bfloat 16")]),
        ("average", [("average-in-half", "rounded away")]),
        ("sound", []),
    ],
)
def test_lint_tells_what_contradicts_before_anything_runs(name, found):
    findings = lint([str(FOLDER / "configs" / name)], "h100").report.findings
    assert sorted((f.rule, text) for f in findings for _, text in found if text in f.error) == sorted(found)
    assert len(findings) == len(found)


def test_lint_tells_of_a_machine_that_only_emulates_bfloat16():
    findings = lint([str(FOLDER / "configs" / "sound")], "v100").report.findings
    assert {finding.rule for finding in findings} == {"setting-not-on-machine"}


def test_what_stands_in_the_arguments_wins_over_variables_and_these_over_the_file(monkeypatch, tmp_path):
    read = runpy.run_path(str(FOLDER / "settings.py"))["read_settings"]
    (tmp_path / "config.json").write_text('{"mixed_precision": "no", "learning_rate": 1, "optimizer": "sgd"}')
    (tmp_path / "config.env").write_text(
        'export MIXED_PRECISION="bf16"\nexport TRAINER_EXTRA_ARGS="--optimizer=adamw"\n'
    )
    settings = read(["--config", str(tmp_path), "--learning_rate=2"])
    assert (settings.mixed_precision, settings.optimizer, settings.learning_rate) == ("bf16", "adamw", 2)
    monkeypatch.setenv("MIXED_PRECISION", "fp16")
    assert read([]).mixed_precision == "fp16"


# Mistakes, for real


def test_raised_gradients_die_as_reported_in_two_processes_and_lint_mends_them(tmp_path):
    configs = shutil.copytree(FOLDER / "configs" / "report", tmp_path / "configs")
    args = [*SHORT, "--config", str(configs), "--output", str(tmp_path / "out")]
    well, log = launched(PROGRAM, args, args, log=tmp_path / "log")
    assert not well
    assert "Expected BFloat16, got Float" in log
    outcome = lint([str(configs)])
    for file, fixes in fixing.safe(outcome.report.findings, outcome.runs).items():
        fixing.write(file, fixes)
    assert "--gradient_precision=unmodified" in (configs / "config.env").read_text()
    assert not lint([str(configs)]).report.findings
    well, log = launched(PROGRAM, args, args, log=tmp_path / "log")
    assert well
    assert log.count("loss") == 2


@pytest.mark.parametrize("optimizer", ["adamw", "adamw_bf16"])
def test_raised_gradients_die_in_adam_in_one_process(optimizer, tmp_path):
    with pytest.raises(RuntimeError, match="expected dtype c10::BFloat16 for `end` but got dtype float"):
        train(PROGRAM, *SHORT, *config("one_process"), f"--optimizer={optimizer}", "--output", str(tmp_path))


@pytest.mark.parametrize("optimizer", ["sgd", slow("adafactor")])
def test_other_optimizers_take_raised_gradients(optimizer, tmp_path):
    args = [*config("one_process"), f"--optimizer={optimizer}", "--output", str(tmp_path)]
    assert len(train(PROGRAM, *SHORT, *args)) == 2


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (["--dtype", "fp32"], AssertionError, "only bfloat 16 is supported"),
        (FP16_VAE, RuntimeError, r"Input type \(c10::Half\) and bias type \(c10::BFloat16\) should be the same"),
        (NORM, RuntimeError, "got query.dtype: float key.dtype: float and value.dtype: c10::BFloat16"),
        (["--dtype", "fp16", "--optimizer=adamw"], ValueError, "Attempting to unscale FP16 gradients"),
    ],
)
def test_the_rest_of_the_family_dies(args, error, text, tmp_path):
    with pytest.raises(error, match=text):
        train(PROGRAM, *SHORT, *args, "--output", str(tmp_path))


def test_an_average_in_bfloat16_stands_still_without_a_word(tmp_path):
    moved = {}
    for fault in ([], ["--fault", "half-average"]):
        shadows = []
        for steps in ("1", "4"):
            folder = str(tmp_path / steps)
            args = ["--steps", steps, "--use_ema", "--images", "4", "--output", folder, *fault]
            train(PROGRAM, *args)
            state = torch.load(f"{folder}/trainer.pt", weights_only=True)["average"]
            shadows.append(torch.cat([p.flatten() for p in state["shadow_params"]]))
        moved[bool(fault)] = (shadows[0] != shadows[1]).double().mean().item()
    assert moved[False] > 0.9
    assert moved[True] < 0.1


def test_check_tells_of_an_average_in_bfloat16(tmp_path):
    args = [*SHORT, "--use_ema", "--output", str(tmp_path)]
    assert not check(PROGRAM, *args, machine="h100").findings
    (finding,) = check(PROGRAM, *args, "--fault", "half-average", machine="h100").findings
    assert (finding.rule, finding.location.line) == ("update-absorbed", 162)
    assert "decay=0.9999" in finding.message


def test_small_updates_need_a_remainder_or_float32_copies(tmp_path):
    moved = {}
    for name, args in {"rounded away": ["--optimizer=adamw"], "remainder": [], "copies": POLICY}.items():
        weights = []
        for steps in ("1", "4"):
            folder = tmp_path / name / steps
            train(PROGRAM, *args, "--steps", steps, "--learning_rate=1e-5", "--images", "4", "--output", str(folder))
            weights.append(
                torch.cat([w.flatten() for n, w in sorted(transformer(folder).items()) if "pos_embed" not in n])
            )
        moved[name] = (weights[0] != weights[1]).double().mean().item()
    assert moved["rounded away"] < 0.5 * moved["copies"]
    assert moved["remainder"] > 0.9 * moved["copies"]


# Mistakes, on machines that do not exist


def test_check_names_all_lines_in_one_run(tmp_path):
    args = [*SHORT, *GRADIENTS, *FP16_VAE, *NORM, "--output", str(tmp_path)]
    report = check(PROGRAM, *args, machine="h100")
    found = {(finding.op, finding.line): finding.behind for finding in told(report)}
    (latents, norms, averages, gradients, decoded) = found.items()
    assert averages[0][0] == "AdamW"
    assert latents[0][0] == "conv2d"
    assert "vae.requires_grad_(False).to(device, vae_dtype)" in latents[1]
    assert norms[0][0] == "scaled_dot_product_attention"
    assert "module.to(torch.float32)" in norms[1]
    assert gradients[0] == ("_foreach_lerp_", "scaler.step(optimizer)")
    assert RAISED in gradients[1]
    assert decoded[0] == ("conv2d", "image = models.vae.decode(latent).sample")
    assert report.ended is None
    assert not report.unchecked


def test_check_names_raised_gradients_on_two_ranks(tmp_path):
    args = [*SHORT, *config("report"), "--output", str(tmp_path)]
    report = check(PROGRAM, *args, machine="2xh100", ranks=2)
    [finding] = [f for f in report.findings if f.consequence_of is None]
    assert finding.rule == "gradient-dtype-mismatch"
    assert finding.location.code == "scaler.scale(loss).backward()"
    assert finding.error == "Expected BFloat16, got Float"
    assert RAISED in {origin.location.code for o in finding.operands for origin in finding.origin(o).chain()}


def test_check_names_attention_without_a_kernel_for_float32(tmp_path):
    args = [*SHORT, *config("float32"), "--output", str(tmp_path)]
    report = check(PROGRAM, *args, "--optimizer=adamw", machine="h100")
    assert {(finding.rule, finding.op) for finding in report.findings} == {
        ("unsupported-dtype", "scaled_dot_product_attention")
    }
    half = check(PROGRAM, *args, "--optimizer=adamw", "--dtype", "bf16", machine="h100")
    assert {finding.rule for finding in half.findings} == {"state-in-half"}


@pytest.mark.parametrize(
    ("machine", "args"),
    [
        ("h100", [*config("sound"), "--use_ema"]),
        ("a100", [*POLICY, "--use_ema"]),
        slow("cpu", ["--dtype", "fp32", "--optimizer=adamw", "--autocast"]),
        slow("v100", ["--dtype", "fp16", "--vae_dtype=fp16", "--policy", "16-true", "--optimizer=adamw"]),
    ],
)
def test_the_right_program_is_right(machine, args, tmp_path):
    report = check(PROGRAM, *SHORT, *args, "--output", str(tmp_path), machine=machine)
    assert not report.findings
    assert report.ended is None


# What works


@pytest.mark.parametrize(
    ("dtype", "args"),
    [
        ("bf16", [*config("sound"), "--gradient_accumulation_steps=1"]),
        ("fp16", ["--dtype", "fp16", "--policy", "16-true", "--optimizer=adamw"]),
        slow("bf16", [*POLICY, *config("sound")]),
        slow("fp32", ["--dtype", "fp32", "--optimizer=adamw"]),
    ],
)
def test_it_learns_and_samples(dtype, args, tmp_path):
    args = [*args, "--use_ema", "--output", str(tmp_path), "--steps", "30", "--learning_rate=3e-3"]
    losses = train(PROGRAM, *args)
    assert statistics.mean(losses[-5:]) < 0.7 * statistics.mean(losses[:5])
    with Image.open(tmp_path / "sample-30.png") as image:
        assert image.size == (16, 16)
        assert len(set(image.getdata())) > 100
    assert {str(weight.dtype) for weight in transformer(tmp_path).values()} == {
        {"fp32": "torch.float32", "bf16": "torch.bfloat16", "fp16": "torch.float16"}[dtype]
    }


@pytest.mark.parametrize(
    "args",
    [["--use_ema"], [*POLICY, "--use_ema"], slow(["--dtype", "fp16", "--policy", "16-true", "--optimizer=adamw"])],
)
def test_a_run_that_resumes_ends_bit_for_bit_as_one_that_did_not_stop(args, tmp_path):
    whole, half, again = (tmp_path / name for name in ("whole", "half", "again"))
    args = [*args, "--images", "4", "--sample-every", "9"]
    losses = train(PROGRAM, *args, "--steps", "4", "--output", str(whole))
    first = train(PROGRAM, *args, "--steps", "2", "--output", str(half))
    rest = train(PROGRAM, *args, "--steps", "4", "--output", str(again), "--resume", str(half))
    assert first + rest == losses
    one, two = transformer(whole), transformer(again)
    assert all(torch.equal(one[name], two[name]) for name in one)
    averages = [torch.load(run / "trainer.pt", weights_only=True).get("average") for run in (whole, again)]
    if averages[0]:
        assert all(torch.equal(*pair) for pair in zip(*(a["shadow_params"] for a in averages), strict=True))


def test_gradient_checkpointing_changes_no_loss(tmp_path):
    args = [*SHORT, "--output", str(tmp_path)]
    assert train(PROGRAM, *args) == train(PROGRAM, *args, "--gradient_checkpointing")


def test_a_policy_mends_what_stands_in_code_and_takes_float32_gradients(tmp_path):
    args = [*SHORT, *POLICY, "--gradient_precision=fp32", *FP16_VAE, *NORM, "--output", str(tmp_path)]
    assert not check(PROGRAM, *args, machine="h100").findings
    assert len(train(PROGRAM, *args)) == 2


@pytest.mark.slow
def test_what_mends_raised_gradients_would_break_another_precision(tmp_path, monkeypatch):
    candidates = importlib.import_module("miscast.fixing.fixes.candidates")
    monkeypatch.setattr(candidates, "LONG", float("inf"))  # other switches are tried where a run is short
    args = ["--images", "2", "--steps", "1", "--sample-every", "9", *GRADIENTS, "--output", str(tmp_path / "out")]
    _, mending = fixed(PROGRAM, *args, machine="h100", into=tmp_path / "fixed")
    (unfixed,) = (one for one in mending.unfixed if one.finding.severity == "error")
    why = dict(unfixed.tried)["remove `.to(torch.float32)` at train.py:120"]
    assert why == "with --mixed_precision fp16: then GradScaler.unscale_ gets float16 gradients"
