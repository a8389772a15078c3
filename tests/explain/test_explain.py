"""Logs of any kind in, explanations out: streams, hostile lines, exceptions, the command line."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import subprocess
import sys
import tracemalloc

import pytest

import miscast
from miscast.cli import main
from miscast.explanation import explained, explained_stream, scan
from miscast.explanation.line import cleaned
from miscast.explanation.recognise import recognise
from miscast.report.text import show

MESSAGE = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    out = unet(x.float())
  File "/opt/lib/python3.10/site-packages/diffusers/models/embeddings.py", line 192, in forward
    sample = self.linear_1(sample)
{MESSAGE}
"""
NOTEBOOK = f"""\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[5], line 3
      1 model = model.half()
----> 3 loss = model(batch)

File ~/env/lib/python3.11/site-packages/torch/nn/modules/linear.py:125, in Linear.forward(self, input)
    124 def forward(self, input: Tensor) -> Tensor:
--> 125     return F.linear(input, self.weight, self.bias)

{MESSAGE}
"""
RICH = """\
╭─────────────────── Traceback (most recent call last) ───────────────────╮
│ /home/me/train.py:773 in <module>                                       │
│                                                                         │
│ ❱ 773 │   train(args)                                                   │
╰─────────────────────────────────────────────────────────────────────────╯
RuntimeError: Expected all tensors to be on the same device, but found at
least two devices, cuda:0 and cpu! (when checking argument for argument mat2
in method wrapper_CUDA_mm)
"""


def test_lines_that_differ_by_a_hash_are_read_as_one_kind(monkeypatch):
    asked = []
    monkeypatch.setattr(scan, "recognise", lambda text, **how: asked.append(text) or recognise(text, **how))
    lines = "".join(
        f"saved {random.Random(n).getrandbits(40):010x} in model-{n}.safetensors\n" for n in range(500)
    )
    found = explained_stream(io.BytesIO((lines + MESSAGE + "\n" + lines).encode()))
    assert [one.category for one in found] == [explained(MESSAGE)[0].category]
    assert len(asked) < 20


