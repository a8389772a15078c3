"""Contradictions of accelerate, and what it starts."""

from __future__ import annotations

from . import ACCELERATE, AXOLOTL, FACTORY, ZERO, Case

CASES = {
    "accelerate: mixed_precision: fp32": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp32")},
        rule="rejected-value", says="Unknown mixed_precision mode: fp32", fix=("fp32", "'no'"),
    ),
    "accelerate: a bare no is a boolean": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸no")},
        rule="rejected-value", says="'bool' object has no attribute 'lower'", fix=(": no\n", ": 'no'\n"),
    ),
    "accelerate: --mixed_precision bf16 with DeepSpeed json fp16": Case(
        files={"run.sh": "accelerate launch --config_file acc.yaml --mixed_precision ▸bf16 train.py\n",
               "acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
               "deepspeed_config:\n  deepspeed_config_file: ds.json\n",
               "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="cannot be set to `bf16` when `fp16` is set",
        fix=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
    "accelerate: the reverse": Case(
        files={"acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: ▸fp16\n"
               "deepspeed_config:\n  deepspeed_config_file: ds.json\n",
               "ds.json": ZERO.format('"bf16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="cannot be set to `fp16` when `bf16` is set",
        fix=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
    "accelerate: a second Accelerator with another precision": Case(
        files={"train.py": 'from accelerate import Accelerator\na = Accelerator(mixed_precision="bf16")\n'
               'b = Accelerator(mixed_precision=▸"fp16")\n'},
        rule="second-accelerator", says="AcceleratorState has already been initialized", fix=('"fp16"', '"bf16"'),
    ),
    "accelerate: fp8 without a backend": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp8")}, severity="warning",
        rule="fp8-not-available", says="requires `transformer_engine` or `MS-AMP`",
        fix=("fp8\n", "fp8\nfp8_config:\n  backend: TE\n"),
    ),
    "accelerate: fp8 on an old GPU becomes fp16": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp8") + "fp8_config:\n  backend: TE\n"},
        machine="a100", rule="fp8-not-available", says="trains in fp16 instead", fix=("fp8\n", "bf16\n"),
    ),
    "accelerate: fp16 trainable parameters with a grad scaler": Case(
        files={"train.py": "model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=▸torch.float16)\n"
               'args = TrainingArguments("out", fp16=True)\n'},
        rule="half-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients.",
        fix=("torch.float16", "torch.float32"),
    ),
    "accelerate: launch --mixed_precision does not set the script's own option": Case(
        files={"run.sh": "accelerate launch --mixed_precision ▸bf16 train_network.py --network_module=networks.lora\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="it trains in float32",
        fix=("train_network.py", "train_network.py --mixed_precision=bf16"),
    ),
    "launcher: the Trainer's own": Case(
        files={"run.sh": "accelerate launch --mixed_precision fp16 run_clm.py --output_dir o "
               "--per_device_train_batch_size 2 --bf16 ▸true\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="sets ACCELERATE_MIXED_PRECISION",
        fix=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "launcher: an option of its own": Case(
        files={"run.sh": "accelerate launch --mixed_precision bf16 train_dreambooth_lora.py "
               "--pretrained_model_name_or_path m --mixed_precision ▸fp16\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="overrides the launcher",
        fix=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "accelerate: FSDP fp8 no backend": Case(
        files={
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n"
                "  fsdp_sharding_strategy: FULL_SHARD\nmixed_precision: ▸fp8\nnum_processes: 8\n"
            ),
        },
        rule="fp8-not-available", says="ValueError: Using `fp8` precision", severity="warning",
        fix=("mixed_precision: fp8", "fp8_config:\n  backend: TE\nmixed_precision: fp8"),
    ),
    "accelerate: fp16 and use_cpu": Case(
        files={
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precision: ▸fp16\n"
                "use_cpu: true\n"
            ),
        },
        rule="float16-on-cpu", says="silent: no autocast, float32 throu", severity="warning",
        fix=("use_cpu: true", "use_cpu: false"),
    ),
    "accelerate: Accelerator in code against launch": Case(
        files={
            "r.sh": "accelerate launch --mixed_precision fp16 train.py\n",
            "train.py": 'from accelerate import Accelerator\na = Accelerator(mixed_precision=▸"bf16")\n',
        },
        rule="launcher-precision-unlike-script", says="silent: the argument bf16 override", severity="warning",
        fix=('"bf16"', '"fp16"'),
    ),
    "accelerate: float16": Case(
        files={
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: ▸float16\n"
                "num_processes: 2\n"
            ),
        },
        rule="rejected-value", says="ValueError: Unknown mixed_precision mode: float16. Choose be",
        fix=("mixed_precision: float16", "mixed_precision: fp16"),
    ),
    "accelerate: capitals on a command line": Case(
        files={"r.sh": "accelerate launch --mixed_precision=▸FP16 train.py\n"},
        rule="rejected-value", says="Unknown mixed_precision mode", fix=("FP16", "fp16"),
    ),
    "accelerate: axolotl's own precision": Case(
        files={"r.sh": "accelerate launch --mixed_precision fp16 -m axolotl.cli.train c.yml\n",
               "c.yml": AXOLOTL.format("bf16: ▸true\nadapter: lora")},
        severity="warning", rule="launcher-precision-unlike-script", says="sets ACCELERATE_MIXED_PRECISION",
        fix=("mixed_precision fp16", "mixed_precision bf16"), also=("r.sh",),
    ),
    "accelerate: LLaMA-Factory's own precision": Case(
        files={"r.sh": "accelerate launch --config_file a.yaml src/train.py t.yaml\n",
               "a.yaml": ACCELERATE.format(kind="MULTI_GPU", value="fp16"), "t.yaml": FACTORY.format("bf16: ▸true")},
        severity="warning", rule="launcher-precision-unlike-script", says="sets ACCELERATE_MIXED_PRECISION",
        fix=("bf16: true", "fp16: true"), also=("a.yaml",),
    ),
    "accelerate: DeepSpeed's bf16 among its own options": Case(
        files={"a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: 'no'\n"
               "deepspeed_config:\n  zero_stage: 2\n  bf16:\n    enabled: ▸true\n"},
        severity="warning", rule="setting-has-no-effect", says="takes the dtype from mixed_precision, here no",
        fix=("'no'", "bf16"),
    ),
    "accelerate: DeepSpeed's bf16 among its own options, which the trainer has by itself": Case(
        files={"a.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n  bf16:\n    enabled: ▸true\n",
               "r.sh": "accelerate launch --config_file a.yaml trl/scripts/sft.py --model_name_or_path m --use_peft "
               "--output_dir o\n"},
        severity="hint", rule="setting-has-no-effect", says="the trainer's own bf16 decides",
        fix=("  bf16:\n    enabled: true\n", ""),
    ),
    "accelerate: DeepSpeed's fp16 among its own options": Case(
        files={"a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: bf16\n"
               "deepspeed_config:\n  zero_stage: 2\n  fp16: ▸{enabled: true}\n".replace("▸{enabled: true", "{enabled: ▸true")},
        severity="warning", rule="setting-has-no-effect", says="here bf16", fix=("  fp16: {enabled: true}\n", ""),
    ),
}  # fmt: skip
