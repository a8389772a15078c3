"""What torch refuses of dtypes that few ops have kernels for, and what comes out of all others, as torch does it."""

from __future__ import annotations

import copy
import io
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from miscast.core.machines import find
from miscast.running.program.run import run_callable
from miscast.vm.machine import VirtualMachine
from miscast.vm.provenance.record import BITS
from miscast.vm.scenes import Scenes

EXPRESSIONS = Path(__file__).with_name("rare_dtypes.txt").read_text("utf-8").splitlines()
KEPT = [  # each was wrong once
    "torch.equal(x, x)", "torch.count_nonzero(x)", "F.dropout(x, 0.5)", "torch.ones_like(x)", "x.new_full((2,), 1)",
    "F.pad(x, (1, 1))", "nn.Linear(4, 4).to(D)", "nn.Embedding(4, 4, _weight=x)(i)", "x.copy_(f)", "f.copy_(x)",
    "x.any()", "torch.sparse_coo_tensor(i[None], x[0, :2])", "torch.polar(x, x)", "torch.full((1,), 1e6, dtype=D)",
    "torch.full((2,), 1e6, dtype=D)", "x[0, :1].fill_(1e6)", "x + k", "k * x", "torch.vstack([x, x])",
]  # fmt: skip
DTYPES = [
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
    "uint16", "uint32", "uint64", "complex32", "float16", "bfloat16",
]  # fmt: skip
OPEN = {  # within vmap nobody is asked
    ("float4_e2m1fn_x2", "torch.vmap(lambda a: a.sum())(x)"), ("float4_e2m1fn_x2", "torch.func.vmap(torch.neg)(x)"),
}  # fmt: skip


def _names(dtype):
    x = torch.zeros(4, 4, dtype=torch.uint8).view(dtype) if dtype in BITS else torch.ones(4, 4).to(dtype)
    p = nn.Parameter(torch.ones(4))
    p.grad = torch.ones(4)
    other = torch.float8_e4m3fn if dtype is torch.float8_e5m2 else torch.float8_e5m2
    return {
        "torch": torch, "nn": nn, "F": F, "np": np, "io": io, "copy": copy, "D": dtype, "x": x, "p": p,
        "f": torch.ones(4, 4), "k": torch.ones(4, 4, dtype=torch.int64), "m": torch.eye(4) > 0,
        "i": torch.tensor([0, 1]), "ii": torch.zeros(4, 4, dtype=torch.int64), "i4": torch.arange(4),
        "y": torch.ones(4, 4).to(other),
    }  # fmt: skip


def _shown(value):
    if isinstance(value, torch.Tensor):
        return f"{value.dtype} {tuple(value.shape)}"
    if isinstance(value, (tuple, list)) and value and isinstance(value[0], torch.Tensor):
        return [_shown(one) for one in value]
    return str(value) if isinstance(value, (bool, int, str, torch.dtype)) else type(value).__name__


def _real(code, dtype):
    try:
        return _shown(eval(code, _names(dtype)))
    except Exception:  # noqa: BLE001
        return "refused"


def _virtual(code, dtype):
    trace, found = run_callable(lambda: _shown(eval(code, _names(dtype))), (), {}, find("cpu"))
    assert not trace.failed, trace.failed
    refused = trace.ended or any(call.violation.error for call in trace.calls)
    return "refused" if refused else found


def _wrong(dtype, expressions):
    wrong = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in expressions:
            code = compile(text, "<expression>", "eval")
            real, virtual = _real(code, getattr(torch, dtype)), _virtual(code, getattr(torch, dtype))
            is_value = ".item()" in text or text.startswith(("float(", "int(", "bool(", "repr(", "str("))
            if real != virtual and not (is_value and "refused" not in (real, virtual)):
                wrong[text] = real, virtual
    return {text: both for text, both in wrong.items() if (dtype, text) not in OPEN}


@pytest.mark.parametrize("dtype", [one for one in DTYPES if hasattr(torch, one)])
def test_a_dtype(dtype):
    """Some ops on it."""
    assert _wrong(dtype, KEPT) == {}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [one for one in DTYPES if hasattr(torch, one)])
def test_every_op_on_a_dtype(dtype):
    """Many ops on it."""
    assert _wrong(dtype, EXPRESSIONS) == {}


WITHOUT_CASTS = [
    *(f"torch.zeros(4, 4, dtype=D){rest}" for rest in (".flip(0)", ".fill_(1)", ".clone()", " + 1")),
    "torch.cat([x, x])", "torch.cat([x, x], 1)", "torch.stack([x, x])", "torch.where(m, x, x)", "torch.where(m, x, f)",
    "x.T", "x.flatten()", "x.float()", "x.clone()", "x.copy_(k)", "x.fill_diagonal_(1)", "x.tril_()", "x.cauchy_()",
    "F.relu(x, inplace=True)", "torch.utils.data.default_collate([x, x])",
    "(lambda b: (torch.save(x, b), b.seek(0), torch.load(b))[-1])(io.BytesIO())",
]  # fmt: skip


@pytest.mark.parametrize("dtype", [one for one in ("int4", "uint3", "bits8") if hasattr(torch, one)])
def test_a_dtype_without_casts(dtype):
    """What casts or fills is refused, and what only copies bits is not."""
    assert _wrong(dtype, WITHOUT_CASTS) == {}


def test_complex_dropout():
    """No kernel draws complex numbers; nothing is drawn with p=0 or in evaluation."""
    kinds = ["F.dropout(x, 0.5)", "F.dropout1d(x[None], 0.5)", "F.dropout(x, 0.0)", "nn.Dropout(0.5).eval()(x)"]
    assert _wrong("complex64", kinds) == {}


@pytest.mark.skipif(not hasattr(torch, "float4_e2m1fn_x2"), reason="float4 is as old as torch 2.8")
def test_a_mismatch_of_packed_numbers():
    """The numbers of an operand that torch cannot read are left out of what a change is tried with."""
    vm = VirtualMachine(find("cpu"))
    scenes = Scenes(vm)
    with vm.on():
        packed = torch.zeros(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
        torch.equal(packed, packed)
    assert vm.recorder.broken == 1
    assert [scene.numbers for scene in scenes.all()] == [{}]
