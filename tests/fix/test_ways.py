"""What is proposed where, without running anything."""

from __future__ import annotations

from dataclasses import replace

import pytest

import traces
from miscast.core.event import Violation
from miscast.fixing.remedy.proposing import Sources, proposed
from reports import report

TEXT = """\
import torch
from torch import nn


class Data:
    def mask(self, n):
        half = self.dtype
        return torch.ones(n, 1, 64, 64)


def step(unet, latent):
    mask = torch.ones(latent.shape[0], 1, 64, 64)

    x = torch.cat([latent, mask], dim=1)
    return unet(x, x.shape[0])


unet = nn.Conv2d(5, 8, 3).half()
"""


def _titles(finding, scopes=None, *, nicest=True):
    changes = proposed(finding, scopes or {}, Sources({"train.py": TEXT.encode()}))
    return [change.variants[0 if nicest else -1].title for change in changes]


def _finding(call):
    (finding,) = report(call).findings
    return finding


def test_the_birth_comes_first_and_follows_the_tensor_that_it_meets():
    finding = _finding(traces.conv(15))
    assert _titles(finding)[0] == "pass dtype=latent.dtype to `torch.ones` at train.py:12"
    assert _titles(finding, nicest=False)[0] == "pass dtype=torch.float16 to `torch.ones` at train.py:12"


def test_names_that_are_known_not_to_be_odd_are_left_alone():
    finding = _finding(traces.conv(15))
    everything = _titles(finding)
    assert "cast `latent` at train.py:14: .to(mask.dtype)" in everything
    known = {("train.py", "main"): {"latent": "float16 cuda:0", "mask": "float32 cuda:0", "unet": "module"}}
    less = _titles(finding, known)
    assert not [title for title in less if "`latent`" in title]
    assert "cast `mask` at train.py:14: .to(latent.dtype)" in less


@pytest.mark.parametrize(
    ("birth", "reason"),
    [
        ("torch.ones(latent.shape[0], 1, 64, 64)", "later results are no longer float32"),
        ("torch.rand(latent.shape[0], 1, 64, 64)", "the random numbers are different in float16"),
    ],
)
def test_what_is_seen_before_the_call_that_failed_is_not_safe(birth, reason):
    born = traces.event("born", birth.partition("(")[0], "float32", 12, f"mask = {birth}")
    cat = traces.event("promoted", "cat", "float32", 14, "x = torch.cat([latent, mask], dim=1)", source=born)
    text = TEXT.replace("torch.ones(latent.shape[0], 1, 64, 64)", birth)
    first = proposed(_finding(traces.conv(15, origin=cat)), {}, Sources({"train.py": text.encode()}))[0]
    assert first.variants[0].title.startswith("pass ")
    assert (first.safe, first.reason) == (False, reason if "rand" in birth else first.reason)


@pytest.mark.parametrize(
    ("dtype", "safe"),
    [("int64", True), ("float32", False)],
)
def test_whole_numbers_are_the_same_wherever_they_are_counted(dtype, safe):
    text = "import torch\nw = net.weight\ni = torch.arange(4)\ny = w[i]\n"
    made = traces.event("born", "torch.arange", dtype, 3, "i = torch.arange(4)", device="cpu")
    there = traces.event("born", "torch.rand", "float32", 2, "w = net.weight")
    operands = [
        traces.operand("self", "float32", there, moved=there),
        traces.operand("index", dtype, made, device="cpu", moved=made),
    ]
    broken = Violation(kind="device", odd=("index",), like="self", expected="cuda:0", error="two devices")
    call = traces.call("embedding", operands, broken, traces.at(4, "y = w[i]"))
    changes = proposed(_finding(call), {}, Sources({"train.py": text.encode()}))
    born = next(change for change in changes if "torch.arange" in change.variants[0].title)
    assert born.safe is safe


def test_no_device_is_drawn_on_or_written_into_a_program_that_computes_elsewhere():
    text = 'import torch\nx = torch.rand(4, device="cuda")\nm = torch.rand(4)\ny = x + m\n'
    made = traces.event("born", "torch.rand", "float32", 3, "m = torch.rand(4)", device="cpu")
    there = traces.event("born", "torch.rand", "float32", 2, 'x = torch.rand(4, device="cuda")')
    operands = [
        traces.operand("self", "float32", there, moved=there),
        traces.operand("other", "float32", made, device="cpu", moved=made),
    ]
    broken = Violation(kind="device", odd=("other",), like="self", expected="cuda:0", error="two devices")
    call = traces.call("add", operands, broken, traces.at(4, "y = x + m"))
    changes = proposed(_finding(call), {}, Sources({"train.py": text.encode()}))
    born = next(change for change in changes if "torch.rand" in change.variants[0].title and change.line == 3)
    assert (born.safe, born.reason) == (False, "the random numbers are different on another device")
    assert not [s.title for change in changes for s in change.variants if '"cpu"' in s.title]
    moved = next(change for change in changes if change.variants[0].title.startswith("move `m` at"))
    assert moved.safe


