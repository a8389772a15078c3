"""CogVLM's issue 282: mistakes die as reported, check names them on all ranks, a policy mends them; parts learn."""

from __future__ import annotations

import json
import re
import shutil
import statistics

import pytest
import torch
from recipe import RECIPES, check, fixed, told, train
from several_ranks import launched

PROGRAM = RECIPES / "vqa_multi_gpu" / "train.py"
ANSWER = RECIPES / "vqa_multi_gpu" / "answer.py"
SHORT = ["--images", "3", "--batch-size", "2", "--steps", "2", "--save-every", "9"]
HALF_INPUT = "image = image.to(torch.bfloat16 if args.bf16 else torch.float16)"
MODEL_CAST = "model.to(device, model_dtype(args))"
IMAGE_CAST = "image = image.to(model_dtype(args))"
KEPT_BIAS = "parameter.data = parameter.data.float()"
BOTH = ["--fp16", "--bf16", "--fault", "both-switches"]

# A mistake: how the program is started, what torch says of it on a CPU, and the lines behind what fails.
FAULTS = {
    "two-way-test": (
        ["--fault", "two-way-test"],
        r"Input type \(c10::Half\) and bias type \(float\) should be the same",
        {HALF_INPUT, "self.patch_embedding = nn.Conv2d(3, width, patch, patch)"},
    ),
    "both-switches": (
        [*BOTH, "--fault", "two-way-test"],
        r"Input type \(c10::BFloat16\) and bias type \(c10::Half\) should be the same",
        {HALF_INPUT, MODEL_CAST},
    ),
    "float32-bias": (
        ["--fp16", "--fault", "float32-bias"],
        r"Input type \(c10::Half\) and bias type \(float\) should be the same",
        {KEPT_BIAS, MODEL_CAST},
    ),
}  # fmt: skip


def slow(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_mistake_dies_as_reported(fault, tmp_path):
    args, message, _ = FAULTS[fault]
    with pytest.raises(RuntimeError, match=message):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), *args)


def test_with_a_switch_the_two_way_test_is_right(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--fp16", "--fault", "two-way-test"]
    assert len(train(PROGRAM, *args)) == 2


def test_both_switches_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        train(PROGRAM, *SHORT, "--output", str(tmp_path), "--fp16", "--bf16")
    assert "--fp16 or --bf16, not both" in capsys.readouterr().err


def test_a_rank_that_was_started_otherwise_dies_or_is_refused(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--fp16"]
    otherwise = [*args, "--fault", "one-rank-otherwise"]
    well, log = launched(PROGRAM, otherwise, otherwise, log=tmp_path / "log")
    assert not well
    assert "Received data size doesn't match expected size" in log
    well, log = launched(PROGRAM, args, [arg for arg in args if arg != "--fp16"], log=tmp_path / "log")
    assert not well
    assert "rank 1 was started in torch.float32, rank 0 in torch.float16: give all the same switch" in log


@pytest.mark.parametrize("fault", FAULTS)
def test_check_names_the_lines(fault, tmp_path):
    args, _, lines = FAULTS[fault]
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *args, machine="a100")
    first, *others = told(report)
    assert (first.op, first.line, others) == ("conv2d", "x = self.patch_embedding(image)", [])
    assert lines <= first.behind
    assert report.ended is None
    assert not report.unchecked


def test_check_names_all_mistakes_of_all_ranks_in_one_run(tmp_path):
    """Started without a switch, but for the last rank: half inputs there, a float32 bias and another dtype here."""
    faults = ["--fault", "two-way-test", "--fault", "one-rank-otherwise", "--fault", "float32-bias"]
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), *faults, machine="4xv100", ranks=4)
    found = {(finding.op, finding.ranks): one for finding, one in zip(report.causes, told(report), strict=True)}
    assert HALF_INPUT in found["conv2d", (0, 1, 2)].behind
    assert KEPT_BIAS in found["conv2d", (3,)].behind
    assert found["all_reduce", (0, 1, 2, 3)].line in ("dist.all_reduce(x)", "dist.all_reduce(gradient)")
    assert {op for op, _ in found} == {"conv2d", "all_reduce", "all_gather"}
    first = next(finding for finding in report.causes if finding.rule == "collective-dtype-mismatch")
    assert first.message == "all_reduce gets float16 on rank 3 but float32 on ranks 0-2"
    assert report.ended is None


