"""OmniLMM's issue 318 and its kind: what is misplaced or in the wrong dtype is named and mended; the right learns."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest
import torch
from recipe import RECIPES, check, fixed, output, train
from safetensors.torch import load_file
from several_ranks import launched

from miscast import MismatchError

pytest.importorskip("peft")
pytest.importorskip("accelerate")

PROGRAM = RECIPES / "multimodal_lora" / "train.py"
ANSWER = RECIPES / "multimodal_lora" / "answer.py"
SHORT = ["--images", "4", "--batch-size", "2", "--steps", "2", "--questions", "1"]
MACHINE = "2xa100"

# A fault: the options with which it shows, what it is about, the op, the line that fails, and one that is the cause.
FAULTS = {
    "tower-in-list": (
        [], "device", "conv2d", "x = self.patch_embed(pixel_values)", "self.vision_tower = [vision_tower]",
    ),
    "forward-features": (
        ["--offload"], "device", "conv2d", "x = self.patch_embed(pixel_values)", "_, self.hook = cpu_offload_with_hook",
    ),
    "plain-pos-embed": (
        [], "device", "add", "found, _ = self.attn(", "self.pos_embed = sine_positions(grid, width)",
    ),
    "type-forgets-device": (
        [], "device", "conv2d", "x = self.patch_embed(pixel_values)", "return pixel_values.type(dtype)",
    ),
    "lora-float32": (
        [], "dtype", "linear", "return self.llm(inputs_embeds=", "rows = nn.init.orthogonal_(",
    ),
    "one-modality": (
        [], "dtype", "conv2d", "x = self.patch_embed(pixel_values)",
        "return {name: tensor.to(device) for name, tensor in batch.items()}",
    ),
    "amp-optimizer": (
        [], "dtype", "GradScaler.unscale_", "scaler.unscale_(optimizer)", "resampler = Resampler(",
    ),
}  # fmt: skip
TOGETHER = ("tower-in-list", "plain-pos-embed", "lora-float32", "one-modality", "amp-optimizer")
MISPLACED = ("tower-in-list", "forward-features", "type-forgets-device")  # no dtype is wrong: a CPU does not mind
HALF_AND_FLOAT = r"expected m(at)?1 and m(at)?2 to have the same dtype, but got: float != c10::Half|got Float and Half"
CONVOLUTION = r"Input type \(float\) and bias type \(c10::Half\) should be the same"
DEATHS = {
    "tower-in-list": (
        ["--weights", "fp32"], RuntimeError, r"Input type \(c10::Half\) and bias type \(float\) should be the same",
    ),
    "plain-pos-embed": ([], RuntimeError, HALF_AND_FLOAT),
    "lora-float32": ([], RuntimeError, HALF_AND_FLOAT),
    "one-modality": ([], RuntimeError, CONVOLUTION),
    "amp-optimizer": ([], ValueError, "Attempting to unscale FP16 gradients."),
}  # fmt: skip


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


def faults(*names: str) -> list[str]:
    return [arg for name in names for arg in ("--fault", name)]


def line(place) -> str:
    return Path(place.file).read_text().splitlines()[place.line - 1].strip()


def causes(finding) -> set[str]:
    """The lines that a finding gives for what is odd: where it was made and changed, and where its name was set."""
    origins = [origin for operand in finding.operands if (origin := finding.origin(operand))]
    places = [event.location for origin in origins for event in origin.chain() if event.location]
    return {line(place) for place in [*places, *(r.location for r in finding.related if r.label == "defined at")]}


def named(report) -> set[str]:
    """The faults that a report names: op and line that fail, and the cause."""
    found = set()
    for finding in report.findings:
        for name, (_, about, op, fails, cause) in FAULTS.items():
            there = finding.about == about and finding.op == op and line(finding.location).startswith(fails)
            if there and finding.consequence_of is None and any(text.startswith(cause) for text in causes(finding)):
                found.add(name)
    return found


@pytest.mark.parametrize("fault", DEATHS)
def test_each_mistake_dies_as_reported(fault, tmp_path):
    """What is misplaced on a GPU is in the wrong dtype here: `.to(device, dtype)` did not reach it."""
    options, kind, message = DEATHS[fault]
    with pytest.raises(kind, match=message):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), *options, *faults(fault))


def test_a_cpu_does_not_mind_what_is_only_misplaced(tmp_path):
    assert len(train(PROGRAM, *SHORT, "--output", str(tmp_path), "--offload", *faults(*MISPLACED))) == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("tower-in-list", r'vision_tower\["patch_embed.weight"\]: float32 on cpu, but expected float16 on cpu'),
        ("plain-pos-embed", r'resampler\["pos_embed"\]: float32 on cpu, but expected float16 on cpu'),
        ("lora-float32", r"q_proj.lora_A.default.weight.*: float32 on cpu, but expected float16 on cpu"),
        ("one-modality", r'batch\["pixel_values"\]: float32 on cpu, but vision_tower expects float16 on cpu'),
        ("amp-optimizer", r'optimizer\["resampler.query"\]: float16 on cpu, but expected float32 on cpu'),
    ],
)
def test_the_checks_at_the_entry_name_it_ahead_of_the_first_step(fault, told, tmp_path):
    options, *_ = DEATHS[fault]
    with pytest.raises(MismatchError, match=told):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), "--expect", *options, *faults(fault))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("tower-in-list", 'vision_tower["pos_embed"]: float16 on cpu, but expected float16 on cuda:0'),
        ("plain-pos-embed", 'resampler["pos_embed"]: float32 on cpu, but expected float16 on cuda:0'),
    ],
)
def test_they_tell_devices_too(fault, told, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), "--expect", *faults(fault), machine=MACHINE)
    assert told in (report.ended or "")


@pytest.mark.parametrize("fault", FAULTS)
def test_check_names_the_line(fault, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *FAULTS[fault][0], *faults(fault), machine=MACHINE)
    assert named(report) == {fault}
    assert report.ended is None
    assert not report.unchecked


def test_check_has_the_words_of_the_report(tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *faults("tower-in-list"), machine=MACHINE)
    told = "Input type (torch.cuda.HalfTensor) and weight type (torch.HalfTensor) should be the same"
    assert report.findings[0].error == told
    assert "with `nn.ModuleList([" in report.findings[0].fixes[0].title


def test_check_names_all_lines_in_one_run(tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *faults(*TOGETHER), machine=MACHINE)
    assert named(report) == set(TOGETHER)
    assert {finding.op for finding in report.findings if finding.consequence_of is None} == {
        FAULTS[fault][2] for fault in TOGETHER
    }


def test_autocast_hides_dtypes_but_no_devices(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--autocast"]
    wrong = faults("plain-pos-embed", "lora-float32", "one-modality")
    found = check(PROGRAM, *args, *wrong, machine=MACHINE)
    assert named(found) == {"plain-pos-embed"}
    assert {finding.about for finding in found.findings} == {"device"}
    hidden = check(PROGRAM, *args, *wrong, machine=MACHINE, strict=True)
    assert named(hidden) >= {"plain-pos-embed", "one-modality"}
    assert ("linear", True) in {(f.op, line(f.location).startswith("return self.llm(")) for f in hidden.findings}
    assert not check(PROGRAM, *args, machine=MACHINE, strict=True).findings


@pytest.mark.parametrize(
    ("machine", "options"),
    [
        (MACHINE, ["--expect"]),
        (MACHINE, ["--dtype", "bf16", "--offload"]),
        (MACHINE, ["--weights", "fp32"]),
        ("v100", ["--autocast"]),
        ("cpu", ["--dtype", "fp32"]),
        ("cpu", []),
        (MACHINE, ["--offload", *faults("tower-in-list")]),  # its hook moves it wherever it is kept
        (MACHINE, faults("forward-features")),  # without a hook nothing is passed by
    ],
)
def test_the_right_program_is_right(machine, options, tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *options, machine=machine)
    assert not report.findings
    assert report.ended is None


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
def test_it_learns_and_answers(dtype, tmp_path):
    args = ["--output", str(tmp_path), "--dtype", dtype]
    losses = train(PROGRAM, *args, "--expect")
    assert statistics.mean(losses[-5:]) < 0.2 * statistics.mean(losses[:5])
    rows = [json.loads(row) for row in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert statistics.mean(row["said"] == row["answer"] for row in rows) > 0.8
    saved = load_file(tmp_path / "adapter.safetensors")
    assert {str(weight.dtype) for weight in saved.values()} == {
        {"fp32": "torch.float32", "bf16": "torch.bfloat16", "fp16": "torch.float16"}[dtype]
    }
    assert {name.partition(".")[0] for name in saved} == {"llm", "resampler"}

    (row, *_) = rows
    adapter, image = str(tmp_path / "adapter.safetensors"), str(tmp_path / "data" / row["image"])
    assert output(ANSWER, adapter, image, row["question"], "--dtype", dtype).strip() == row["said"]


@pytest.mark.parametrize("dtype", [slow("fp32"), slow("bf16"), "fp16"])
def test_a_run_that_resumes_ends_bit_for_bit_as_one_that_did_not_stop(dtype, tmp_path):
    args = ["--dtype", dtype, "--questions", "1"]
    whole = train(PROGRAM, *args, "--steps", "4", "--output", str(tmp_path / "whole"))
    half = train(PROGRAM, *args, "--steps", "2", "--output", str(tmp_path / "half"))
    rest = train(PROGRAM, *args, "--steps", "4", "--output", str(tmp_path / "rest"), "--resume", str(tmp_path / "half"))
    assert half + rest == whole
    for file in ("adapter.safetensors", "masters.safetensors"):
        one, two = (load_file(tmp_path / run / file) for run in ("whole", "rest"))
        assert one.keys() == two.keys()
        assert all(torch.equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize("fault", sorted({*FAULTS} - {"plain-pos-embed", "lora-float32"}))
def test_a_policy_holds_the_parts_together(fault, tmp_path):
    options = [*FAULTS[fault][0], *faults(fault), "--policy", "16-true", "--output", str(tmp_path)]
    assert not check(PROGRAM, *SHORT, *options, machine=MACHINE).findings
    assert len(train(PROGRAM, *SHORT, *options)) == 2


def test_a_policy_mends_for_real_what_a_cpu_can_show(tmp_path):
    wrong = ["--weights", "fp32", *faults("tower-in-list", "one-modality", "amp-optimizer")]
    args = ["--output", str(tmp_path), *wrong, "--policy", "16-true"]
    assert not check(PROGRAM, *SHORT, *args, machine="cpu").findings
    losses = train(PROGRAM, *args, "--steps", "20", "--questions", "1")
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [
        {
            "tower-in-list": "self.vision_tower = nn.ModuleList([vision_tower])",
            "plain-pos-embed": 'else:\n            self.register_buffer("pos_embed", sine_positions(grid, width), '
            "persistent=False)",
        },
        {"lora-float32": "nn.init.orthogonal_(torch.empty_like(module.weight, dtype=torch.float32)).to("},
    ],
)
def test_fix_mends_a_mistake(written, tmp_path):
    short = ["--images", "2", "--batch-size", "2", "--steps", "1", "--questions", "1"]
    args = [*short, "--output", str(tmp_path / "out"), *faults(*written)]
    program, mending = fixed(PROGRAM, *args, machine=MACHINE, into=tmp_path / "fixed")
    assert not mending.after.findings
    assert not mending.unfixed
    texts = [file.read_text() for file in program.parent.glob("*.py")]
    assert all(any(line in text for text in texts) for line in written.values())
    assert len(train(program, *args)) == 1


def test_two_ranks_are_right_and_each_on_a_device_of_its_own(tmp_path):
    args = [*SHORT, "--expect", "--output", str(tmp_path)]
    report = check(PROGRAM, *args, machine=MACHINE, ranks=2)
    assert not report.findings
    assert report.ended is None
    forgotten = check(PROGRAM, *SHORT, "--output", str(tmp_path), *faults("device-forgotten"), machine=MACHINE, ranks=2)
    assert [finding.rule for finding in forgotten.findings] == ["device-shared-by-ranks"]
    told = check(PROGRAM, *args, *faults("device-forgotten"), machine=MACHINE, ranks=2).ended
    assert "two ranks are on one device" in (told or "")


def test_two_ranks_name_what_one_does(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *faults("tower-in-list", "lora-float32")]
    report = check(PROGRAM, *args, machine=MACHINE, ranks=2)
    assert named(report) == {"tower-in-list", "lora-float32"}


@pytest.mark.parametrize("dtype", ["fp16", slow("bf16")])
def test_two_processes_learn_together(dtype, tmp_path):
    args = ["--expect", "--dtype", dtype, "--steps", "12", "--questions", "1", "--output", str(tmp_path)]
    well, log = launched(PROGRAM, args, args, log=tmp_path / "log")
    assert well, log
    losses = [float(row.split()[-1]) for row in log.splitlines() if row.startswith("step ")]
    assert len(losses) == 12
    assert losses[-1] < 0.5 * losses[0]
    refused, log = launched(PROGRAM, args, [*args, "--dtype", "fp32"], log=tmp_path / "log")
    assert not refused
    assert "ValueError: the ranks differ" in log
