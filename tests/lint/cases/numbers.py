"""Contradictions of numbers that are lost."""

from __future__ import annotations

from . import KOHYA, ZERO, Case, sdxl

CASES = {
    "numbers: torchtitan in bfloat16 at 1e-6": Case(
        files={"t.toml": '[training]\nseq_len = 8192\ndtype = "bfloat16"\n[optimizer]\nname = "AdamW"\nlr = ▸1e-6\n'},
        severity="warning", rule="half-updates-too-small", says="rounded away", fix=('"bfloat16"', '"float32"'),
    ),
    "numbers: sd-scripts' full_bf16 with AdamW": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nfull_bf16 = true\noptimizer_type = "AdamW"\n'
                                           "learning_rate = ▸1e-6")},
        severity="warning", rule="half-updates-too-small", says="rounded away", fix=('"AdamW"', '"Adafactor"'),
    ),
    "numbers: OneTrainer's bfloat16 weights without stochastic rounding": Case(
        files={"config.json": sdxl(unet="BFLOAT_16", optimizer={"optimizer": "ADAMW", "stochastic_rounding": False})
               .replace("0.0001", "▸0.000003")},
        severity="warning", rule="half-updates-too-small", says="rounded away", fix=("false\n  }", "true\n  }"),
    ),
    "numbers: a moving average in bfloat16": Case(
        files={"config.json": sdxl(unet="BFLOAT_16", ema="▸GPU")}, severity="warning",
        rule="average-in-half", says="rounded away", fix=('"ema": "GPU"', '"ema": "OFF"'),
    ),
    "numbers: bf16 gradients reduced in fp16": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true}, "communication_data_type": ▸"fp16"')},
        severity="warning", rule="reduction-overflows", says="infinite on every rank", fix=('"fp16"', '"fp32"'),
    ),
    "numbers: FSDP reduces in float16": Case(
        files={"train.py": "p = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=▸torch.float16)\n"},
        severity="warning", rule="reduction-overflows", says="infinite on every rank",
        fix=("reduce_dtype=torch.float16", "reduce_dtype=torch.float32"),
    ),
    "numbers: Lightning's 16-true": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"16-true")\n'}, severity="warning",
        rule="float16-without-loss-scaling", says="underflow", fix=("16-true", "16-mixed"),
    ),
    "numbers: DeepSpeed's loss_scale of 1": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": ▸1}')}, severity="warning",
        rule="float16-without-loss-scaling", says="underflow", fix=('"loss_scale": 1', '"loss_scale": 0'),
    ),
}  # fmt: skip