@pytest.mark.parametrize("place", [100, 30_000, 59_000])
def test_a_message_among_lines_that_only_hashes_tell_apart(place):
    """In any block: the lines before it said nothing, and are skipped by then."""
    chosen = random.Random(3)
    lines = [
        f"saved /runs/{chosen.getrandbits(32):08x}/model-{n}.safetensors, dtype torch.float16, {chosen.random()}"
        for n in range(60_000)
    ]
    lines[place] = MESSAGE
    (found,) = explained_stream(io.BytesIO("\n".join(lines).encode()))
    assert found.lines == (place + 1, place + 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_message_among_lines_of_other_ranks(end):
    ranks = [f"[rank{n % 7}]: step {n}, half of the tensors" for n in range(2000)]
    ranks[1500] = f"[rank9]: {MESSAGE}"
    ranks[1499] = '[rank9]:   File "train.py", line 12, in <module>'
    ranks[900] = "[rank9]: Traceback (most recent call last):"
    (found,) = explained_stream(io.BytesIO((end.join(ranks) + end).encode()))
    assert found.location.line == 12


def test_a_traceback():
    [found] = explained(TRACEBACK)
    assert (found.category, found.op) == ("dtype-mismatch", "linear")
    assert [(o.name, o.role, o.dtype) for o in found.operands] == [
        ("mat1", "activation", "float32"),
        ("mat2", "weight", "float16"),
    ]
    assert (found.location.file, found.location.line) == ("/home/me/train.py", 12)
    assert (found.location.code, found.library) == ("out = unet(x.float())", "diffusers")
    assert any("x.float()" in evidence for evidence in found.causes[0].evidence)
    assert any(text.startswith("diffusers:") for text in found.help)
    assert found.lines == (6, 6)


def test_a_notebook():
    [found] = explained(NOTEBOOK)
    assert (found.location.file, found.location.line, found.location.code) == (
        "Cell In[5]",
        3,
        "loss = model(batch)",
    )


def test_rich_and_wrapped_at_the_terminal():
    [found] = explained(RICH)
    assert (found.category, found.op) == ("device-mismatch", "matmul")
    assert {o.device for o in found.operands} == {"cuda:0", "cpu"}
    assert (found.location.line, found.location.code) == (773, "train(args)")


@pytest.mark.parametrize(
    ("raw", "rank", "text"),
    [
        ("\x1b[31m2024-01-02 03:04:05,678 [rank3]: boom\x1b[0m", "3", "boom"),
        ("[default7]:boom", "7", "boom"),
        ("node-0: boom", "node-0", "boom"),
        ("[1,5]<stderr>: boom", "1,5", "boom"),
        ("trainer-0  | boom", "trainer-0", "boom"),
        ("> > boom", "", "boom"),
        ("plain: boom", "", "plain: boom"),
    ],
)
def test_prefixes(raw, rank, text):
    line = cleaned(raw)
    assert (line.rank, line.text) == (rank, text)


def test_ranks_and_steps_are_counted():
    log = "".join(f"[rank{rank}]: {line}\n" for line in TRACEBACK.splitlines() for rank in range(64))
    [found] = explained(log * 3)
    assert found.count == 192
    assert len(found.said_by) == 64
    assert found.location.line == 12


def test_different_places_stay_apart():
    first, second = explained(TRACEBACK + TRACEBACK.replace("line 12", "line 40"))
    assert (first.location.line, second.location.line) == (12, 40)


def test_gzip_and_utf16():
    assert explained_stream(io.BytesIO(gzip.compress(TRACEBACK.encode())))
    assert explained_stream(io.BytesIO(TRACEBACK.encode("utf-16")))


HOSTILE = {
    "one word": b"a" * (1 << 20),
    "anchors": b"RuntimeError: expected dtype tensor device type " * 22000,
    "half a message": b"expected scalar type " * 50000,
    "whole messages": b"expected scalar type Half but found Float " * 25000,
    "brackets": b"(" * (1 << 20),
    "quotes": b'File "' * 175000,
    "escapes": b"\x1b[" * 500000,
    "digits": b"1" * (1 << 20) + b" dtype",
    "spaces": b" " * (1 << 20) + b"dtype",
    "returns": b"dtype\r" * 170000,
    "nested ranks": b"[rank1]: " * 110000 + b"dtype",
    "frames": b'  File "a.py", line 1, in f\n' * 40000 + b"RuntimeError: expected scalar type Half but found Float",
    "gaps": b"No operator found for memory_efficient_attention_forward float dtype= " * 15000,
    "bytes": bytes(range(256)) * 4096,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_of(kind):
    """Each is done in a second or two; what takes the square of it does not end."""
    report = explained_stream(io.BytesIO(HOSTILE[kind]))
    assert len(report.findings) == (kind in ("whole messages", "frames"))


class _Long(io.RawIOBase):
    """An endless training log, `size` bytes of it, never in memory."""

    def __init__(self, size):
        self.left, self.at = size, 0
        lines = (f"[rank{n % 64}]: step {n} loss {n % 7}.25 lr 1e-4 12.{n % 10} it/s\n" for n in range(20000))
        self.text = "".join(lines).encode()

    def readable(self):
        return True

    def readinto(self, buffer):
        count = min(len(buffer), self.left, len(self.text) - self.at)
        buffer[:count] = self.text[self.at : self.at + count]
        self.at = (self.at + count) % len(self.text)
        self.left -= count
        return count


def test_memory_does_not_grow_with_the_log():
    peaks = []
    for size in (8 << 20, 48 << 20):
        tracemalloc.start()
        assert not explained_stream(io.BufferedReader(_Long(size), 1 << 20))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.2
    assert peaks[1] < 16 << 20


def test_an_exception_with_its_chain():
    torch = pytest.importorskip("torch")

    def step():
        try:
            torch.mm(torch.ones(2, 2), torch.ones(2, 2).half())
        except RuntimeError as error:
            raise ValueError("the step failed") from error

    with pytest.raises(ValueError, match="step failed") as caught:
        step()
    [found] = miscast.explain(caught.value)
    assert (found.category, found.location.function) == ("dtype-mismatch", "step")
    assert "torch.mm" in found.location.code
    assert "miscast inside" in miscast.explain(caught.value)._repr_html_()


def test_the_command_line(tmp_path, capsys):
    log = tmp_path / "train.log"
    log.write_text(TRACEBACK)
    assert main(["explain", str(log)]) == 1
    text = capsys.readouterr().out
    assert "linear mixes float32 `mat1` with float16 `mat2`" in text
    assert max(map(len, text.splitlines())) <= 80
    assert main(["explain", "--format", "json", str(log)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == 1
    [one] = report["explanations"]
    assert {"category", "error", "op", "operands", "location", "causes", "help", "count", "lines"} <= set(one)
    assert {"name", "role", "dtype", "device"} <= set(one["operands"][0])
    log.write_text("step 1 loss 2.0\n")
    assert main(["explain", str(log)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["explain", str(tmp_path / "none.log")]) == 2
    assert "cannot read" in capsys.readouterr().err
    log.write_bytes(gzip.compress(TRACEBACK.encode())[:-9])
    assert main(["explain", str(log)]) == 2


def test_an_error_in_quotes_is_no_file(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half"
    assert main(["explain", said]) == 1
    assert "linear mixes float32 `mat1` with float16 `mat2`" in capsys.readouterr().out
    (tmp_path / said).write_text("all is well\n", encoding="utf-8")
    assert main(["explain", said]) == 0  # a file of that name is read


def test_stdin_without_torch():
    code = "import sys; sys.modules['torch'] = None; from miscast.cli import main; sys.exit(main(['explain']))"
    ran = subprocess.run([sys.executable, "-c", code], input=MESSAGE, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "dtype-mismatch" in ran.stdout


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_colour_and_a_pipe_the_same_text_without(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    found = explained("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half")
    terminal, pipe = _Terminal(), io.StringIO()
    show(found, terminal)
    show(found, pipe)
    assert "\x1b[1;31mdtype-mismatch\x1b[0m" in terminal.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()) == pipe.getvalue() == str(found)
