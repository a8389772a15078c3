"""Python numbers that do not fit: op by op, dtype by dtype, number by number, the verdict is real torch's."""

from __future__ import annotations

import math
import random
import warnings
from collections import Counter

import pytest
import torch
import torch.nn.functional as F

from miscast.core.machines import find
from miscast.torch_facts.contracts.limits import (
    becomes_infinite,
    conversion_error,
    fits,
    nearest,
)
from miscast.torch_facts.contracts.scalars import SCALARS
from miscast.vm.judging import recorder
from miscast.vm.machine import VirtualMachine
from sweep import sweep

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
DTYPES = (
    *FLOATS, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.uint16, torch.uint32, torch.uint64, torch.bool, torch.complex64,
)  # fmt: skip
VALUES = (
    0, 1, -1, True, 127, 128, -128, -129, 255, 256, -255, -256, 300, 32767, 32768, -32769, 65504, 65505, 65519, 65520,
    65535, 65536, -65504, -65520, -65536, 2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**63 - 1, -(2**63), 0.5, -0.5, 255.5,
    255.9, 448.0, 449.0, 57344.0, 60000.0, -1e4, 65519.5, 1e9, -1e9, 1e38, 3.5e38, -3.5e38, 1e300, math.inf, -math.inf,
    math.nan, torch.finfo(torch.float16).min, torch.finfo(torch.bfloat16).min, torch.finfo(torch.float32).min,
)  # fmt: skip
ERRORS = (RuntimeError, TypeError, ValueError, OverflowError, IndexError, NotImplementedError)
REFUSED = ("value cannot be converted to type", "is out of bounds for")
MASK = torch.tensor([True, True, False, False])


@pytest.fixture(autouse=True)
def _unprepared(monkeypatch):
    """It is these tests that catch what is raised, and no program."""
    monkeypatch.setattr(recorder, "prepared", lambda *_: False)


def some(dtype):
    return torch.zeros(4, dtype=dtype)


def square(dtype, *batch):
    return torch.zeros(*batch, 2, 2, dtype=dtype)


def set_item(key):
    def put(dtype, value):
        tensor = some(dtype)
        tensor[key] = value
        return tensor

    return put


