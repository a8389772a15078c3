"""Peak rates of GPUs by their data sheets: operations per second by dtype, bytes of memory per second.

>>> PEAKS["a100"].rates["bfloat16"]
312000000000000.0

All rates are dense (without sparsity), of matrix products that add up in float32; a fused multiply-add is two operations.
A dtype without a rate is one that the sheet does not name.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..frozen import dataclass

_TERA = 1e12
_GIGA = 1e9
_COLUMNS = (
    "float64", "float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "int8",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """A device's peaks: operations per second by dtype, bytes per second, and the data sheet."""

    rates: Mapping[str, float]
    bandwidth: float
    source: str


def _peak(tera: tuple[float, ...], giga: float, source: str) -> Peak:
    """Return a peak; `tera` is in the order of the columns, 0 for none."""
    rates = {
        dtype: rate * _TERA for dtype, rate in zip(_COLUMNS, tera, strict=True) if rate
    }
    return Peak(rates=rates, bandwidth=giga * _GIGA, source=source)


_PASCAL = "CUDA C++ programming guide, throughput of native arithmetic instructions, for float16 and float64 of 6.1"
_GA102 = "NVIDIA Ampere GA102 GPU architecture whitepaper, appendix A, comparison of graphics cards"
_HGX = "NVIDIA HGX platform data sheet, B200, one of eight GPUs, without sparsity"

# fmt: off
PEAKS: Mapping[str, Peak] = {
    # name            float64 float32 tf32  float16 bfloat16 float8 int8   GB/s
    "p100": _peak((4.7, 9.3, 0, 18.7, 0, 0, 0), 732, "NVIDIA Tesla P100 PCIe data sheet, specifications (16 GB)"),
    "p40": _peak((0.37, 11.8, 0, 0.18, 0, 0, 47), 346, f"NVIDIA Tesla P40 data sheet, specifications; {_PASCAL}"),
    "t4": _peak((0.25, 8.1, 0, 65, 0, 0, 130), 300, "NVIDIA T4 data sheet, specifications; float64 is 1/32 of float32 (Turing whitepaper)"),
    "v100": _peak((7.8, 15.7, 0, 125, 0, 0, 0), 900, "NVIDIA V100 data sheet, specifications, SXM2"),
    "v100-32": _peak((7.8, 15.7, 0, 125, 0, 0, 0), 900, "NVIDIA V100 data sheet, specifications, SXM2"),
    "a10": _peak((0.49, 31.2, 62.5, 125, 125, 0, 250), 600, "NVIDIA A10 data sheet, specifications, without sparsity; float64 is 1/64 of float32"),
    "a100": _peak((19.5, 19.5, 156, 312, 312, 0, 624), 1555, "NVIDIA A100 data sheet, specifications, 40GB SXM"),
    "a100-80": _peak((19.5, 19.5, 156, 312, 312, 0, 624), 2039, "NVIDIA A100 data sheet, specifications, 80GB SXM"),
    "a6000": _peak((0.6, 38.7, 77.4, 154.8, 154.8, 0, 309.7), 768, f"{_GA102} (RTX A6000)"),
    "l4": _peak((0.47, 30.3, 60, 121, 121, 242.5, 242.5), 300, "NVIDIA L4 data sheet, specifications, halved for what they state with sparsity; float64 is 1/64 of float32"),
    "l40s": _peak((1.4, 91.6, 183, 362, 362, 733, 733), 864, "NVIDIA L40S data sheet, specifications, without sparsity; float64 is 1/64 of float32"),
    "h100": _peak((67, 67, 494.5, 989.5, 989.5, 1979, 1979), 3350, "NVIDIA H100 data sheet, specifications, SXM5, halved for what they state with sparsity"),
    "h200": _peak((67, 67, 494.5, 989.5, 989.5, 1979, 1979), 4800, "NVIDIA H200 data sheet, specifications, SXM, halved for what they state with sparsity"),
    "b200": _peak((37, 75, 1125, 2250, 2250, 4500, 4500), 7700, _HGX),
    "rtx2080ti": _peak((0.42, 13.4, 0, 53.8, 0, 0, 215.2), 616, "NVIDIA Turing GPU architecture whitepaper, appendix A, reference card, float16 with float32 accumulate"),
    "rtx3060": _peak((0.2, 12.7, 12.7, 25.5, 25.5, 0, 102), 360, f"28 multiprocessors at 1777 MHz (GeForce RTX 3060, specifications) with the rates of each in: {_GA102}"),
    "rtx3090": _peak((0.56, 35.6, 35.6, 71, 71, 0, 284), 936, f"{_GA102}, float16 with float32 accumulate"),
    "rtx4090": _peak((1.29, 82.6, 82.6, 165.2, 165.2, 330.3, 660.6), 1008, "NVIDIA Ada GPU architecture whitepaper, appendix A, float16 and float8 with float32 accumulate"),
    "rtx5090": _peak((1.64, 104.8, 104.8, 209.5, 209.5, 419, 838), 1792, "NVIDIA RTX Blackwell GPU architecture whitepaper, appendix A, float16 and float8 with float32 accumulate"),
    "mi100": _peak((11.5, 46.1, 0, 184.6, 92.3, 0, 184.6), 1228.8, "AMD Instinct MI100 brochure, specifications, matrix"),
    "mi250x": _peak((47.9, 47.9, 0, 191.5, 191.5, 0, 191.5), 1638.4, "AMD Instinct MI250X data sheet, specifications, matrix; half of a board, which is two devices"),
    "mi300x": _peak((163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9), 5300, "AMD Instinct MI300X data sheet, specifications, matrix, without sparsity"),
    "m1": _peak((0, 2.6, 0, 2.6, 0, 0, 0), 68, "Apple's announcement of the M1 (2.6 teraflops); memory bandwidth of its technical specifications; half at the rate of float"),
    "m2": _peak((0, 3.6, 0, 3.6, 0, 0, 0), 100, "Apple's announcement of the M2 (3.6 teraflops, 100 GB/s); half at the rate of float"),
}
# fmt: on


def peak_of(machine: str) -> Peak | None:
    """Return the peak by the machine's name; None if no data sheet is known."""
    return PEAKS.get(machine)
