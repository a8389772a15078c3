"""Ops of bitsandbytes, whose kernels read bytes through pointers: what is of another dtype would be misread."""

from __future__ import annotations

from .contract import Contract, Texts

_FLOAT32, _CODES = ("float32",), ("uint8",)
_MUST: Texts = {(name,): name + " must be float32, got {odd.dtype}" for name in ("absmax", "row_stats", "col_stats")}
_SOURCE = "bitsandbytes 0.50.2, _ops.py and backends/cuda/ops.py"

CONTRACTS = (
    Contract(
        ops=("bitsandbytes.dequantize_4bit", "bitsandbytes.gemv_4bit"), on=("cuda",), only={"absmax": _FLOAT32},
        errors=_MUST, source=_SOURCE,
    ),
    Contract(
        ops=("bitsandbytes.gemm_4bit",), on=("cuda",), same=(("A", "bias"),),
        only={"absmax": _FLOAT32, "absmax_8bit": _CODES},
        errors={**_MUST, ("bias", "A"): "bias dtype ({bias.dtype}) must match A dtype ({A.dtype})"}, source=_SOURCE,
    ),
    Contract(
        ops=("bitsandbytes.dequantize_blockwise",), only={"A": _CODES},
        errors={("A",): "A must be uint8, got {odd.dtype}"}, source=_SOURCE,
    ),
    Contract(ops=("bitsandbytes.quantize_blockwise", "bitsandbytes.quantize_4bit"), source=_SOURCE),
    Contract(
        ops=("bitsandbytes.int8_mm_dequant",), on=("cuda",),
        only={"A": ("int32",), "row_stats": _FLOAT32, "col_stats": _FLOAT32}, errors=_MUST, source=_SOURCE,
    ),
    Contract(ops=("bitsandbytes.int8_linear_matmul",), only={"A": ("int8",), "B": ("int8",)}, source=_SOURCE),
)
