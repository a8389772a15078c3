"""Intel's GPUs, torch's `xpu`: the Data Center GPU Max (Ponte Vecchio) and Arc (Alchemist, Battlemage)."""

from __future__ import annotations

from .machine import Machine

_MIB = 1 << 20
_HALVES = ("float16", "bfloat16", "float32", "int8")
_PRINTED = (
    "total_memory and gpu_eu_count of torch.xpu.get_device_properties(), printed in {}"
)
_SOURCES = {
    "native": "SYCL extension sycl_ext_oneapi_matrix, 'Intel XMX Supported Combinations': fp16, bf16 and int8 on all "
    "four; float32 is the vector engines'",
    "float64": "has_fp64 of torch.xpu.get_device_properties()",
    "tf32": "the same table: tf32 on Ponte Vecchio and Battlemage (intel_gpu_pvc, intel_gpu_bmg_g21), not on Alchemist",
}


def _facts(printed: str) -> dict[str, str]:
    return _SOURCES | dict.fromkeys(("memory", "processors"), _PRINTED.format(printed))


# fmt: off
MACHINES = (
    Machine(
        name="max1550", title="Intel(R) Data Center GPU Max 1550", device="xpu",
        aliases=("max-1550", "pvc", "ponte-vecchio", "xpu"), arch="pvc", memory=65_520 * _MIB, processors=512,
        native=(*_HALVES, "float64", "tf32"),
        sources=_facts("torch-xpu-ops#3585")
        | {"count": "a board is two devices (stacks) to torch: '2xmax1550'"},
    ),
    Machine(
        name="max1100", title="Intel(R) Data Center GPU Max 1100", device="xpu", aliases=("max-1100",),
        arch="pvc", memory=49_136 * _MIB, processors=448, native=(*_HALVES, "float64", "tf32"),
        sources=_facts("torch-xpu-ops#4117"),
    ),
    Machine(
        name="b580", title="Intel(R) Arc(TM) B580 Graphics", device="xpu", aliases=("arc-b580", "arcb580"),
        arch="bmg-g21", memory=11_602 * _MIB, processors=160, native=(*_HALVES, "tf32"),
        sources=_SOURCES
        | {
            "memory": "11.33 GiB, intel/llm-scaler#305",
            "processors": "gpu_eu_count of the same chip as Arc Pro B60, printed in torch-xpu-ops#5258",
        },
    ),
    Machine(
        name="a770", title="Intel(R) Arc(TM) A770 Graphics", device="xpu", aliases=("arc-a770", "arca770"),
        arch="acm-g10", memory=15_473 * _MIB, processors=512, native=_HALVES, storage=("float64",),
        missing=("tf32",),
        sources=_facts("IPEX's issues and guides")
        | {
            "float64": "has_fp64=0: 'Required aspect fp64 is not supported on the device' (torch-xpu-ops#1742); copies "
            "run no kernel"
        },
    ),
)
# fmt: on