CALLS = {}  # a statement each: where one fails, the names that it reads are looked at
CALLS["full"] = lambda d, v: torch.full((2,), v, dtype=d)
CALLS["full_like"] = lambda d, v: torch.full_like(some(d), v)
CALLS["new_full"] = lambda d, v: some(d).new_full((2,), v)
CALLS["fill_diagonal_"] = lambda d, v: square(d).fill_diagonal_(v)
CALLS["fill"] = lambda d, v: torch.fill(some(d), v)
CALLS["fill_"] = lambda d, v: some(d).fill_(v)
CALLS["fill_: a tensor"] = lambda d, v: some(d).fill_(torch.tensor(v))
CALLS["masked_fill"] = lambda d, v: some(d).masked_fill(MASK.clone(), v)
CALLS["masked_fill_"] = lambda d, v: some(d).masked_fill_(MASK.clone(), v)
CALLS["masked_fill: a tensor"] = lambda d, v: some(d).masked_fill(MASK.clone(), torch.tensor(v))
CALLS["index_fill"] = lambda d, v: some(d).index_fill(0, torch.tensor([0]), v)
CALLS["index_fill_"] = lambda d, v: some(d).index_fill_(0, torch.tensor([0]), v)
CALLS["scatter"] = lambda d, v: some(d).scatter(0, torch.tensor([0]), v)
CALLS["scatter_"] = lambda d, v: some(d).scatter_(0, torch.tensor([0]), v)
CALLS["constant_pad_nd"] = lambda d, v: torch.constant_pad_nd(some(d), (1, 1), v)
CALLS["pad"] = lambda d, v: F.pad(some(d), (1, 1), value=v)
CALLS["linspace: start"] = lambda d, v: torch.linspace(v, 0, 2, dtype=d)
CALLS["linspace: end"] = lambda d, v: torch.linspace(0, v, 2, dtype=d)
CALLS["logspace"] = lambda d, v: torch.logspace(0, v, 2, dtype=d)
CALLS["clamp: min"] = lambda d, v: some(d).clamp(min=v)
CALLS["clamp: max"] = lambda d, v: some(d).clamp(max=v)
CALLS["clamp: a tensor"] = lambda d, v: some(d).clamp(min=torch.tensor(v))
CALLS["clamp_"] = lambda d, v: some(d).clamp_(0, v)
CALLS["clip"] = lambda d, v: some(d).clip(min=v)
CALLS["clip_"] = lambda d, v: some(d).clip_(min=v)
CALLS["clamp_min"] = lambda d, v: torch.clamp_min(some(d), v)
CALLS["clamp_min_"] = lambda d, v: torch.clamp_min_(some(d), v)
CALLS["clamp_max"] = lambda d, v: torch.clamp_max(some(d), v)
CALLS["clamp_max_"] = lambda d, v: torch.clamp_max_(some(d), v)
CALLS["hardtanh"] = lambda d, v: F.hardtanh(some(d), 0, v)
CALLS["hardtanh_"] = lambda d, v: F.hardtanh_(some(d), 0, v)
CALLS["threshold"] = lambda d, v: F.threshold(some(d), v, 0)
CALLS["threshold_"] = lambda d, v: F.threshold_(some(d), 0, v)
CALLS["where: other"] = lambda d, v: torch.where(~MASK, some(d), v)
CALLS["where: self"] = lambda d, v: torch.where(MASK.clone(), v, some(d))
CALLS["where: a tensor"] = lambda d, v: torch.where(~MASK, some(d), torch.tensor(v))
CALLS["scalar_tensor"] = lambda d, v: torch.scalar_tensor(v, dtype=d)
CALLS["Tensor.__setitem__: an index"] = set_item(0)
CALLS["Tensor.__setitem__: a slice"] = set_item(slice(0, 2))
CALLS["torch.tensor"] = lambda d, v: torch.tensor(v, dtype=d)
CALLS["torch.tensor: a list"] = lambda d, v: torch.tensor([[v, 0]], dtype=d)
CALLS["torch.as_tensor"] = lambda d, v: torch.as_tensor(v, dtype=d)
CALLS["torch.asarray"] = lambda d, v: torch.asarray([v], dtype=d)
CALLS["add"] = lambda d, v: some(d) + v
CALLS["add_"] = lambda d, v: some(d).add_(v)
CALLS["add: a tensor"] = lambda d, v: some(d) + torch.tensor(v)
CALLS["add: two numbers"] = lambda d, v: torch.zeros((), dtype=d) + torch.tensor(v)
CALLS["sub"] = lambda d, v: some(d) - v
CALLS["sub_"] = lambda d, v: some(d).sub_(v)
CALLS["rsub"] = lambda d, v: v - some(d)
CALLS["add: alpha"] = lambda d, v: torch.add(some(d), some(d), alpha=v)
CALLS["add_: alpha"] = lambda d, v: some(d).add_(some(d), alpha=v)
CALLS["sub: alpha"] = lambda d, v: torch.sub(some(d), some(d), alpha=v)
CALLS["index_add"] = lambda d, v: some(d).index_add(0, torch.tensor([0]), some(d)[:1], alpha=v)
CALLS["index_add_"] = lambda d, v: some(d).index_add_(0, torch.tensor([0]), some(d)[:1], alpha=v)
CALLS["mul"] = lambda d, v: some(d) * v
CALLS["div"] = lambda d, v: some(d) / v
CALLS["eq"] = lambda d, v: some(d) == v
CALLS["gt"] = lambda d, v: some(d) > v
CALLS["maximum"] = lambda d, v: torch.maximum(some(d), torch.tensor(v))
CALLS["nan_to_num"] = lambda d, v: torch.nan_to_num(some(d), nan=v, posinf=v)
CALLS["nan_to_num_"] = lambda d, v: torch.nan_to_num_(some(d), neginf=v)
CALLS["addmm: beta"] = lambda d, v: torch.addmm(square(d), square(d), square(d), beta=v)
CALLS["addmm_"] = lambda d, v: square(d).addmm_(square(d), square(d), alpha=v)
CALLS["baddbmm"] = lambda d, v: torch.baddbmm(square(d, 1), square(d, 1), square(d, 1), alpha=v)
CALLS["baddbmm_"] = lambda d, v: square(d, 1).baddbmm_(square(d, 1), square(d, 1), beta=v)
CALLS["addbmm"] = lambda d, v: torch.addbmm(square(d), square(d, 1), square(d, 1), alpha=v)
CALLS["addbmm_"] = lambda d, v: square(d).addbmm_(square(d, 1), square(d, 1), alpha=v)
CALLS["addmv"] = lambda d, v: torch.addmv(some(d)[:2], square(d), some(d)[:2], alpha=v)
CALLS["addmv_"] = lambda d, v: torch.zeros(2, dtype=d).addmv_(square(d), some(d)[:2], beta=v)
CALLS["addr"] = lambda d, v: torch.addr(square(d), some(d)[:2], some(d)[:2], alpha=v)
CALLS["addr_"] = lambda d, v: square(d).addr_(some(d)[:2], some(d)[:2], beta=v)
CALLS["addcmul"] = lambda d, v: torch.addcmul(some(d), some(d), some(d), value=v)
CALLS["addcmul_"] = lambda d, v: some(d).addcmul_(some(d), some(d), value=v)
CALLS["addcdiv"] = lambda d, v: torch.addcdiv(some(d), some(d), some(d) + 1, value=v)
CALLS["addcdiv_"] = lambda d, v: some(d).addcdiv_(some(d), some(d) + 1, value=v)
CALLS["lerp"] = lambda d, v: torch.lerp(some(d), some(d), v)
CALLS["lerp_"] = lambda d, v: some(d).lerp_(some(d), v)
CALLS["leaky_relu"] = lambda d, v: F.leaky_relu(some(d), v)
CALLS["leaky_relu_"] = lambda d, v: F.leaky_relu_(some(d), v)
CALLS["elu"] = lambda d, v: F.elu(some(d), v)
CALLS["elu_"] = lambda d, v: F.elu_(some(d), v)
CALLS["celu"] = lambda d, v: F.celu(some(d), v)
CALLS["celu_"] = lambda d, v: torch.celu_(some(d), v)
CALLS["softplus"] = lambda d, v: F.softplus(some(d), v)
CALLS["softplus: threshold"] = lambda d, v: F.softplus(some(d), 1, v)
CALLS["hardshrink"] = lambda d, v: F.hardshrink(some(d), v)
CALLS["softshrink"] = lambda d, v: F.softshrink(some(d), v)
CALLS["histc"] = lambda d, v: torch.histc(some(d), 2, 0, v or 1)
CALLS["uniform_: from"] = lambda d, v: some(d).uniform_(v, 1)
CALLS["uniform_: to"] = lambda d, v: some(d).uniform_(-1, v)
CALLS["normal_"] = lambda d, v: some(d).normal_(v, 1)
CALLS["random_"] = lambda d, v: some(d).random_(v)
CALLS["random_: from"] = lambda d, v: some(d).random_(v, v + 1)
CALLS["randint"] = lambda d, v: torch.randint(0, v, (2,), dtype=d)
CALLS["randint_like"] = lambda d, v: torch.randint_like(some(d), v)
CALLS["cumsum"] = lambda d, v: some(d).cumsum(0) * v
STORES = ("Tensor.__setitem__", "torch.tensor", "torch.as_tensor", "torch.asarray", "where", "scalar_tensor")


