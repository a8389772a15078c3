"""AMD GPUs under ROCm: torch calls them `cuda`, and `torch.version.hip` is set."""

from .machine import Machine

_MIB = 1 << 20
_FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
_FLOAT8_FNUZ = ("float8_e4m3fnuz", "float8_e5m2fnuz")
_FLOAT4 = ("float4_e2m1fn_x2",)
_BASE = ("float16", "bfloat16", "float32", "float64", "int8")

_SOURCES = {
    "arch": "https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html",
    "capability": "torch on ROCm gives the gfx number as (major, minor): gfx90a (9, 0), gfx942 (9, 4)",
    "memory": "'total capacity' of torch's out-of-memory errors in public logs; differs between drivers",
    "processors": "https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html, compute units",
    "native": "https://rocm.docs.amd.com/en/latest/reference/precision-support.html, matrix core support",
    "storage": "torch._scaled_mm is only supported on … or ROCm MI300+ (pytorch#164251); MI300 takes the fnuz dtypes",
    "bfloat16": "torch/cuda/__init__.py is_bf16_supported: always True under HIP",
    "tf32": "torch/cuda/__init__.py is_tf32_supported: gfx94 and gfx95 only",
}

# fmt: off
MACHINES = (
    Machine(
        name="mi100", title="AMD Instinct MI100", device="cuda", capability=(9, 0), arch="gfx908",
        memory=32_752 * _MIB, processors=120, native=_BASE, storage=(*_FLOAT8, *_FLOAT8_FNUZ, *_FLOAT4),
        missing=("tf32",), hip=True,
        sources={
            **_SOURCES,
            "memory": "33,538,048 KB, the pool that rocminfo reports for gfx908 (ROCm/ROCm#2722)",
        },
    ),
    Machine(
        name="mi250x", title="AMD Instinct MI250X", device="cuda", aliases=("mi250", "mi250x-gcd"),
        capability=(9, 0), arch="gfx90a", memory=65_520 * _MIB, processors=110, native=_BASE,
        storage=(*_FLOAT8, *_FLOAT8_FNUZ, *_FLOAT4), missing=("tf32",), hip=True,
        sources={
            **_SOURCES,
            "count": "a board is two devices (GCDs) to torch: '8xmi250x' is four boards",
        },
    ),
    Machine(
        name="mi300x", title="AMD Instinct MI300X", device="cuda", aliases=("mi300",), capability=(9, 4),
        arch="gfx942", memory=196_592 * _MIB, processors=304, native=(*_BASE, "tf32", *_FLOAT8_FNUZ),
        storage=(*_FLOAT8, *_FLOAT4), hip=True,
        sources=_SOURCES,
    ),
)
# fmt: on
