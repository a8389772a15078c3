"""Where CPU and CUDA are known to differ. The CPU's half is judged by real torch, CUDA's has its source beside it."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import miscast
from miscast.report.text import render

HALF, FLOAT = torch.float16, torch.float32


def made(*shape, dtype=FLOAT, device="cpu"):
    return torch.ones(*shape, dtype=dtype, device=device)


def mixed_layer_norm(device):
    return F.layer_norm(made(2, 8, dtype=HALF, device=device), [8], made(8, device=device), made(8, device=device))


def mixed_group_norm(device):
    return F.group_norm(made(2, 8, dtype=HALF, device=device), 2, made(8, device=device), made(8, device=device))


def number_on_cpu(device):
    return made(4, device=device) + made(())


def index_on_cpu(device):
    return made(4, device=device)[torch.tensor([0, 2])]


def half_cholesky(device):
    return torch.linalg.cholesky(torch.eye(3, dtype=HALF, device=device))


def int_matmul(device):
    return made(2, 2, dtype=torch.int64, device=device) @ made(2, 2, dtype=torch.int64, device=device)


def half_cdist(device):
    return torch.cdist(made(3, 2, dtype=HALF, device=device), made(4, 2, dtype=HALF, device=device))


def double_matmul(device):
    return made(2, 2, dtype=torch.float64, device=device) @ made(2, 2, dtype=torch.float64, device=device)


CASES = (
    # CPU runs, CUDA raises: ATen/native/cuda/layer_norm_kernel.cu casts gamma to the input's type
    (mixed_layer_norm, None, "operand-dtype-mismatch"),
    # ATen/native/cuda/group_norm_kernel.cu, GroupNormKernelImplInternal
    (mixed_group_norm, None, "operand-dtype-mismatch"),
    # ATen/native/cuda/Blas.cpp addmm: AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2, no integers
    (int_matmul, None, "unsupported-dtype"),
    (half_cholesky, "unsupported-dtype", "unsupported-dtype"),
    (half_cdist, "unsupported-dtype", "unsupported-dtype"),
    (number_on_cpu, None, None),
    (index_on_cpu, None, None),
    (double_matmul, None, None),
)


@pytest.mark.parametrize(("program", "on_cpu", "on_cuda"), CASES, ids=[case[0].__name__ for case in CASES])
def test_each_device_as_it_is(program, on_cpu, on_cuda):
    raised = False
    try:
        program("cpu")
    except (RuntimeError, NotImplementedError):
        raised = True
    assert raised == bool(on_cpu), "what this test believes of the CPU is wrong"
    for machine, device, rule in (("cpu", "cpu", on_cpu), ("a100", "cuda", on_cuda)):
        found = [x.rule for x in miscast.check(program, device, machine=machine).findings]
        assert found == ([rule] if rule else []), (machine, found)


def test_the_report_says_what_its_verdicts_rest_on():
    on_gpu = miscast.check(double_matmul, "cuda", machine="a100")
    assert on_gpu.contracts == "measured on cuda sm_90, torch 2.11.0"
    assert "dtype rules:" not in render(on_gpu, verbose=True)
    of_amd = miscast.check(double_matmul, "cuda", machine="mi300x")
    assert of_amd.contracts == "declared"
    assert "dtype rules: from torch's source code" in render(of_amd, verbose=True)
