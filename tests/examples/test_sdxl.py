"""The demo tells all mistakes of the report that it rebuilds, at their lines, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from miscast.api import check_program
from miscast.report import Report

pytest.importorskip("diffusers")
pytestmark = pytest.mark.slow  # whichever comes first runs the demo

EXAMPLE = Path(__file__).parents[2] / "examples" / "sdxl_fp16.py"

# What fails, where (a text of the line), the odd operand's module, and the lines behind the two dtypes that disagree.
MISTAKES = [
    (
        "linear", "return models.unet(", "models.unet.time_embedding.linear_1",
        {"unet_input = torch.cat(", "return torch.ones(1,", "unet.to(device).half()"},
    ),
    (
        "conv2d", "image = models.vae.decode(", "models.vae.post_quant_conv",
        {"return (noisy - (1 - alpha)", "vae.to(device).half()"},
    ),
    ("conv2d", "return (kernel(mask) > 0.99)", "kernel", {"kernel = nn.Conv2d(1, 1, size"}),
]  # fmt: skip
CONSEQUENCES = [("conv2d", "return models.unet(", 0)]
CORRECTIONS = [
    ("ones(1, self.resolution, self.resolution)", "ones(1, self.resolution, self.resolution, dtype=self.dtype)"),
    ("alphas_cumprod.to(models.device)", "alphas_cumprod.to(models.device, models.dtype)"),
    ("bias=False, device=mask.device)", "bias=False, device=mask.device, dtype=mask.dtype)"),
]


def line_of(text: str) -> int:
    lines = [n for n, line in enumerate(EXAMPLE.read_text().splitlines(), start=1) if text in line]
    assert len(lines) == 1, text
    return lines[0]


@pytest.fixture(scope="module")
def report() -> Report:
    return check_program(str(EXAMPLE), machine="v100-32")


def test_it_tells_each_mistake_once(report):
    told = [f for f in report.findings if f.consequence_of is None]
    assert [(f.op, f.location.line, f.location.module) for f in told] == [
        (op, line_of(text), module) for op, text, module, _ in MISTAKES
    ]
    assert {(f.rule, f.severity, f.about) for f in told} == {("operand-dtype-mismatch", "error", "dtype")}
    assert report.ended is None
    assert not report.unchecked


def test_it_folds_consequences(report):
    assert [
        (f.op, f.location.line, f.consequence_of) for f in report.findings if f.consequence_of is not None
    ] == [(op, line_of(text), cause) for op, text, cause in CONSEQUENCES]


def test_its_stories_begin_where_the_dtype_was_chosen(report):
    told = [f for f in report.findings if f.consequence_of is None]
    for finding, (_, _, _, texts) in zip(told, MISTAKES, strict=True):
        behind = {
            event.location.line
            for operand in finding.operands
            if (origin := finding.origin(operand))
            for event in origin.chain()
            if event.location
        }
        assert {line_of(text) for text in texts} <= behind


def test_with_each_mistake_put_right_it_is_silent(tmp_path):
    source = EXAMPLE.read_text()
    for wrong, right in CORRECTIONS:
        assert source.count(wrong) == 1, wrong
        source = source.replace(wrong, right)
    (tmp_path / EXAMPLE.name).write_text(source)
    report = check_program(str(tmp_path / EXAMPLE.name), ["--sampling-steps", "1"], machine="v100-32")
    assert not report.findings
    assert report.ended is None