def numbers():
    """The numbers of the table, and others that nobody chose."""
    luck = random.Random()
    wild = [luck.choice((-1, 1)) * 10 ** luck.uniform(0, 40) for _ in range(4)]
    return (*VALUES, *wild, *(int(one) for one in wild if abs(one) < 2**63))


def truth(call, dtype, value):
    """What torch raises for the number; "inf" if it is silently infinite; "" if it fits; None: torch has no such op."""
    try:
        out = call(dtype, value)
    except ERRORS as error:
        text = str(error).splitlines()[0]
        return text if any(words in text for words in REFUSED) else None
    infinite = math.isfinite(value) and out.is_floating_point() and bool(out.double().isinf().any())
    return "inf" if infinite else ""


def told(vm, call, dtype, value):
    vm.recorder._calls.clear()
    try:
        call(dtype, value)
        ended = ""
    except ERRORS as error:
        ended = str(error)
    found = [c.violation for c in vm.recorder.trace().calls if c.violation.kind == "number"]
    assert not (found and any(words in ended for words in REFUSED)), "the run must go on"
    return found


@pytest.fixture(scope="module")
def vm():
    machine = VirtualMachine(find("cpu"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield machine


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CALLS)
def test_numbers_are_judged_as_torch_does(case, vm):
    call, counts = CALLS[case], Counter()
    trials = random.sample([(dtype, value) for dtype in DTYPES for value in numbers()], 400)
    if case.endswith("a tensor"):  # a float32 one
        trials = [(dtype, value) for dtype, value in trials if abs(value) < 3e38 or not math.isfinite(value)]
    wanted = [truth(call, dtype, value) for dtype, value in trials]
    with vm.on():
        found = [told(vm, call, dtype, value) for dtype, value in trials]
    for (dtype, value), want, got in zip(trials, wanted, found, strict=True):
        if want is None:
            continue
        counts["judged"] += 1
        errors = [violation.error for violation in got if violation.error]
        silent = [violation for violation in got if not violation.error]
        context = (case, dtype, value, want)
        if want in ("", "inf"):
            assert not errors, context
            assert not silent or want == "inf", context
            if want == "inf" and case.partition(":")[0] in STORES and dtype in FLOATS[:2]:
                assert silent, context
        else:
            assert errors[:1] == [want], context
    assert counts["judged"] > 30


def test_every_op_of_the_table_is_called():
    called = {case.partition(":")[0] for case in CALLS}
    assert {op for entry in SCALARS for op in entry.ops} <= called


@sweep("dtype", DTYPES, ids=str)
def test_what_a_dtype_holds(dtype):
    name = str(dtype)[6:]
    for value in (*numbers(), 1j, 1e9 + 1j, 1e39j):
        said = truth(CALLS["full"], dtype, value) if not isinstance(value, complex) else None
        if said is None:
            try:
                torch.full((2,), value, dtype=dtype)
                said = ""
            except RuntimeError as error:
                said = str(error).splitlines()[0]
        assert (said == "") == fits(value, name), value
        if said:
            assert said == conversion_error(name)
            torch.full((2,), nearest(value, name), dtype=dtype)


@pytest.mark.parametrize("dtype", FLOATS[:3], ids=str)
def test_where_a_dtype_rounds_to_infinity(dtype):
    top = torch.finfo(dtype).max
    for value in (*numbers(), top * 1.0001, top * 1.00025, top * 1.003, math.nextafter(top, math.inf)):
        infinite = math.isfinite(value) and torch.tensor(float(value), dtype=torch.float64).to(dtype).isinf().item()
        assert becomes_infinite(value, str(dtype)[6:]) == infinite, value
