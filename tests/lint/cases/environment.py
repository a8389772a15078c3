"""Contradictions of environment variables."""

from __future__ import annotations

from . import ACCELERATE, Case

CASES = {
    "environment: NVIDIA_TF32_OVERRIDE against tf32": Case(
        files={"run.sh": "export NVIDIA_TF32_OVERRIDE=▸0\n"
               "python run_clm.py --output_dir o --per_device_train_batch_size 2 --tf32 true\n"},
        severity="warning", rule="environment-overrides-setting", says="use no TF32", fix=("OVERRIDE=0", "OVERRIDE=1"),
    ),
    "environment: TORCH_ALLOW_TF32_CUBLAS_OVERRIDE against allow_tf32": Case(
        files={"run.sh": "export TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=▸1\npython train.py\n",
               "train.py": "import torch\ntorch.backends.cuda.matmul.allow_tf32 = False\n"},
        severity="warning", rule="environment-overrides-setting", says="from the start", fix=("=1", "=0"),
        also=("train.py",),
    ),
    "environment: ACCELERATE_MIXED_PRECISION against the YAML": Case(
        files={".env": "ACCELERATE_MIXED_PRECISION=▸fp16\n",
               "accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="bf16")},
        severity="warning", rule="environment-overrides-setting", says="reads the variable", fix=("fp16", "bf16"),
        also=("accelerate.yaml",),
    ),
    "environment: fp32": Case(
        files={
            ".env": "ACCELERATE_MIXED_PRECISION=▸fp32\n",
        },
        rule="rejected-value", says="ValueError: Unknown mixed_precision mode: fp32",
        fix=("=fp32", "=no"),
    ),
    "environment: mps fallback set after torch": Case(
        files={
            "t.py": (
                'import os\nimport torch\nos.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = ▸"1"\n'
                'model = torch.nn.Linear(2, 2).to("mps")\n'
            ),
        },
        rule="environment-set-too-late", says="silent: it has no effect in this p", machine="m2", severity="warning",
        fix=(
            'import os\nimport torch\nos.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"\n',
            'import os\nos.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"\nimport torch\n',
        ),
    ),
    "environment: bf16, ds fp16": Case(
        files={
            ".env": "ACCELERATE_MIXED_PRECISION=▸bf16\n",
            "ds.json": (
                '{\n "fp16": {"enabled": true},\n'
                ' "zero_optimization": {"stage": 2}, "train_batch_size": "auto"\n}'
            ),
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n"
                "  deepspeed_config_file: ds.json\n"
            ),
        },
        rule="engine-contradicts-launcher", says="ValueError: `--mixed_precision` arg cannot be set to `bf16`",
        fix=('"enabled": true', '"enabled": "auto"'),
    ),
}  # fmt: skip