def test_a_policy_is_the_last_resort():
    finding = _finding(traces.conv(15))
    changes = proposed(finding, {}, Sources({"train.py": TEXT.encode()}))
    last = changes[-1]
    assert last.variants[0].title == 'add `miscast.apply(unet, "32-true")` after train.py:18'
    data = last.variants[0].write()
    assert data is not None
    lines = data.decode().splitlines()
    assert lines[:3] == ["import torch", "import miscast", "from torch import nn"]
    assert lines[-1] == 'miscast.apply(unet, "32-true")'


def test_nothing_is_cast_where_an_optimizer_is_made():
    finding = _finding(traces.conv(15))
    used = "cast `x` at train.py:15: .half()"
    assert used in _titles(finding, nicest=False)
    stepped = replace(finding, rule="state-in-half")
    assert _titles(stepped)
    assert used not in _titles(stepped, nicest=False)


def test_a_file_that_cannot_be_read_gets_no_change():
    assert proposed(_finding(traces.conv(15)), {}, Sources({})) == []


@pytest.mark.parametrize("known", [{}, {"dtype": "float32"}, {"half": "float16"}])
def test_a_name_for_a_dtype_is_taken_if_it_fits(known):
    text = TEXT.replace("latent.shape[0]", "8").replace("latent, mask", "z, mask")
    text = text.replace("    mask =", "    half, dtype = dtypes\n    mask =").replace("def step", "def main")
    finding = _finding(traces.conv(16))
    changes = proposed(finding, {("train.py", "main"): known}, Sources({"train.py": text.encode()}))
    titles = [variant.title for change in changes for variant in change.variants]
    assert ("cast `x` at train.py:16: .to(dtype)" in titles) is (known.get("dtype") != "float32")


def _of_two_devices(text, line, known):
    """Return the titles for an addition on a line of `text`, of a tensor on the GPU and one on the CPU."""
    made = traces.event("born", "torch.ones", "float32", 2, "m = torch.ones(4)", device="cpu")
    there = traces.event("born", "torch.rand", "float32", 2, "x = torch.rand(4)")
    operands = [
        traces.operand("self", "float32", there, moved=there),
        traces.operand("other", "float32", made, device="cpu", moved=made),
    ]
    broken = Violation(kind="device", odd=("other",), like="self", expected="cuda:0", error="two devices")
    call = traces.call("add", operands, broken, traces.at(line, text.splitlines()[line - 1].strip()))
    scopes = {("train.py", "main"): known}
    changes = proposed(_finding(call), scopes, Sources({"train.py": text.encode()}))
    return [variant.title for change in changes for variant in change.variants]


GIVEN = "import torch\nfrom here import my_device\nimport set_device\ndef pick_device(args):\n    return args.where\n"


@pytest.mark.parametrize("args", [True, False])
def test_a_function_that_gives_a_device_is_called(args):
    """Not the function itself is the device, nor an imported module, nor a call with a name that is not there."""
    other = "def other(args):\n    return torch.ones(4, device=pick_device(args))\n"
    text = f"{GIVEN}{other}def main(x, m{', args' if args else ''}):\n    return x + m.reshape(4)\n"
    titles = _of_two_devices(text, 9, {"x": "float32 cuda:0", "m": "float32 cpu"})
    assert any(".to(pick_device(args))" in title for title in titles) is args
    assert not [title for title in titles if ".to(pick_device)" in title or "(set_device)" in title]


def test_a_list_is_not_moved():
    text = "import torch\ndef main(x, m):\n    parts = []\n    put(parts, x + m)\n    return x + m\n"
    titles = _of_two_devices(text, 4, {"x": "float32 cuda:0", "m": "float32 cpu"})
    assert any("`m`" in title for title in titles)
    assert not [title for title in titles if "parts" in title]


def test_a_device_is_not_asked_for_its_device():
    text = "import torch\ndef main(x, m, device):\n    return place(x, device) + m.reshape(4)\n"
    titles = _of_two_devices(text, 3, {"x": "float32 cuda:0", "m": "float32 cpu", "device": "cuda:0"})
    assert any(".to(device)" in title for title in titles)
    assert not [title for title in titles if "device.device" in title or "torch.device" in title]


def test_a_part_of_a_tensor_is_where_the_tensor_is():
    text = "import torch\ndef main(x, m):\n    return x[:2] + m[:2]\n"
    titles = _of_two_devices(text, 3, {"x": "float32 cuda:0", "m": "float32 cpu"})
    assert any("`m[:2]`" in title for title in titles)
    assert [title for title in titles if "`x[:2]`" in title] == ["move `x[:2]` at train.py:3: .to(m.device)"]


@pytest.mark.parametrize(("base", "registers"), [("nn.Module", True), ("Dataset", False), ("Base", True)])
def test_only_a_module_registers_a_buffer(base, registers):
    text = (
        f"import torch\nfrom torch import nn\nclass Base(nn.Module): pass\nclass Net({base}):\n"
        "    def __init__(self):\n        self.m = torch.ones(4)\n"
        "    def main(self, x):\n        return x + self.m\n"
    )
    titles = _of_two_devices(text, 8, {"x": "float32 cuda:0", "self.m": "float32 cpu"})
    assert any("register_buffer" in title for title in titles) is registers
