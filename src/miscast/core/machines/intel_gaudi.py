"""Intel Gaudi, by the Habana bridge: device type `hpu`, which torch has no kernels for: only `lint` knows it."""

from .machine import Machine

_GIB = 1 << 30
_SOURCES = {
    "memory": "Transformers 5.10, 'Intel Gaudi': 32, 96 and 128 GB of memory on Gaudi 1, 2 and 3",
    "bfloat16": "the same: all Gaudi generations support bf16 natively",
    "tf32": "torch.backends.cuda.matmul.allow_tf32 is a switch of cuBLAS's; it has no effect",
    "native": "docs.habana.ai, 'PyTorch Operators': conv2d and linear in FP32, BF16, FP16 and FP8",
}

# fmt: off
MACHINES = (
    Machine(
        name="gaudi", title="Intel Gaudi", device="hpu", aliases=("gaudi1",), memory=32 * _GIB,
        native=("bfloat16",), missing=("tf32",),
        sources=_SOURCES,
    ),
    *(
        Machine(
            name=f"gaudi{generation}", title=f"Intel Gaudi {generation}", device="hpu",
            aliases=("hpu",) if generation == 2 else (), memory=memory * _GIB,
            native=("bfloat16", "float32", "float16", "float8_e4m3fn", "float8_e5m2"), missing=("tf32",),
            sources=_SOURCES
            | dict.fromkeys(
                ("float8_e4m3fn", "float8_e5m2"),
                "Intel Neural Compressor, 'FP8 Quantization': E4M3, E5M2 from Gaudi 2 on; accelerate/state.py, 1.15.0",
            ),
        )
        for generation, memory in ((2, 96), (3, 128))
    ),
)
# fmt: on
