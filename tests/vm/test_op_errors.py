"""Errors that are about dtypes are told from others by their text."""

from __future__ import annotations

import gzip
import json

import pytest
import torch

import miscast
from miscast.torch_facts.contracts.table import FOLDER
from miscast.vm.judging.op_errors import about_dtypes, text_of
from sweep import sweep

OTHERS = (
    "mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)",
    "index 5 is out of bounds for dimension 0 with size 3",
    "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])",
    "shape '[2, 3]' is invalid for input of size 5",
    "Trying to backward through the graph a second time",
    "Dimension out of range (expected to be in range of [-1, 0], but got 5)",
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    "CUDA out of memory. Tried to allocate 2.00 GiB",
    "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 4, 8, 8] to have 3 channels",
    "a leaf Variable that requires grad is being used in an in-place operation.",
    "element 0 of tensors does not require grad and does not have a grad_fn",
    "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because … singular.",
    "Target 5 is out of bounds.",
    "stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1",
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "Boolean value of Tensor with more than one value is ambiguous",
    "Boolean value of Tensor with no values is ambiguous",
    "stft requires the return_complex parameter be given for real inputs, and will further require that …",
    "self.size(-1) must be divisible by 2 to view Float as Double (different element sizes), but got 3",
    "self.stride(-1) must be 1 to view Float as Half (different element sizes), but got 2",
)


def measured():
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines()[1:]:
            row = json.loads(line)
            yield from {**row.get("raises", {}), **row.get("backward", {})}


def test_what_torch_says_of_dtypes_is_recognized():
    texts = list(measured())
    missed = [text for text in texts if not about_dtypes(RuntimeError(text))]
    assert len(texts) > 1_000
    assert len(missed) / len(texts) < 0.005, missed[:20]


@sweep("text", OTHERS)
def test_other_errors_are_the_programs_own(text):
    assert not about_dtypes(RuntimeError(text))


BINDINGS = {
    "an unknown name": lambda: torch.randn(2, 3, bogus=1),
    "an unknown name of a method": lambda: torch.ones(2).to(dtyp=torch.float16),
    "a dtype as a text": lambda: torch.zeros(2, dtype="float32"),
    "a size that is none": lambda: torch.randint(0, 5, 3),
    "an axis that is none": lambda: torch.ones(4).sum(axis="a"),
    "a device that is none": lambda: torch.ones(2, device=2.5),
    "a number for a tensor": lambda: torch.nn.functional.linear(1.0, torch.ones(2, 2)),
    "a list for a tensor": lambda: torch.matmul([1.0], torch.ones(1)),
    "nothing": lambda: torch.mm(torch.ones(2, 2)),
    "too much": lambda: torch.nn.Linear(2, 2, True, None, torch.float16, 5),
    "a layer's unknown name": lambda: torch.nn.Linear(2, 2, dtyp=torch.float16),
}


@pytest.mark.parametrize("name", BINDINGS)
def test_what_the_binding_refuses_is_no_finding(name):
    with pytest.raises(TypeError) as raised:
        BINDINGS[name]()
    report = miscast.check(BINDINGS[name], machine="a100")
    assert report.findings == ()
    assert str(raised.value).splitlines()[0] in report.ended


def attended(mask):
    x, w, b = torch.rand(2, 1, 4), torch.rand(12, 4), torch.rand(12)
    return torch.nn.functional.multi_head_attention_forward(
        x, x, x, 4, 1, w, b, None, None, False, 0.0, w[:4], b[:4], attn_mask=mask, need_weights=False
    )


ENDINGS = {
    "mean": lambda: torch.masked.mean(torch.tensor([1, 2])),  # in Python
    "multi_head_attention_forward": lambda: attended(torch.zeros(2, 2, dtype=torch.int64)),  # an assertion
    "backward": lambda: torch.special.i1e(torch.rand(3).half().requires_grad_()).sum().backward(),  # in the engine
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_torch_refuses_outside_of_ops_is_told_too(name):
    with pytest.raises((RuntimeError, ValueError, AssertionError)) as raised:
        ENDINGS[name]()
    report = miscast.check(ENDINGS[name])
    assert [(f.op, f.raises, f.error) for f in report.findings] == [(name, raised.typename, text_of(raised.value))]
    assert report.ended is not None
    within = attended.__code__.co_firstlineno + 2 if name == "multi_head_attention_forward" else 0
    assert report.findings[0].location.line == (within or ENDINGS[name].__code__.co_firstlineno)


def test_what_the_program_raises_itself_is_no_finding():
    def program():
        raise ValueError("a dtype of mine")

    report = miscast.check(program)
    assert report.findings == ()
    assert "a dtype of mine" in str(report.ended)


def test_a_meta_kernel_that_looks_a_dtype_up():
    assert about_dtypes(KeyError(torch.bool))
    assert not about_dtypes(KeyError("bool"))


def test_dtypes_are_spelled_as_in_eager_mode():
    assert text_of(RuntimeError("linalg.svd: … Got torch.bool\nmore")) == "linalg.svd: … Got Bool"
    assert text_of(RuntimeError("torch.linalg.lstsq: …")) == "torch.linalg.lstsq: …"