def test_check_names_the_rank_that_was_started_otherwise_once(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--fp16", "--fault", "one-rank-otherwise"]
    report = check(PROGRAM, *args, machine="2xv100", ranks=2)
    (finding,) = report.causes
    assert finding.message == "all_reduce gets float32 on rank 1 but float16 on rank 0"
    assert told(report)[0].behind >= {IMAGE_CAST}
    assert len(report.findings) == 3  # gradients, and the logits, are the same mistake


@pytest.mark.parametrize(
    ("machine", "ranks", "options"),
    [
        ("4xv100", 4, ["--fp16"]),
        ("v100", 0, []),
        ("2xa100", 2, ["--bf16"]),
        slow("2xv100", 2, []),
        slow("2xv100", 2, ["--fp16", "--autocast"]),
    ],
)
def test_the_right_program_is_right(machine, ranks, options, tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *options]
    report = check(PROGRAM, *args, machine=machine, ranks=ranks, strict="--autocast" in options)
    assert not report.findings
    assert report.ended is None
    assert ranks == 0 or report.matched > 40


def test_emulated_bfloat16_is_told(tmp_path):
    report = check(PROGRAM, *SHORT, "--output", str(tmp_path), "--bf16", machine="v100")
    assert [(f.rule, f.severity) for f in report.causes] == [("dtype-not-on-machine", "warning")]


def test_autocast_hides_the_half_input_and_strict_tells(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), "--fp16", "--autocast", "--fault", "float32-bias"]
    assert not check(PROGRAM, *args, machine="v100").findings
    hidden = check(PROGRAM, *args, machine="v100", strict=True)
    assert KEPT_BIAS in told(hidden)[0].behind


@pytest.mark.parametrize("switch", [[], slow(["--bf16"]), ["--fp16"]], ids=str)
def test_it_learns_and_answers(switch, tmp_path):
    args = ["--output", str(tmp_path), "--images", "48", *switch]
    losses = train(PROGRAM, *args, "--steps", "60", "--save-every", "60")
    assert statistics.mean(losses[-5:]) < 0.3 * statistics.mean(losses[:5])
    saved = ["--checkpoint", str(tmp_path / "checkpoint-60")]
    train(ANSWER, "--output", str(tmp_path), "--images", "12", *switch, *saved)
    assert right(tmp_path) >= 14  # of 24; 8 by chance


def right(folder):
    """How many answers are right."""
    said, true = (json.loads((folder / name).read_text()) for name in ("answers.json", "asked/answers.json"))
    assert said.keys() == true.keys()
    return sum(said[name][kind] == text for name in true for kind, text in true[name].items())


@pytest.mark.parametrize(("ranks", "switch"), [(4, []), slow(4, ["--fp16"]), slow(2, ["--bf16"])])
def test_several_ranks_compute_what_one_does(ranks, switch, tmp_path):
    args = ["--output", str(tmp_path), "--images", "12", "--batch-size", "4", "--steps", "8", "--save-every", "8"]
    args += switch
    alone = train(PROGRAM, *args)
    well, log = launched(PROGRAM, *[args] * ranks, log=tmp_path / "log")
    assert well, log
    together = [float(number) for number in re.findall(r"loss (\S+)", log)]
    assert together == pytest.approx(alone, rel=0.05 if switch else 1e-3)
    assert together[-1] < 0.7 * together[0]

    answering = ["--output", str(tmp_path), "--images", "3", "--checkpoint", str(tmp_path / "checkpoint-8"), *switch]
    well, log = launched(ANSWER, *[answering] * ranks, log=tmp_path / "log")
    assert well, log
    assert f"{right(tmp_path)} of 6 answers are right" in log


