"""NVIDIA GPUs. What a generation can do is stated once; a GPU adds its name, memory and multiprocessors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .machine import Machine

if TYPE_CHECKING:
    from collections.abc import Mapping

_MIB = 1 << 20
_FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
_FLOAT8_FNUZ = ("float8_e4m3fnuz", "float8_e5m2fnuz")
_FLOAT4 = ("float4_e2m1fn_x2",)
_BASE = ("float16", "float32", "float64", "int8")
"""Dtypes of CUDA's products since Pascal; on a GP102 float16 runs at 1/64 of float32's rate."""

_TENSOR_CORES = "NVIDIA CUDA C++ programming guide, 'Compute Capabilities': feature support and tensor core data types"
_BF16 = (
    "torch/cuda/__init__.py is_bf16_supported: native from capability 8.0; before, bfloat16 tensors work by conversion "
    "(is_bf16_supported() is True, is_bf16_supported(including_emulation=False) is False); pytorch#124996 runs matmul "
    "on V100; cuDNN has no bfloat16 convolution before 8.0 (diffusers#14129); vLLM and triton refuse it there"
)
_TF32 = "torch/cuda/__init__.py is_tf32_supported: from capability 8.0; before, the switch has no effect"
_SCALED_MM = (
    "aten/src/ATen/native/cuda/Blas.cpp: torch._scaled_mm is only supported on CUDA devices with compute capability "
    ">= 9.0 or 8.9, or ROCm MI300+ (pytorch#164251)"
)
_FNUZ = "the fnuz dtypes are AMD's (gfx942); NVIDIA's products take float8_e4m3fn and float8_e5m2"
_FP4 = "NVFP4 products need Blackwell's tensor cores (capability 10.0 and 12.0): torch._scaled_mm, PTX ISA tcgen05.mma"


_BEFORE_AMPERE: dict[str, Any] = {
    "native": _BASE,
    "emulated": ("bfloat16",),
    "storage": (*_FLOAT8, *_FLOAT8_FNUZ, *_FLOAT4),
    "missing": ("tf32",),
}
_AMPERE: dict[str, Any] = {
    "native": (*_BASE, "bfloat16", "tf32"),
    "storage": (*_FLOAT8, *_FLOAT8_FNUZ, *_FLOAT4),
}
_ADA: dict[str, Any] = {
    "native": (*_BASE, "bfloat16", "tf32", *_FLOAT8),
    "storage": (*_FLOAT8_FNUZ, *_FLOAT4),
}
_BLACKWELL: dict[str, Any] = {
    "native": (*_BASE, "bfloat16", "tf32", *_FLOAT8, *_FLOAT4),
    "storage": _FLOAT8_FNUZ,
}


def _chip(capability: tuple[int, int], **dtypes: Any) -> dict[str, Any]:
    arch = f"sm_{capability[0]}{capability[1]}"
    return {"capability": capability, "arch": arch, **dtypes}


_GP100 = _chip((6, 0), **_BEFORE_AMPERE)
_GP102 = _chip((6, 1), **_BEFORE_AMPERE)
_VOLTA = _chip((7, 0), **_BEFORE_AMPERE)
_TURING = _chip((7, 5), **_BEFORE_AMPERE)
_GA100 = _chip((8, 0), **_AMPERE)
_GA102 = _chip((8, 6), **_AMPERE)
_AD102 = _chip((8, 9), **_ADA)
_HOPPER = _chip((9, 0), **_ADA)
_GB100 = _chip((10, 0), **_BLACKWELL)
_GB202 = _chip((12, 0), **_BLACKWELL)


def _sources(memory: str) -> Mapping[str, str]:
    return {
        "capability": "https://developer.nvidia.com/cuda-gpus",
        "processors": "NVIDIA's architecture whitepaper of the chip; torch's multi_processor_count",
        "memory": f"{memory}; differs by up to 1 % between drivers",
        "native": _TENSOR_CORES,
        "storage": _SCALED_MM,
        "bfloat16": _BF16,
        "tf32": _TF32,
        **dict.fromkeys(_FLOAT8, _SCALED_MM),
        **dict.fromkeys(_FLOAT8_FNUZ, _FNUZ),
        **dict.fromkeys(_FLOAT4, _FP4),
    }


def _gpu(  # noqa: PLR0913 - a row of the table below
    name: str,
    title: str,
    chip: dict[str, Any],
    mib: int,
    processors: int,
    memory: str,
    *aliases: str,
) -> Machine:
    return Machine(
        name=name,
        title=title,
        device="cuda",
        aliases=aliases,
        memory=mib * _MIB,
        processors=processors,
        sources=_sources(memory),
        **chip,
    )


_TORCH = "total_memory of torch.cuda.get_device_properties in public logs"
_OOM = "'total capacity' of torch's out-of-memory errors in public logs"

# fmt: off
MACHINES = (
    _gpu("p100", "Tesla P100-PCIE-16GB", _GP100, 16_280, 56, _TORCH, "p100-16", "p100-16gb", "tesla-p100"),
    _gpu("p40", "Tesla P40", _GP102, 24_443, 30, f"{_OOM}: 23.87 GiB without ECC, PuLID#110", "tesla-p40"),
    _gpu("t4", "Tesla T4", _TURING, 15_102, 40, _TORCH, "tesla-t4", "teslat4"),
    _gpu("v100", "Tesla V100-SXM2-16GB", _VOLTA, 16_160, 80, _TORCH, "v100-16", "v100-16gb", "tesla-v100"),
    _gpu("v100-32", "Tesla V100-SXM2-32GB", _VOLTA, 32_510, 80, _TORCH, "v100-32gb"),
    _gpu("a10", "NVIDIA A10", _GA102, 22_731, 72, _OOM, "a10-24gb"),
    _gpu("a100", "NVIDIA A100-SXM4-40GB", _GA100, 40_339, 108, "deviceQuery, bottlerocket#3873", "a100-40",
         "a100-40gb"),
    _gpu("a100-80", "NVIDIA A100-SXM4-80GB", _GA100, 81_050, 108, _OOM, "a100-80gb"),
    _gpu("a6000", "NVIDIA RTX A6000", _GA102, 48_676, 84, _TORCH, "rtxa6000", "rtx-a6000"),
    _gpu("l4", "NVIDIA L4", _AD102, 22_491, 58, "deviceQuery, bottlerocket-kernel-kit#139", "l4-24gb"),
    _gpu("l40s", "NVIDIA L40S", _AD102, 45_598, 142, f"{_OOM}: 44.53 GiB, Wan2.1#205", "l40s-48gb"),
    _gpu("h100", "NVIDIA H100 80GB HBM3", _HOPPER, 81_008, 132, _OOM, "h100-80", "h100-80gb"),
    _gpu("h200", "NVIDIA H200", _HOPPER, 143_156, 132, _OOM, "h200-141gb"),
    _gpu("b200", "NVIDIA B200", _GB100, 182_630, 148, "178.35 GiB, the driver's answer in torchao#4002", "b200-180gb"),
    _gpu("rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", _TURING, 11_019, 68, _TORCH, "2080ti", "rtx-2080ti",
         "rtx-2080-ti"),
    _gpu("rtx3060", "NVIDIA GeForce RTX 3060", _GA102, 12_044, 28, _TORCH, "3060", "rtx-3060"),
    _gpu("rtx3090", "NVIDIA GeForce RTX 3090", _GA102, 24_257, 82, _OOM, "3090", "rtx-3090"),
    _gpu("rtx4090", "NVIDIA GeForce RTX 4090", _AD102, 24_217, 128, _OOM, "4090", "rtx-4090"),
    _gpu("rtx5090", "NVIDIA GeForce RTX 5090", _GB202, 32_117, 170, "deviceQuery, aikitoria/open-gpu-kernel-modules#1",
         "5090", "rtx-5090"),
)
# fmt: on
