"""Apple's M series: one GPU that shares the machine's memory, torch's `mps`."""

from __future__ import annotations

from .machine import Machine

_GIB = 1 << 30
_FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
_SOURCES = {
    "memory": "a common size of the base chip's machines; shared with the processor",
    "processors": "GPU cores of the base chip, Apple's technical specifications",
    "native": "Metal Shading Language specification, scalar types: half, float, and bfloat from Metal 3.1",
    "bfloat16": "macOS 14 or newer; M1 and M2 compute it through float32 (transformers#40458, mlx-examples#186)",
    "float64": "aten/src/ATen/mps: Cannot convert a MPS Tensor to float64 dtype as MPS does not support it",
    "complex128": "aten/src/ATen/mps: Trying to convert ComplexDouble to the MPS backend but it …",
    "tf32": "torch.backends.cuda.matmul.allow_tf32 has no effect on MPS",
    **dict.fromkeys(_FLOAT8, "Trying to convert Float8_e4m3fn to the MPS backend but it does not … (pytorch#148420)"),
}  # fmt: skip


def _chip(number: int, gib: int, cores: int, *aliases: str) -> Machine:
    emulates = number < 3  # the M3's GPU is the first with bfloat16 arithmetic
    return Machine(
        name=f"m{number}",
        title=f"Apple M{number}",
        device="mps",
        aliases=(f"apple-m{number}", *aliases),
        memory=gib * _GIB,
        processors=cores,
        native=("float16", "float32", *(() if emulates else ("bfloat16",))),
        emulated=("bfloat16",) if emulates else (),
        missing=("float64", "complex128", "tf32", *_FLOAT8),
        sources=_SOURCES,
    )


MACHINES = (
    _chip(1, 16, 8, "mps"), _chip(2, 16, 10), _chip(3, 16, 10), _chip(4, 16, 10),
)  # fmt: skip
