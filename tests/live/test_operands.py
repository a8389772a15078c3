"""Programs that die on a CPU: the operands with role, shape, path and the lines that gave them their dtype."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from running import explanations

pytest.importorskip("torch")


@dataclass(frozen=True, kw_only=True)
class Dies:
    """A program, and what must be told of it. An operand: (name, role, dtype, device, shape, path, its lines)."""

    source: str
    category: str
    operands: tuple = ()
    op: str | None = None
    module: str | None = None
    line: int | None = None
    causes: str = ""
    help: str = ""
    extra: dict = field(default_factory=dict)


CASES = {
    "a promoted input": Dies(
        source="""\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    def forward(self, x):
        return self.inner(x)
net = Net().half()
latent = torch.randn(3, 4, dtype=torch.float16)
noise = torch.ones(3, 4)
noisy = latent + noise
net(noisy)
""",
        category="dtype-mismatch", op="linear", module="net.inner.0", line=8,
        operands=(
            ("mat1", "activation", "float32", "cpu", [3, 4], "x", ["promoted by add:12", "created by torch.ones:11"]),
            ("mat2", "weight", "float16", "cpu", [8, 4], "net.inner.0.weight", ["cast by nn.Module.half:9"]),
            ("bias", "bias", "float16", "cpu", [8], "net.inner.0.bias", ["cast by nn.Module.half:9"]),
        ),
        causes="`x` is float32, promoted by add at program.py:12; "
        "`weight` is float16, cast by nn.Module.half at program.py:9",
        help="dtype=torch.float16",
    ),
    "NumPy's doubles in a convolution": Dies(
        source="""\
import numpy as np
import torch
model = torch.nn.ModuleDict({"stem": torch.nn.Conv2d(3, 4, 3)})
batch = {"pixels": torch.from_numpy(np.ones((1, 3, 8, 8)))}
model["stem"](batch["pixels"])
""",
        category="dtype-mismatch", op="conv2d", module="model.stem", line=5,
        operands=(
            ("input", "activation", "float64", "cpu", [1, 3, 8, 8], "input", ["created by torch.from_numpy:4"]),
            ("bias", "bias", "float32", "cpu", [4], "model.stem.bias", ["created by torch.empty:3"]),
            ("weight", "weight", "float32", "cpu", [4, 3, 3, 3], "model.stem.weight", ["created by torch.empty:3"]),
        ),
    ),
    "a query of another dtype": Dies(
        source="""\
import torch
import torch.nn.functional as F
def attend(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)
q = torch.randn(1, 2, 4, 8)
k = q.to(torch.bfloat16)
attend(q, k, k)
""",
        category="dtype-mismatch", op="sdpa", line=4,
        operands=(
            ("query", "activation", "float32", "cpu", [1, 2, 4, 8], "q", ["created by torch.randn:5"]),
            ("key", "activation", "bfloat16", "cpu", [1, 2, 4, 8], "k", ["cast by Tensor.to:6"]),
        ),
        causes="`q` is float32, created by torch.randn at program.py:5",
    ),
    "another device": Dies(
        source="""\
import torch
lin = torch.nn.Linear(4, 4, device="meta")
x = torch.randn(2, 4)
lin(x)
""",
        category="device-mismatch", module="lin", line=4,
        operands=(
            ("weight", "weight", "float32", "meta", [4, 4], "lin.weight", ["created by torch.empty:2"]),
            ("input", "activation", "float32", "cpu", [2, 4], "x", ["created by torch.randn:3"]),
            ("bias", "bias", "float32", "meta", [4], "lin.bias", ["created by torch.empty:2"]),
        ),
    ),
    "a dtype without a kernel": Dies(
        source="import torch\nscores = torch.arange(4)\nscores.softmax(0)\n",
        category="unsupported-dtype", op="softmax", line=3,
        operands=(("scores", "", "int64", "cpu", [4], "scores", ["created by torch.arange:2"]),),
    ),
    "a number that does not fit": Dies(
        source="""\
