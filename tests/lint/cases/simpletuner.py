"""Contradictions of SimpleTuner's configurations."""

from __future__ import annotations

from . import SIMPLETUNER, TUNER, Case

CASES = {
    "simpletuner: gradient_precision=fp32, bf16 parameters, DDP, accumulation": Case(
        files={"config.env": SIMPLETUNER.format(processes=2, steps=4, optimizer="adamw_bf16")},
        rule="gradient-dtype-unlike-parameters", says="Expected BFloat16, got Float",
        fix=("--gradient_precision=fp32", "--gradient_precision=unmodified"),
    ),
    "simpletuner: the same without DDP and an Adam of torch's": Case(
        files={"config.env": SIMPLETUNER.format(processes=1, steps=1, optimizer="adamw")},
        rule="gradient-dtype-unlike-parameters", says="expected dtype c10::BFloat16 for `end` but got dtype float",
        fix=('MIXED_PRECISION="bf16"', 'MIXED_PRECISION="no"'),
    ),
    "simpletuner: gradient_precision=fp32 with an optimizer outside its table": Case(
        files={"config.env": SIMPLETUNER.format(processes=1, steps=1, optimizer="optimi-lion")}, severity="warning",
        rule="gradient-dtype-unlike-parameters", says="becomes unmodified",
        fix=("--gradient_precision=fp32", ""),
    ),
    "simpletuner: gradient_precision=bf16": Case(
        files={"config.json": TUNER.format('"mixed_precision": "bf16",\n  "gradient_precision": ▸"bf16"')},
        rule="rejected-value", says="invalid choice: 'bf16'", fix=('"gradient_precision": "bf16"', '"x": "bf16"'),
    ),
    "simpletuner: adamw_bf16 with fp32 parameters": Case(
        files={"config.json": TUNER.format('"mixed_precision": "no",\n  "optimizer": ▸"adamw_bf16"')},
        rule="optimizer-demands-dtype", says="requires it", fix=('"no"', '"bf16"'),
    ),
    "simpletuner: adamw_bf16 with fp16 parameters": Case(
        files={"config.toml": 'model_family = "sdxl"\nmixed_precision = "fp16"\noptimizer = ▸"adamw_bf16"\n'},
        rule="optimizer-demands-dtype", says="only bfloat 16", fix=('"fp16"', '"bf16"'),
    ),
    "simpletuner: mixed_precision=fp8 without CUDA": Case(
        files={"config.json": TUNER.format('"mixed_precision": ▸"fp8"')}, machine="m2",
        rule="fp8-not-available", says="needs CUDA", fix=('"fp8"', '"bf16"'),
    ),
    "simpletuner: base_model_default_dtype=fp16 with a quantized base": Case(
        files={"config.json": TUNER.format('"base_model_precision": "int8-quanto",\n'
                                           '  "base_model_default_dtype": ▸"fp16"')},
        rule="rejected-value", says="invalid choice: 'fp16'", fix=('"fp16"', '"bf16"'),
    ),
    "simpletuner: quanto and torchao mixed across components": Case(
        files={"config.json": TUNER.format('"base_model_precision": ▸"int8-quanto",\n'
                                           '  "text_encoder_1_precision": "int8-torchao"')},
        rule="quantizers-mixed", says="Cannot mix", fix=("int8-torchao", "int8-quanto"),
    ),
    "simpletuner: flash attention in float32": Case(
        files={"config.json": TUNER.format('"mixed_precision": "no",\n  "optimizer": "adamw",\n'
                                           '  "attention_mechanism": ▸"sageattention"')},
        rule="attention-needs-half", says="No available kernel", fix=('"no"', '"bf16"'),
    ),
    "simpletuner: a moving average of bfloat16": Case(
        files={
            "config.json": '{\n "model_family": "sd3",\n "model_type": "full",\n "use_ema": ▸true\n}',
            "config.env": "export MIXED_PRECISION=bf16\n",
        },
        rule="average-in-half", says="rounded away", severity="warning", fix=('"use_ema": true', '"use_ema": false'),
    ),
    "simpletuner: fp8 on int8": Case(
        files={
            "config.json": (
                '{\n "model_family": "flux",\n "model_type": "lora",\n "output_dir": "o",\n'
                ' "num_train_epochs": 1,\n "mixed_precision": ▸"fp8",\n "base_model_precision": "int8-quanto"\n'
                "}"
            ),
        },
        rule="quantization-excludes", says="ValueError: You cannot use --mixed_precision=fp8 with a quan",
        fix=("int8-quanto", "fp8-torchao"),
    ),
    "simpletuner: float16 throughout under a grad scaler": Case(
        files={"config.json": TUNER.format('"mixed_precision": ▸"fp16",\n  "optimizer": "torch-adamw"')},
        rule="half-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients",
        fix=('"fp16"', '"bf16"'),
    ),
    "simpletuner: all of a quantized base is trained": Case(
        files={"config.json": '{\n "model_family": "sdxl",\n "model_type": "full",\n'
                              ' "base_model_precision": ▸"int8-quanto"\n}'},
        rule="quantization-excludes", says="not compatible with quantisation",
        fix=('"full"', '"lora"'),
    ),
    "simpletuner: gradient precision, whole file": Case(
        files={
            "config.json": (
                '{\n "data_backend_config": "b.json",\n "model_family": "sdxl",\n "model_type": "full",\n'
                ' "output_dir": "o",\n "num_train_epochs": 1,\n "learning_rate": 1e-5,\n'
                ' "lr_scheduler": "constant",\n "seed": 42,\n "resume_from_checkpoint": "latest",\n'
                ' "push_to_hub": false,\n "gradient_checkpointing": true,\n "optimizer": "torch-adamw",\n'
                ' "mixed_precision": "bf16",\n "gradient_precision": ▸"fp32"\n}'
            ),
        },
        rule="gradient-dtype-unlike-parameters", says="becomes unmodified", severity="warning",
        fix=('"gradient_precision": "fp32"', '"gradient_precision": "unmodified"'),
    ),
    "simpletuner: text encoder precision": Case(
        files={
            "config.json": (
                '{\n "model_family": "flux",\n "model_type": "lora",\n "text_encoder_1_precision": ▸"fp16"\n}'
            ),
        },
        severity="hint", rule="rejected-value", says="argparse: invalid choice: 'fp16'",
        fix=('"fp16"', '"int8-quanto"'),
    ),
    "simpletuner: adamw_bf16 quantized fp32": Case(
        files={
            "config.env": (
                "export MODEL_FAMILY=flux\nexport MIXED_PRECISION=bf16\nexport OPTIMIZER=▸adamw_bf16\n"
                "export BASE_MODEL_PRECISION=int8-quanto\n"
                'export TRAINER_EXTRA_ARGS="--base_model_default_dtype=fp32"\n'
            ),
        },
        rule="optimizer-demands-dtype", says="ValueError: Model is not using bf16 precision, but the optim",
        fix=("=fp32", "=bf16"),
    ),
    "simpletuner: adam_bfloat16 fp16": Case(
        files={
            "config.env": "export MODEL_FAMILY=sdxl\nexport MIXED_PRECISION=fp16\nexport OPTIMIZER=▸adam_bfloat16\n",
        },
        rule="optimizer-demands-dtype", says="ValueError: Model is not using bf16 precision, but the optim",
        fix=("=fp16", "=bf16"),
    ),
    "simpletuner: slip": Case(
        files={
            "config.json": '{\n "model_family": "sdxl",\n "model_type": "full",\n "gradent_precision": ▸"fp32"\n}',
        },
        rule="unknown-key", says="silent: it is ignored, and the default stays", severity="warning",
        fix=('"gradent_precision": "fp32"', '"gradient_precision": "unmodified"'),
    ),
    "simpletuner: another half than DeepSpeed's JSON": Case(
        files={"config.json": TUNER.format('"mixed_precision": ▸"bf16",\n  "optimizer": "adamw_bf16"'),
               "ds.json": '{"fp16": {"enabled": true}, "zero_optimization": {"stage": 2}}'},
        rule="engine-contradicts-launcher", says="`--mixed_precision` arg cannot be set to `bf16` when `fp16` is set",
        fix=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
}  # fmt: skip
