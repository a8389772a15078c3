"""What lint says of the installed libraries, they do: each effect is raised by the library itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import warm

PROGRAMS = {
    "both halves": (
        "from transformers import TrainingArguments\nTrainingArguments('o', fp16=True, bf16=True, use_cpu=True)",
        "At most one of fp16 and bf16 can be True, but not both",
    ),
    "bf16 without a GPU and use_cpu": (
        "from transformers import TrainingArguments\nTrainingArguments('o', bf16=True)",
        "Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the model on CPU.",
    ),
    "tf32 without Ampere": (
        "from transformers import TrainingArguments\nTrainingArguments('o', tf32=True)",
        "--tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7",
    ),
    "4 and 8 bits": (
        "from transformers import BitsAndBytesConfig\nBitsAndBytesConfig(load_in_4bit=True, load_in_8bit=True)",
        "load_in_4bit and load_in_8bit are both True, but only one can be used at the same time",
    ),
    "a precision that accelerate does not know": (
        "from accelerate import Accelerator\nAccelerator(mixed_precision='fp32')",
        "Unknown mixed_precision mode: fp32. Choose between ['no', 'fp8', 'fp16', 'bf16']",
    ),
    "a second Accelerator": (
        "from accelerate import Accelerator\nAccelerator(mixed_precision='bf16')\nAccelerator(mixed_precision='fp16')",
        "AcceleratorState has already been initialized and cannot be changed",
    ),
    "fp8 without a backend": (
        "from accelerate import Accelerator\nAccelerator(mixed_precision='fp8')",
        "Using `fp8` precision requires `transformer_engine` or `MS-AMP` to be installed.",
    ),
    "DeepSpeed's JSON against the launcher": (
        "from types import SimpleNamespace as N\nfrom accelerate.utils import DeepSpeedPlugin as P\nP.set_mixed_precision(N(deepspeed_config={'fp16': {'enabled': True}}, enable_msamp=False), 'bf16')",
        "`--mixed_precision` arg cannot be set to `bf16` when `fp16` is set in the DeepSpeed config file.",
    ),
    "autocast to float32 on a CPU": (
        "import torch, warnings\nwarnings.simplefilter('error')\ntorch.autocast('cpu', torch.float32)",
        "In CPU autocast, but the target dtype is not supported. Disabling autocast.",
    ),
    "float16 gradients at a scaler": (
        "import torch\np = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))\np.grad = p.detach().clone()\ns = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.unscale_(torch.optim.SGD([p]))",
        "Attempting to unscale FP16 gradients.",
    ),
    "a float32 gradient at torch's Adam": (
        "import torch\np = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16))\np.grad = p.detach().clone()\np.grad.data = p.grad.data.float()\ntorch.optim.AdamW([p], foreach=False).step()",
        "expected dtype c10::BFloat16 for `end` but got dtype float",
    ),
    "NumPy and bfloat16": (
        "import torch\ntorch.ones(1, dtype=torch.bfloat16).numpy()",
        "Got unsupported ScalarType BFloat16",
    ),
    "float8 in an addition": (
        "import torch\ntorch.ones(1) + torch.ones(1, dtype=torch.float8_e4m3fn)",
        "Promotion for Float8 Types is not supported",
    ),
    "modules that an adapter trains whole keep the dtype of the base": (
        ("import peft, sys, torch\nm = torch.nn.Sequential()\nm.q, m.head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)\n"
        "m = peft.get_peft_model(m.half(), peft.LoraConfig(target_modules=['q'], modules_to_save=['head']))\n"
        "sys.exit(' '.join(sorted({f'{n} {p.dtype}' for n, p in m.named_parameters() if p.requires_grad})))"),
        "head.modules_to_save.default.weight torch.float16",
    ),
    "float16 on a CPU": (
        ("import sys\nfrom accelerate import Accelerator\n"
        "a = Accelerator(mixed_precision='fp16', cpu=True)\nsys.exit(f'{a.native_amp} {a.scaler}')"),
        "False None",
    ),
    "a precision in capitals": (
        "import sys\nfrom accelerate import Accelerator\nsys.exit(Accelerator(mixed_precision='BF16', cpu=True).mixed_precision)",
        "bf16",
    ),
    "a variable that is set too late": (
        ("import os, sys\nimport torch\nos.environ['TORCH_ALLOW_TF32_CUBLAS_OVERRIDE'] = '1'\n"
        "sys.exit('is ' + torch.get_float32_matmul_precision() + '.')"),
        "is highest.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PROGRAMS)
def test_the_library_raises_what_lint_says(case, tmp_path):
    program, said = PROGRAMS[case]
    env = {k: v for k, v in os.environ.items() if not k.startswith("ACCELERATE")} | {"CUDA_VISIBLE_DEVICES": ""}
    ran = warm.python("-c", program, folder=tmp_path, environment=env)
    assert said in " ".join(ran.stderr.split())


def test_a_variable_that_is_set_before_torch_is_loaded_counts(tmp_path):
    program = (
        "import os, sys\nos.environ['TORCH_ALLOW_TF32_CUBLAS_OVERRIDE'] = '1'\nimport torch\n"
        "sys.exit('is ' + torch.get_float32_matmul_precision() + '.')"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "is high." in ran.stderr


def test_half_a_step_is_what_torch_rounds_to():
    import torch

    from miscast.lint.rules.half_updates_too_small import half_unit_in_last_place

    weight = torch.tensor(0.02, dtype=torch.bfloat16)
    assert weight + 0.9 * half_unit_in_last_place() == weight
    assert weight + 1.1 * half_unit_in_last_place() != weight


def test_a_bare_no_in_yaml_breaks_the_launcher(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precision: no\nuse_cpu: true\n"
    )
    (tmp_path / "t.py").write_text("print('ran')\n")
    ran = warm.python("-m", "accelerate.commands.launch", "--config_file", "a.yaml", "t.py", folder=tmp_path)
    assert "AttributeError: 'bool' object has no attribute 'lower'" in ran.stderr
