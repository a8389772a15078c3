"""A processor alone: what a CPU build of torch says, whatever the real host has."""

from .machine import Machine

_FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")

# fmt: off
MACHINES = (
    Machine(
        name="cpu", title="cpu", device="cpu", native=("float32", "float64", "float16", "bfloat16", "int8"),
        storage=_FLOAT8, missing=("tf32",),
        sources={
            "native": "torch's CPU kernels run all of them; whether float16 and bfloat16 are fast depends on the "
            "processor (AVX512_BF16, AMX, Arm FEAT_BF16), which is not known here, so none is reported as slow",
            "storage": "torch 2.13 CPU, run: of the products only torch._scaled_mm takes them, all four; no current "
            "processor multiplies in them",
            "missing": "torch.backends.cuda.matmul.allow_tf32 has no effect on CPU",
        },
    ),
)
# fmt: on
