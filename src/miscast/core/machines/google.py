"""Google's TPUs, by torch_xla: device type `xla`, which torch has no kernels for, so that only `lint` knows it."""

from .machine import Machine

# fmt: off
MACHINES = (
    Machine(
        name="tpu-v5e", title="TPU v5e", device="xla", aliases=("tpu", "tpuv5e", "v5e"), memory=16 << 30,
        native=("bfloat16", "int8"), missing=("tf32",),
        sources={
            "tf32": "torch.backends.cuda.matmul.allow_tf32 is a switch of cuBLAS's; it has no effect",
            "memory": "cloud.google.com/tpu/docs/v5e: HBM capacity per chip 16 GB",
            "native": "the same: peak compute per chip is given in bf16 and int8; cloud.google.com/tpu/docs/bfloat16: "
            "float32 is multiplied as bfloat16, too, unless a program asks for more",
        },
    ),
)
# fmt: on