import torch
scores = torch.zeros(2, 2, dtype=torch.float16)
scores.masked_fill(torch.ones(2, 2, dtype=torch.bool), -1e9)
""",
        category="overflow-nan", op="masked_fill", line=3,
        operands=(("scores", "activation", "float16", "cpu", [2, 2], "scores", ["created by torch.zeros:2"]),),
    ),
    "half gradients at a scaler": Dies(
        source="""\
import torch
model = torch.nn.Linear(4, 4).half()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(model(torch.ones(2, 4).half()).sum()).backward()
scaler.step(optimizer)
""",
        category="grad-scaler", op="GradScaler.unscale_", line=6,
    ),
    "autocast without its device": Dies(
        source="""\
import warnings
import torch
warnings.simplefilter("error")
with torch.autocast("cuda", dtype=torch.float16):
    pass
""",
        category="precision-config", line=4,
    ),
    "inside backward": Dies(
        source="""\
import torch
y = torch.ones(3)
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, grad):
        return torch.dot(grad, y)
x = torch.ones(3, dtype=torch.float16, requires_grad=True)
Twice.apply(x).mul(1).sum().backward()
""",
        category="dtype-mismatch", op="dot", line=9,
        operands=(
            ("grad", "gradient", "float16", "cpu", [3], "grad", []),
            ("y", "activation", "float32", "cpu", [3], "y", ["created by torch.ones:2"]),
        ),
    ),
    "in a DataLoader's worker": Dies(
        source="""\
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        wide, narrow = torch.ones(2, 3), torch.ones(3, 2).half()
        return torch.mm(wide, narrow)
if __name__ == "__main__":
    for batch in torch.utils.data.DataLoader(Data(), num_workers=1):
        pass
""",
        category="dtype-mismatch", op="matmul", line=7,
        operands=(
            ("mat1", "activation", "float32", "cpu", [2, 3], "wide", ["created by torch.ones:6"]),
            ("mat2", "activation", "float16", "cpu", [3, 2], "narrow", ["cast by Tensor.half:6"]),
        ),
    ),
    "in a pool's worker, once": Dies(
        source="""\
import multiprocessing, torch
def work(dtype):
    return torch.mm(torch.ones(2, 2), torch.ones(2, 2, dtype=dtype))
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(work, [torch.float16])
""",
        category="dtype-mismatch", op="matmul", line=3,
    ),
    "a gradient that is set": Dies(
        source="""\
import torch
net = torch.nn.Linear(2, 2)
net.weight.grad = torch.ones(2, 2, dtype=torch.float16)
""",
        category="dtype-mismatch", line=3,
        operands=(
            ("gradient", "gradient", "float16", "cpu", [2, 2], "torch.ones(2, 2, dtype=torch.float16)",
             ["created by torch.ones:3"]),
            ("parameter", "weight", "float32", "cpu", [2, 2], "net.weight", ["created by torch.empty:2"]),
        ),
    ),
    "raised from another": Dies(
        source="""\
import torch
a, b = torch.ones(2), torch.ones(2).double()
try:
    torch.dot(a, b)
except RuntimeError as error:
    raise ValueError(f"step 3 failed: {error}") from error
""",
        category="dtype-mismatch", op="dot", line=4,
        operands=(
            ("a", "activation", "float32", "cpu", [2], "a", ["created by torch.ones:2"]),
            ("b", "activation", "float64", "cpu", [2], "b", ["cast by Tensor.double:2"]),
        ),
    ),
    "a thread": Dies(
        source="""\
import sys, threading, torch
def work():
    a, b = torch.ones(2), torch.ones(2).double()
    torch.dot(a, b)
thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.exit(3)
""",
        category="dtype-mismatch", op="dot", line=4,
        operands=(
            ("a", "activation", "float32", "cpu", [2], "a", ["created by torch.ones:3"]),
            ("b", "activation", "float64", "cpu", [2], "b", ["cast by Tensor.double:3"]),
        ),
    ),
    "printed by the program, which then leaves": Dies(
        source="""\
import sys, traceback, torch
a, b = torch.ones(2), torch.ones(2).double()
try:
    torch.dot(a, b)
except RuntimeError:
    traceback.print_exc()
    sys.exit(3)
""",
        category="dtype-mismatch", op="dot", line=4,
    ),
    "weights from a file": Dies(
        source="""\
import torch
linear = torch.nn.Linear(2, 2)
torch.save({"weight": torch.ones(2, 2).half(), "bias": torch.ones(2).half()}, "weights.pt")
state = torch.load("weights.pt")
linear.load_state_dict(state, assign=True)
x = torch.ones(1, 2)
linear(x)
""",
        category="dtype-mismatch", op="linear", module="linear", line=7,
        operands=(
            ("mat1", "activation", "float32", "cpu", [1, 2], "x", ["created by torch.ones:6"]),
            ("mat2", "weight", "float16", "cpu", [2, 2], "linear.weight", ["loaded by torch.load:4"]),
            ("bias", "bias", "float16", "cpu", [2], "linear.bias", ["loaded by torch.load:4"]),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_told(name, tmp_path):
    case = CASES[name]
    (tmp_path / "program.py").write_text(case.source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert found["category"] == case.category
    assert found["location"]["line"] == case.line
    assert case.op in (None, found["op"])
    assert found["module"] == case.module
    if case.operands:
        told = [
            (
                *(operand[key] for key in ("name", "role", "dtype", "device", "shape", "path")),
                [f"{since['how']}:{since['line']}" for since in operand["since"]],
            )
            for operand in found["operands"]
        ]
        assert told[: len(case.operands)] == [(name, role or None, *rest) for name, role, *rest in case.operands]
    assert case.causes in found["causes"][0]["text"]
    assert any(case.help in text for text in found["help"])


NOT_OURS = {
    "shapes": "import torch\ntorch.nn.Linear(3, 3)(torch.ones(2, 4))\n",
    "a key": "raise KeyError('expected scalar type Half but found Float')\n",
    "a message in the source alone": "import torch\n1 / 0  # expected scalar type Half but found Float\n",
    "an interrupt": "raise KeyboardInterrupt('expected scalar type Half but found Float')\n",
    "an error that was handled": """\
import sys, torch
try:
    torch.dot(torch.ones(2), torch.ones(2).half())
except RuntimeError:
    pass
sys.exit(3)
""",
}


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_not_told(name, tmp_path):
    (tmp_path / "program.py").write_text(NOT_OURS[name], encoding="utf-8")
    assert explanations(tmp_path, "program.py") == []


PRETRAINED = """\
import torch
from transformers import BertConfig, BertModel
sizes = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, vocab_size=10)
BertModel(BertConfig(**sizes)).half().save_pretrained("bert")
model = BertModel.from_pretrained("bert", dtype=torch.float16)
class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = model.embeddings.LayerNorm
        self.linear = torch.nn.Linear(8, 8).requires_grad_(False)
        self.linear.weight = model.pooler.dense.weight
    def forward(self, given):
        x = given + self.norm.weight
        x = x * 2
        return self.linear(x)
head = Head()
head(torch.ones(1, 8))
"""


def test_a_pretrained_weight_and_a_name_that_is_used_again(tmp_path):
    pytest.importorskip("transformers")
    (tmp_path / "program.py").write_text(PRETRAINED, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    told = {o["path"]: [f"{s['how']}:{s['line']}" for s in o["since"]] for o in found["operands"]}
    assert told["model.pooler.dense.weight"] == ["loaded by PreTrainedModel.from_pretrained:5"]
    assert told["x"] == ["assigned:14", "promoted by add:13", "created by torch.ones:17"]
