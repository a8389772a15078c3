"""What `check` makes of autocast in whole programs is what torch makes of it, on cpu for real."""

import warnings

import pytest
import torch

import miscast
from miscast.core.event import TensorMeta

from .programs import PROGRAMS


def told(tree):
    """A result without devices: dtypes of tensors, and the rest as it is."""
    if isinstance(tree, (torch.Tensor, TensorMeta)):
        return str(tree.dtype).removeprefix("torch.")
    if isinstance(tree, (list, tuple)):
        return [told(part) for part in tree]
    return tree


@pytest.fixture(scope="module")
def truth():
    found = {}
    for program in PROGRAMS:
        try:
            found[program] = told(program("cpu"))
        except RuntimeError as error:
            found[program] = error
    return found


@pytest.mark.parametrize("machine", ["cpu", "h100"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(truth, program, machine):
    report = miscast.check(program, "cpu" if machine == "cpu" else "cuda", machine=machine)
    assert report.ended is None
    if isinstance(truth[program], RuntimeError):
        assert [f.severity for f in report.findings] == ["error"]
    else:
        assert report.findings == ()
        assert told(report.result) == truth[program]


def test_some_programs_raise(truth):
    assert sum(isinstance(found, RuntimeError) for found in truth.values()) == 4


def in_float32(device):
    with torch.autocast(device, torch.float32):
        half = torch.ones(2, 2, device=device, dtype=torch.float16)
        return half @ half, torch.is_autocast_enabled(device)


@pytest.mark.parametrize(
    ("device", "machine", "program"),
    [("cuda", "cpu", "in_half"), ("cpu", "cpu", "in_float32"), ("cpu", "h100", "in_float32")],
)
def test_regions_that_torch_switches_off(device, machine, program):
    """Also the warning is torch's: no such device, no such dtype on cpu."""
    run = {"in_half": in_half, "in_float32": in_float32}[program]
    with warnings.catch_warnings(record=True) as real:
        warnings.simplefilter("always")
        expected = told(run(device))
    with warnings.catch_warnings(record=True) as virtual:
        warnings.simplefilter("always")
        report = miscast.check(run, device, machine=machine)
    assert told(report.result) == expected
    assert [str(w.message) for w in real] == [str(w.message) for w in virtual]
    assert len(real) == 1


def in_half(device):
    x = torch.ones(2, 2)
    with torch.autocast(device, torch.float16):
        return x @ x, torch.is_autocast_enabled(device)


def test_cuda_casts_to_float32_where_cpu_switches_off():
    report = miscast.check(in_float32, "cuda", machine="h100")
    assert told(report.result) == ["float32", True]


def on_meta(device):
    with torch.autocast(device, torch.bfloat16):
        x = torch.ones(2, 2, device="meta")
        return x @ x


def test_tensors_on_meta_are_left_alone():
    assert told(miscast.check(on_meta, "cuda", machine="h100").result) == told(on_meta("cpu"))
