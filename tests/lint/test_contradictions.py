"""Each contradiction is found at its line and column, with its effect, and not after the case's fix."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from miscast.lint import fixing, lint
from miscast.lint.rules import known

sys.path.insert(0, str(Path(__file__).parent))

import cases

from sweep import sweep

CASES = cases.every()
FIXED = {
    "diffusers: a half VAE, float32 pictures",
    "onetrainer: uniform half dtypes with VAE, and a generated mask",
    "onetrainer: the same with masks for some images only",
    "onetrainer: uniform half and inpaint sampling",
    "onetrainer: embedding dtype ≠ text encoder dtype with output embedding",
    "onetrainer: bf16 everywhere with DoRA, autocast off",
    "onetrainer: bf16 and saving debug images",
    "simpletuner: gradient_precision=fp32, bf16 parameters, DDP, accumulation",
    "simpletuner: the same without DDP and an Adam of torch's",
    "simpletuner: gradient_precision=fp32 with an optimizer outside its table",
    "simpletuner: mixed_precision=fp8 without CUDA",
    "accelerate: mixed_precision: fp32",
    "accelerate: a bare no is a boolean",
    "accelerate: fp8 on an old GPU becomes fp16",
    "deepspeed: loss_scale boolean",
    "transformers: tf32 before Ampere",
    "machine: allow_tf32 in code",
    "vae: OneTrainer's SDXL in FLOAT_16",
    "numbers: bf16 gradients reduced in fp16",
    "numbers: DeepSpeed's loss_scale of 1",
    "onetrainer: uniform half",
    "axolotl: tf32 on v100",
    "deepspeed: loss_scale dynamic",
    "deepspeed: loss_scale_window 0",
    "deepspeed: min_loss_scale 0",
    "environment: fp32",
    "machine: matmul precision high on t4",
    "machine: tf32 in code on t4",
    "machine: tf32 on Gaudi",
    "onetrainer: fallback fp16",
    "onetrainer: nf4 lora",
    "onetrainer: tf32 on T4",
    "onetrainer: train_dtype float8",
    "simpletuner: gradient precision, whole file",
    "xflux: float32 by name",
}


def written(folder, files):
    """Write the files without the mark; (file, line, column) of the mark."""
    place = None
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        before, mark, _ = text.partition("▸")
        if mark:
            place = (str(file), before.count("\n") + 1, len(before) - before.rfind("\n"))
        file.write_text(text.replace("▸", ""), encoding="utf-8")
    return place


@sweep("case", CASES)
def test_it_is_found_where_it_stands_with_what_happens(case, tmp_path):
    it = CASES[case]
    place = written(tmp_path, it.files)
    found = [f for f in lint([str(tmp_path)], it.machine).report.findings if f.rule == it.rule]
    at = [(f.location.file, f.location.line, f.location.column) for f in found]
    assert place in at, f"{it.rule} at {at}"
    finding = found[at.index(place)]
    assert it.says in finding.error
    assert finding.severity == it.severity
    assert finding.fixes[0].title
    others = {os.path.basename(related.location.file) for related in finding.related}
    assert others >= set(it.also)
    assert all(related.location.line and related.location.column for related in finding.related)


@sweep("case", [name for name, case in CASES.items() if case.fix])
def test_mended_it_is_found_no_more(case, tmp_path):
    it = CASES[case]
    old, new = it.fix
    files = {name: text.replace("▸", "").replace(old, new) for name, text in it.files.items()}
    assert files != {name: text.replace("▸", "") for name, text in it.files.items()}, "the fix changes nothing"
    written(tmp_path, files)
    assert [f.message for f in lint([str(tmp_path)], it.machine).report.findings if f.rule == it.rule] == []


def _fixed(it, folder):
    written(folder, it.files)
    outcome = lint([str(folder)], it.machine)
    planned = fixing.safe((f for f in outcome.report.findings if f.rule == it.rule), outcome.runs)
    for file, fixes in planned.items():
        fixing.write(file, fixes)
    return bool(planned)


def test_what_is_fixed_and_what_needs_a_person(tmp_path):
    """`lint --fix` fixes exactly these cases."""
    fixed = set()
    for index, (name, it) in enumerate(CASES.items()):
        folder = tmp_path / str(index)
        if _fixed(it, folder):
            fixed.add(name)
            left = [f.message for f in lint([str(folder)], it.machine).report.findings if f.rule == it.rule]
            assert left == [], name
    assert fixed == FIXED


def test_every_rule_has_a_case_and_its_twin_that_must_not_be_found():
    names = {rule.name for rule in known()}
    assert names == {case.rule for case in CASES.values()}
    assert names == {case.rule for case in CASES.values() if case.fix}


@sweep("rule", [rule for rule in known() if rule.conflicts], ids=lambda rule: rule.name)
def test_every_contradiction_that_is_data_has_a_case(rule, tmp_path):
    """Of contradictions that several systems share, one is enough: they are one line in the rule."""
    said = set()
    for index, case in enumerate(case for case in CASES.values() if case.rule == rule.name):
        folder = tmp_path / str(index)
        written(folder, case.files)
        for run in lint([str(folder)], case.machine).runs:
            said |= {c.says for c in rule.conflicts if run.view(c.system) and c.when(run.view(c.system), run)}
    assert {conflict.says for conflict in rule.conflicts} - said == set()


@sweep("rule", known(), ids=lambda rule: rule.name)
def test_a_page_has_its_parts(rule):
    parts = [line[3:] for line in rule.page.splitlines() if line.startswith("## ")]
    assert parts == ["What it does", "Why is this bad?", "Example", "Use instead", "Fix safety"]
    assert rule.summary.endswith(".")
