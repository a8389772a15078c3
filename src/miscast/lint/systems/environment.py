"""Environment variables that change precision, from scripts, dotenv files and `os.environ[…] = …`."""

from __future__ import annotations

from ..system import Key, System

_TORCH = "torch/backends/cuda, aten/src/ATen/Context.cpp, 2.13.0"
_NVIDIA = "NVIDIA's documentation of NVIDIA_TF32_OVERRIDE (cuBLAS, cuDNN)"

_KEYS = (
    Key(name="ACCELERATE_MIXED_PRECISION", allowed=("no", "fp16", "bf16", "fp8"), source="accelerate/state.py, 1.15.0",
        rejects="ValueError: Unknown mixed_precision mode: {value}"),
    Key(name="ACCELERATE_USE_CPU", kind="bool", default=False, source="accelerate/state.py, 1.15.0"),
    Key(name="ACCELERATE_USE_DEEPSPEED", kind="bool", default=False, source="accelerate/utils/launch.py, 1.15.0"),
    Key(name="ACCELERATE_USE_FSDP", kind="bool", default=False, source="accelerate/utils/launch.py, 1.15.0"),
    Key(name="FSDP_VERSION", kind="number", source="accelerate/utils/launch.py, 1.15.0"),
    Key(name="NVIDIA_TF32_OVERRIDE", kind="number", means="0: no TF32 whatever the program says", source=_NVIDIA),
    Key(name="TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", kind="bool", default=False, source=_TORCH,
        means="1: TF32 in matrix products, whatever the default"),
    Key(name="PYTORCH_ENABLE_MPS_FALLBACK", kind="bool", default=False, source="aten/src/ATen/mps, torch 2.13.0"),
    Key(name="CUDA_VISIBLE_DEVICES", kind="text", source="CUDA C++ programming guide"),
    Key(name="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", kind="bool", source="torch/serialization.py, 2.13.0"),
    Key(name="PL_TRAINER_PRECISION", kind="text", source="lightning/pytorch/utilities/argparse.py, 2.6.6"),
    Key(name="LT_PRECISION", kind="text", source="lightning/fabric/connector.py _argument_from_env, 2.6.6"),
    Key(name="XLA_USE_BF16", kind="bool", default=False, until="torch_xla 2.6", source="pytorch/xla docs"),
    Key(name="XLA_DOWNCAST_BF16", kind="bool", default=False, until="torch_xla 2.6", source="pytorch/xla docs"),
)  # fmt: skip

SYSTEM = System(
    name="environment",
    title="the environment",
    version="torch 2.13.0",
    source="each key's own",
    role="environment",
    keys=_KEYS,
    variables=tuple(key.name for key in _KEYS),
)
