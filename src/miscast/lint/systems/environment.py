"""Environment variables that change precision, from scripts, dotenv files and `os.environ[…] = …`."""

from __future__ import annotations

from ..system import Key, Number, Switch, System, Text

_TORCH = "torch/backends/cuda, aten/src/ATen/Context.cpp, 2.13.0"
_NVIDIA = "NVIDIA's documentation of NVIDIA_TF32_OVERRIDE (cuBLAS, cuDNN)"

_KEYS = (
    Key(
        name="ACCELERATE_MIXED_PRECISION",
        allowed=("no", "fp16", "bf16", "fp8"),
        source="accelerate/state.py, 1.15.0",
        rejects="ValueError: Unknown mixed_precision mode: {value}",
    ),
    Switch(name="ACCELERATE_USE_CPU", source="accelerate/state.py, 1.15.0"),
    Switch(name="ACCELERATE_USE_DEEPSPEED", source="accelerate/utils/launch.py, 1.15.0"),
    Switch(name="ACCELERATE_USE_FSDP", source="accelerate/utils/launch.py, 1.15.0"),
    Number(name="FSDP_VERSION", source="accelerate/utils/launch.py, 1.15.0"),
    Number(name="NVIDIA_TF32_OVERRIDE", means="0: no TF32 whatever the program says", source=_NVIDIA),
    Switch(
        name="TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", source=_TORCH, means="1: TF32 in matrix products, whatever the default"
    ),
    Switch(name="PYTORCH_ENABLE_MPS_FALLBACK", source="aten/src/ATen/mps, torch 2.13.0"),
    Text(name="CUDA_VISIBLE_DEVICES", source="CUDA C++ programming guide"),
    Switch(name="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", default=None, source="torch/serialization.py, 2.13.0"),
    Text(name="PL_TRAINER_PRECISION", source="lightning/pytorch/utilities/argparse.py, 2.6.6"),
    Text(name="LT_PRECISION", source="lightning/fabric/connector.py _argument_from_env, 2.6.6"),
    Switch(name="XLA_USE_BF16", until="torch_xla 2.6", source="pytorch/xla docs"),
    Switch(name="XLA_DOWNCAST_BF16", until="torch_xla 2.6", source="pytorch/xla docs"),
)

SYSTEM = System(
    name="environment",
    title="the environment",
    version="torch 2.13.0",
    source="each key's own",
    role="environment",
    keys=_KEYS,
    variables=tuple(key.name for key in _KEYS),
)
