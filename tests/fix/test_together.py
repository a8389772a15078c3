"""Findings that no change mends alone: one is looked for upon another that brought it forward."""

from __future__ import annotations

STATES = """\
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.lstm = nn.LSTM(size, size, batch_first=True)

    def forward(self, x):
        hidden = torch.zeros(1, x.size(0), self.size)
        cell = torch.zeros(1, x.size(0), self.size)
        return self.lstm(x, (hidden, cell))[0]


net = Tagger(8).cuda().half()
net(torch.randn(2, 4, 8, device="cuda").half()).sum()
"""


def test_both_states_of_an_lstm_follow_what_enters_it(fix):
    mending = fix(STATES, "a100")
    assert (mending.after.findings, mending.unfixed) == ((), ())
    new = mending.files[next(iter(mending.files))][1].decode()
    assert new.count("torch.zeros(1, x.size(0), self.size, dtype=x.dtype, device=x.device)") == 2
    dtype = next(one for one in mending.fixed if one.finding.about == "dtype")
    assert dtype.fix.title.count("dtype=x.dtype") == 2
    assert ", and " in dtype.fix.title
    assert [edit.start_line for edit in mending.own(dtype)] == [12]  # two lines that follow each other are one edit
    assert dtype.fix.safe


ATTENTION = """\
import torch
import torch.nn.functional as F
from torch import nn

from prompts import prompts


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(8, 8)
        self.out = nn.Linear(8, 8)

    def forward(self, x):
        key, value, mask = prompts(x)
        return self.out(F.scaled_dot_product_attention(self.query(x), key, value, mask))


net = Attend().cuda().half()
net(torch.randn(2, 4, 8, device="cuda").half()).sum()
"""
PROMPTS = """\
import torch


def prompts(x):
    key = torch.ones(2, 4, 8, device=x.device)
    value = torch.full((2, 4, 8), 0.5, device=x.device)
    mask = torch.zeros(2, 4, 4, device=x.device)
    return key, value, mask
"""


def test_births_in_another_file_that_the_call_does_not_see(fix):
    mending = fix({"main.py": ATTENTION, "prompts.py": PROMPTS}, "a100")
    assert mending.after.findings == ()
    ((path, (_, new)),) = mending.files.items()
    assert path.endswith("main.py")  # one line there, for two at the births
    assert new.decode().count(".to(x.dtype)") == 2  # a float32 mask is none of torch's business here


TWO_FILES = """\
import torch
from torch import nn

from states import cell

net = nn.LSTM(8, 8).cuda()
x = torch.randn(4, 2, 8, device="cuda")
hidden = torch.zeros(1, 2, 8)
net(x, (hidden, cell(x)))
"""
CELL = """\
import torch


def cell(x):
    return torch.zeros(1, x.size(1), x.size(2))
"""


def test_changes_of_two_files_are_one_fix(fix):
    mending = fix({"main.py": TWO_FILES, "states.py": CELL}, "a100")
    assert mending.after.findings == ()
    (fixed,) = mending.fixed
    assert sorted(path.rpartition("/")[2] for path in mending.files) == ["main.py", "states.py"]
    assert sorted(edit.file.rpartition("/")[2] for edit in fixed.fix.edits) == ["main.py", "states.py"]
    assert "device=x.device" in mending.diff()
    assert mending.diff().count("+++ ") == 2


def test_the_same_text_in_two_files_is_two_changes(fix):
    state = "import torch\n\n\ndef state(x):\n    return torch.zeros(1, x.size(1), x.size(2))\n"
    main = "import torch\nimport one\nimport two\n\nx = torch.randn(4, 2, 8, device='cuda')\n"
    main += "torch.nn.LSTM(8, 8).cuda()(x, (one.state(x), two.state(x)))\n"
    mending = fix({"main.py": main, "one.py": state, "two.py": state}, "a100")
    assert mending.after.findings == ()
    assert sorted(path.rpartition("/")[2] for path in mending.files) == ["one.py", "two.py"]


AVERAGE = """\
import copy

import torch

model = torch.nn.Linear(4, 4, dtype=torch.bfloat16)
average = copy.deepcopy(model).float()
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(2, 4, dtype=torch.bfloat16)).float().sum().backward()
optimizer.step()
with torch.no_grad():
    average.weight.lerp_(model.weight.half(), 0.1)
"""


def test_what_mends_an_error_needs_no_change_for_a_warning_beside_it(fix):
    """With a float32 model for the warning, dropping `.half()` would do."""
    mending = fix(AVERAGE, "cpu")
    first = mending.fixed[0]
    assert (first.finding.rule, first.finding.severity) == ("operand-dtype-mismatch", "error")
    assert first.fix.title.startswith("replace `.half()` with `.to(average.weight.dtype)`")


TWO_CAUSES = """\
import torch
from torch import nn

vae_dtype, dtype = torch.float16, torch.bfloat16
vae = nn.Linear(4, 4)
vae.to("cuda", vae_dtype)
net = nn.Linear(4, 4).to("cuda", dtype)
net(vae(torch.ones(2, 4, device="cuda", dtype=vae.weight.dtype)))
net(torch.ones(2, 4, device="cuda"))
vae(torch.ones(2, 4, device="cuda", dtype=dtype))
"""


def test_a_finding_goes_with_the_first_fix_that_ends_it(fix):
    mending = fix(TWO_CAUSES, "a100")
    assert mending.after.findings == ()
    assert [(one.finding.location.line, [f.location.line for f in one.also]) for one in mending.fixed] == [
        (8, [10]),
        (9, []),
    ]
