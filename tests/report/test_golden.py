"""What commands and formats print, byte for byte."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import traces
from miscast import __version__
from miscast.cli import main
from miscast.core.finding import Edit, Fix
from miscast.fixing.fixes.mend import Fixed, Mending, Unfixed
from miscast.fixing.fixes.telling import reported
from miscast.report import formats, renderer
from pages import PROGRAM, most
from reports import full, report

GOLDEN = Path(__file__).parent / "golden"
LOG = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    out = unet(x.float())
  File "/opt/lib/python3.10/site-packages/diffusers/models/embeddings.py", line 192, in forward
    sample = self.linear_1(sample)
RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half
[rank1]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
[rank3]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""
SETTINGS = """\
output_dir: o
per_device_train_batch_size: 1
fp16: true     # half
bf16: true
tf32: true  # fast
"""


def mending() -> Mending:
    """What `fix` came to: a finding that is mended, and one that is not."""
    before = full()
    change = Edit(file="train.py", start_line=12, end_line=12, replacement="mask = torch.ones(n, 1, dtype=x.dtype)")
    fix = Fix(title="pass dtype=x.dtype to `torch.ones` at train.py:12", safe=True, verified=True, edits=(change,))
    reason = "a constant that every dtype holds, and nothing computes with it before it meets the other operand"
    tried = tuple((f"cast `input` at train.py:{line}", "still: linear mixes") for line in range(14))
    return Mending(
        before=before,
        after=report(traces.stray()),
        fixed=(Fixed(finding=before.findings[0], fix=fix, reason=reason, tried=6),),
        unfixed=(Unfixed(finding=before.findings[2], tried=tried), Unfixed(finding=before.findings[-1], tried=())),
        trials=9,
        stopped="the time limit",
        others=("--fast",),
    )


def told(command: str, form: str) -> str:
    """What a command prints, in the current folder."""
    if command == "fix":
        return renderer(form)(reported(mending(), written=False)).rstrip("\n") + "\n"
    out = io.StringIO()
    Path("train.log").write_text(LOG, encoding="utf-8")
    Path("train.yaml").write_text(SETTINGS, encoding="utf-8")
    arguments = {"explain": ["train.log"], "lint": ["--machine", "v100", "train.yaml"]}[command]
    with redirect_stdout(out):
        assert main([command, "--format", form, *arguments]) == 1
    return out.getvalue()


def drawn(form: str) -> str:
    """All that a format tells, in the current folder; of a page what is its own."""
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    text = renderer(form)(most())
    return re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1></\1>", text) if form == "html" else text


def anywhere(text: str) -> str:
    """The text without the version and the folder."""
    return text.replace(__version__, "VERSION").replace(Path.cwd().as_uri(), "file:///FOLDER")


@pytest.mark.parametrize("command", ["explain", "fix", "lint"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_what_a_command_prints(command, form, tmp_path, monkeypatch, golden):
    monkeypatch.chdir(tmp_path)
    golden(GOLDEN / f"{command}.{form}", anywhere(told(command, form)))


@pytest.mark.parametrize("form", formats())
def test_all_that_a_format_tells(form, tmp_path, monkeypatch, golden):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("linecache.cache", {})
    golden(GOLDEN / f"most.{form}", anywhere(drawn(form)))