@pytest.mark.parametrize(("ranks", "switch"), [slow(1, []), slow(1, ["--bf16"]), (1, ["--fp16"]), (2, ["--fp16"])])
def test_a_run_that_resumes_ends_bit_for_bit_as_one_that_did_not_stop(ranks, switch, tmp_path):
    args = ["--images", "6", "--batch-size", "2", "--steps", "4", "--save-every", "2", *switch]
    resumed = ["--output", str(tmp_path / "again"), "--resume", str(tmp_path / "whole" / "checkpoint-2")]
    for more in (["--output", str(tmp_path / "whole")], resumed):
        if ranks == 1:
            assert len(train(PROGRAM, *args, *more)) == (2 if more is resumed else 4)
        else:
            well, log = launched(PROGRAM, *[[*args, *more]] * ranks, log=tmp_path / "log")
            assert well, log
    for rank in range(ranks):
        file = f"checkpoint-4/rank-{rank}-of-{ranks}.pt"
        one, two = (torch.load(tmp_path / run / file, weights_only=True) for run in ("whole", "again"))
        assert one["model"].keys() == two["model"].keys()
        assert all(torch.equal(one["model"][name], two["model"][name]) for name in one["model"])
        masters = zip(one["masters"]["masters"], two["masters"]["masters"], strict=True)
        assert all(torch.equal(master, other) for master, other in masters)


def test_a_policy_holds_all_ranks_to_one_dtype(tmp_path):
    faults = ["--fault", "two-way-test", "--fault", "one-rank-otherwise", "--fault", "float32-bias"]
    args = [*SHORT, "--output", str(tmp_path), *faults, "--policy", "16-true"]
    assert not check(PROGRAM, *args, machine="4xv100", ranks=4).findings
    well, log = launched(PROGRAM, args, args, log=tmp_path / "log")
    assert well, log
    assert len(re.findall(r"loss \d", log)) == 2


def test_a_policy_decides_between_both_switches(tmp_path):
    args = [*SHORT, "--output", str(tmp_path), *BOTH, "--policy", "16-true"]
    assert not check(PROGRAM, *args, machine="4xv100", ranks=4).findings
    assert len(train(PROGRAM, *args)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", [pytest.param("two-way-test", marks=pytest.mark.minutes), "float32-bias"])
def test_fix_mends_a_mistake(fault, tmp_path):
    args = [*SHORT, "--output", str(tmp_path / "out"), *FAULTS[fault][0]]
    program, mending = fixed(PROGRAM, *args, machine="v100", into=tmp_path / "fixed")
    assert not mending.after.findings
    assert not mending.unfixed
    assert not check(program, *args, machine="4xv100", ranks=4).findings
    assert len(train(program, *args)) == 2


@pytest.mark.slow
def test_images_that_are_too_large_are_told_before_the_run(tmp_path):
    """18 billion parameters on four V100 of 16 GB: images of 1120 × 1120 fit, those of 2240 × 2240 do not."""
    args = ["--size", "real", "--fp16", "--images", "2", "--batch-size", "1", "--output", str(tmp_path)]
    fits = check(ANSWER, *args, machine="4xv100", ranks=4)
    assert not fits.findings
    assert fits.ended is None
    assert len(on_gpus(fits)) == 4
    assert all(8 << 30 < one.parameters < one.peak < one.capacity for one in on_gpus(fits))
    shutil.rmtree(tmp_path)
    large = check(ANSWER, *args, "--fault", "native-resolution", machine="4xv100", ranks=4)
    assert [(finding.rule, finding.ranks) for finding in large.causes] == [("memory-exceeds-device", (0, 1, 2, 3))]
    assert "attention = scores.softmax" in told(large)[0].line
    for one, fit in zip(on_gpus(large), on_gpus(fits), strict=True):
        assert one.activations > 8 * fit.activations  # four times the patches, each with all the others


def on_gpus(report):
    return [memory for memory in report.memory if memory.device != "cpu"]
