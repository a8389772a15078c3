"""Contradictions of DeepSpeed's JSON."""

from __future__ import annotations

from . import ACCELERATE, TRAINER, ZERO, Case

CASES = {
    "deepspeed: fp16 and bf16 enabled": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": ▸true}, "bf16": {"enabled": true}')},
        rule="both-half-dtypes", says="bfloat16 and fp16 modes cannot be simultaneously enabled",
        fix=('"bf16": {"enabled": true}', '"bf16": {"enabled": false}'),
    ),
    "deepspeed: bf16_optimizer_states without bf16_master_weights_and_grads": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "bf16_optimizer_states": ▸true}')},
        rule="engine-options-exclude", says="requires bf16_master_weights_and_grads to be enabled",
        fix=('"bf16_optimizer_states"', '"bf16_master_weights_and_grads": true, "bf16_optimizer_states"'),
    ),
    "deepspeed: half masters of an optimizer on the GPU": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "bf16_master_weights_and_grads": ▸true}')},
        rule="engine-options-exclude", says="requires ZeRO-2 Offload with DeepSpeedCPUAdam",
        fix=('"bf16_master_weights_and_grads": true', '"bf16_master_weights_and_grads": true, "bf16_optimizer_states": true'),
    ),
    "deepspeed: float16 masters of an optimizer on the GPU": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true, "fp16_master_weights_and_grads": ▸true}')},
        rule="engine-options-exclude", says="requires ZeRO-2 Offload with DeepSpeedCPUAdam",
        fix=('"stage": 2', '"stage": 2, "offload_optimizer": {"device": "cpu"}'),
    ),
    "deepspeed: loss_scale boolean": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": ▸true}')},
        rule="rejected-value", says="fp16.loss_scale must be a number, not bool",
        fix=('"loss_scale": true', '"loss_scale": 0'),
    ),
    "deepspeed: bf16 with what is fp16's, in one finding": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "loss_scale": ▸0, "hysteresis": 2}')},
        rule="unknown-key", says="2 validation errors for bf16: loss_scale: Extra inputs are not permitted (DeepSpeed 0.17",
        fix=(', "loss_scale": 0, "hysteresis": 2', ""),
    ),
    'deepspeed: fp16.enabled "auto" with nobody to fill it': Case(
        files={"train.py": 'engine, *_ = deepspeed.initialize(model=model, config="ds.json")\n',
               "ds.json": ZERO.format('"fp16": {"enabled": ▸"auto"}')}, severity="warning",
        rule="auto-without-filler", says="takes it as off", fix=('"auto"', "true"),
    ),
    "deepspeed: amp with ZeRO": Case(
        files={"ds.json": ZERO.format('"amp": {"enabled": ▸true}')},
        rule="engine-options-exclude", says="Amp is not currently supported with ZeRO",
        fix=('"amp": {"enabled": true}', '"bf16": {"enabled": true}'),
    ),
    "deepspeed: amp with fp16": Case(
        files={"ds.json": '{"train_batch_size": 8, "amp": {"enabled": ▸true}, "fp16": {"enabled": true}}'},
        rule="engine-options-exclude", says="Cannot enable both amp with (legacy) fp16 or bfloat16 mode",
        fix=('"amp": {"enabled": true}, ', ""),
    ),
    "deepspeed: torch.autocast outside the engine": Case(
        files={"train.py": 'engine, *_ = deepspeed.initialize(model=model, config="ds.json")\n'
               'with torch.autocast("cuda", dtype=▸torch.bfloat16):\n    loss = engine(x)\n',
               "ds.json": ZERO.format('"bf16": {"enabled": true}')}, severity="warning",
        rule="autocast-around-engine", says="switches autocast off inside", also=("ds.json",),
        fix=('"bf16": {"enabled": true}', '"torch_autocast": {"enabled": true, "dtype": "bfloat16"}'),
    ),
    "deepspeed: zero++ with bf16 LoRA": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nuse_peft: true\ndeepspeed: ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}').replace(
                   '"stage": 2', '"stage": 3, "zero_quantized_weights": ▸true')},
        rule="quantized-collectives", says="bfloat16 is read as float16", severity="hint",
        fix=('"zero_quantized_weights": true', '"zero_quantized_weights": false'), also=("train.yaml",),
    ),
    "deepspeed: zero++ quantizes bf16 gradients": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true}').replace(
                   '"stage": 2', '"stage": 3, "zero_quantized_gradients": ▸true')},
        rule="quantized-collectives", says="reads the memory of bfloat16 gradients as float16", severity="warning",
        fix=('"bf16"', '"fp16"'),
    ),
    "deepspeed: zero++ quantizes the gradients of a launcher's bf16": Case(
        files={"a.yaml": ACCELERATE.format(kind="DEEPSPEED", value="bf16")
               + "deepspeed_config:\n  deepspeed_config_file: ds.json\n",
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}').replace(
                   '"stage": 2', '"stage": 3, "zero_quantized_gradients": ▸true')},
        rule="quantized-collectives", says="reads the memory of bfloat16 gradients", severity="warning",
        fix=("mixed_precision: bf16", "mixed_precision: fp16"), also=("a.yaml",),
    ),
    "deepspeed: zero++ quantizes fp16 gradients that are sent in float32": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true}, "communication_data_type": "fp32"').replace(
                   '"stage": 2', '"stage": 3, "zero_quantized_gradients": ▸true')},
        rule="quantized-collectives", says="reads the memory of float32 gradients", severity="warning",
        fix=(', "communication_data_type": "fp32"', ""),
    ),
    "deepspeed: inline in TrainingArguments": Case(
        files={"t.py": 'DS = {"zero_optimization": {"stage": 2}, "fp16": {"enabled": True}}\n'
               'a = TrainingArguments("o", bf16=▸True, deepspeed=DS)\ntrainer = Trainer(model=m, args=a)\n'},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values", fix=('"fp16"', '"bf16"'),
    ),
    "deepspeed: a script without an output folder": Case(
        files={"run.sh": "deepspeed train.py --bf16 ▸True --deepspeed ds.json\n",
               "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values", also=("ds.json",),
        fix=('"fp16": {"enabled": true}', '"bf16": {"enabled": "auto"}'),
    ),
    "deepspeed: param_dtype": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n "fp16": {"enabled": true},\n'
                ' "data_types": {"param_dtype": ▸"bf16"}\n}'
            ),
        },
        rule="engine-options-exclude", says="AssertionError: data_types.param_dtype='bf16' conflicts with",
        fix=('"bf16"}', '"fp16"}'),
    ),
    "deepspeed: grad accum without zero": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n "fp16": {"enabled": true},\n'
                ' "data_types": {"grad_accum_dtype": ▸"fp32"}\n}'
            ),
        },
        rule="engine-options-exclude", says="NotImplementedError: unsupported mix of model_dtype and grad",
        fix=('"train_batch_size": 8,', '"train_batch_size": 8, "zero_optimization": {"stage": 1},'),
    ),
    "deepspeed: min_loss_scale 0": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n'
                ' "fp16": {"enabled": true, "loss_scale": 0, "min_loss_scale": ▸0}\n}'
            ),
        },
        rule="rejected-value", says="ValueError: fp16.min_loss_scale must be > 0 when dynamic los",
        fix=('"min_loss_scale": 0', '"min_loss_scale": 1'),
    ),
    "deepspeed: loss_scale_window 0": Case(
        files={
            "ds.json": '{\n "train_batch_size": 8,\n "fp16": {"enabled": true, "loss_scale_window": ▸0}\n}',
        },
        rule="rejected-value", says="ValueError: fp16.loss_scale_window must be > 0 when dynamic",
        fix=('"loss_scale_window": 0', '"loss_scale_window": 100'),
    ),
    "deepspeed: loss_scale dynamic": Case(
        files={
            "ds.json": '{\n "train_batch_size": 8,\n "fp16": {"enabled": true, "loss_scale": ▸"dynamic"}\n}',
        },
        rule="rejected-value", says="ValueError: fp16.loss_scale must be a number",
        fix=('"dynamic"', "0"),
    ),
    "deepspeed: communication bfloat16": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n "bf16": {"enabled": true},\n'
                ' "communication_data_type": ▸"bfloat16"\n}'
            ),
        },
        rule="rejected-value", says="ValueError: Invalid communication_data_type. Supported data",
        fix=('"bfloat16"', '"bf16"'),
    ),
    "deepspeed: old spelling both": Case(
        files={
            "ds.json": '{\n "train_batch_size": 8,\n "fp16": {"enabled": ▸true},\n "bfloat16": {"enabled": true}\n}',
        },
        rule="both-half-dtypes", says="AssertionError: bfloat16 and fp16 modes cannot be simultaneo",
        fix=('"fp16": {"enabled": true}', '"fp16": {"enabled": false}'),
    ),
    "deepspeed: optimizer states without zero": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n'
                ' "bf16": {"enabled": true, "bf16_master_weights_and_grads": ▸true, "bf16_optimizer_states": true}\n'
                "}"
            ),
        },
        rule="engine-options-exclude", says="AssertionError: Bf16_master_weights_and_grads is only suppor",
        fix=('"train_batch_size": 8,', '"train_batch_size": 8, "zero_optimization": {"stage": 1},'),
    ),
    "deepspeed: bf16 on v100": Case(
        files={
            "ds.json": (
                '{\n "train_batch_size": 8,\n "bf16": {"enabled": ▸true},\n "zero_optimization": {"stage": 2}\n'
                "}"
            ),
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="v100", severity="warning",
        fix=('"bf16": {"enabled": true}', '"fp16": {"enabled": true}'),
    ),
    "deepspeed: amp alone": Case(
        files={"ds.json": '{"train_batch_size": 8, "amp": {"enabled": ▸true}}'},
        rule="engine-options-exclude", says="has been removed", fix=(', "amp": {"enabled": true}', ""),
    ),
    "deepspeed: amp switched off": Case(
        files={"ds.json": '{"train_batch_size": 8, "amp": {"enabled": ▸false}}'}, severity="warning",
        rule="engine-options-exclude", says="has been removed", fix=(', "amp": {"enabled": false}', ""),
    ),
    "deepspeed: half masters without ZeRO": Case(
        files={"ds.json": '{"train_batch_size": 8, "fp16": {"enabled": true, "fp16_master_weights_and_grads": ▸true}}'},
        rule="engine-options-exclude", says="only supported with ZeRO Stage 1, 2, or 3",
        fix=('"train_batch_size": 8', '"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}'),
    ),
    "deepspeed: torch_autocast beside quantized weights": Case(
        files={"ds.json": '{"torch_autocast": {"enabled": ▸true, "dtype": "bfloat16"},\n "zero_optimization": '
               '{"stage": 3, "zero_quantized_weights": true}}'},
        rule="engine-options-exclude", says="Cannot enable both torch autocast",
        fix=('"zero_quantized_weights": true', '"zero_quantized_weights": false'),
    ),
}  # fmt: skip
