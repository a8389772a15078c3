"""Codes of four bits in a storage dtype, by ops as bitsandbytes registers them: a cast of the storage ruins them."""

from __future__ import annotations

import os
import sys

import pytest
import torch

import miscast

_READ = "Tensor A, Tensor absmax, int blocksize, str quant_type, int[] shape, ScalarType dtype"
_DEVICES = {"cpu": "cpu", "h100": "cuda"}


@pytest.fixture(scope="module")
def codes():
    """Ops of the library's names and arguments; the library itself would define them once more."""
    if "bitsandbytes" in sys.modules:
        yield torch.ops.bitsandbytes
        return
    with torch.library._scoped_library("bitsandbytes", "DEF") as library:
        library.define("quantize_4bit(Tensor A, int b, str quant_type, ScalarType quant_storage) -> (Tensor, Tensor)")
        library.define(f"dequantize_4bit({_READ}) -> Tensor")

        def quantize(a, blocksize, _, quant_storage):
            numbers = a.numel() // (quant_storage.itemsize * 2)
            absmax = a.new_ones(a.numel() // blocksize, dtype=torch.float32)
            return a.new_zeros((numbers, 1), dtype=quant_storage), absmax

        def dequantize(a, *given):
            return a.new_zeros(given[-2], dtype=given[-1])

        def compiled(*_):
            os._exit(1)  # as the library's own do with a build of torch for CUDA where there is no GPU

        for name, function in (("quantize_4bit", quantize), ("dequantize_4bit", dequantize)):
            library.impl(name, function, "CPU")
            library.impl(name, compiled, "CUDA")
            torch.library.register_fake(f"bitsandbytes::{name}", function, lib=library)
        yield torch.ops.bitsandbytes


def found(ops, storage, change, machine="h100"):
    def program():
        weight = torch.randn(64, 64, device=_DEVICES[machine], dtype=torch.bfloat16)
        packed, absmax = ops.quantize_4bit(weight, 64, "nf4", storage)
        packed = change(packed)
        for _ in range(2):
            ops.dequantize_4bit(packed, absmax, 64, "nf4", [64, 64], torch.bfloat16)

    report = miscast.check(program, machine=machine)
    assert (report.failed, report.ended) == (None, None)
    return [(one.rule, one.message) for one in report.findings]


@pytest.mark.parametrize("machine", _DEVICES)
@pytest.mark.parametrize(
    ("storage", "change", "given"),
    [
        (torch.bfloat16, torch.Tensor.half, "float16"),
        (torch.uint8, torch.Tensor.half, "float16"),
        (torch.uint8, lambda codes: codes + torch.ones_like(codes, dtype=torch.float32), "float32"),
    ],
)
def test_converted_codes_are_reported_once(codes, storage, change, given, machine):
    before = str(storage)[6:]
    message = f"dequantize_4bit does not accept {given} `A`: expected {before}"
    assert found(codes, storage, change, machine) == [("operand-dtype-not-accepted", message)]


@pytest.mark.parametrize(
    "change",
    [
        lambda codes: codes,
        lambda codes: codes.to("cpu").to(codes.device),
        lambda codes: codes.view(torch.uint8),
        lambda codes: codes.t(),
        lambda codes: codes.to(torch.bfloat16),
    ],
)
def test_codes_that_are_read_as_they_were_packed_are_in_order(codes, change):
    assert found(codes, torch.bfloat16, change) == []


def test_scales_of_another_dtype(codes):
    def program():
        packed, absmax = codes.quantize_4bit(torch.randn(64, 64, device="cuda"), 64, "nf4", torch.uint8)
        codes.dequantize_4bit(packed, absmax.half(), 64, "nf4", [64, 64], torch.bfloat16)

    (finding,) = miscast.check(program, machine="h100").findings
    assert finding.message == "dequantize_4bit does not accept float16 `absmax`: expected float32"
