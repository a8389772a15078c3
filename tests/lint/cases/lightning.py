"""Contradictions of Lightning and Fabric."""

from __future__ import annotations

from . import Case

CASES = {
    "lightning: 16-mixed on CPU becomes bf16-mixed": Case(
        files={"train.py": 'trainer = pl.Trainer(accelerator="cpu", precision=▸"16-mixed")\n'}, severity="warning",
        rule="setting-has-no-effect", says="Using `precision='bf16-mixed'` instead", fix=('"cpu"', '"gpu"'),
    ),
    "lightning: precision and a precision plugin together": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"16-mixed", plugins=[HalfPrecision("bf16-true")])\n'},
        rule="precision-and-plugin", says="Received both", fix=('precision="16-mixed", ', ""),
    ),
    "lightning: ModelParallelStrategy with 16-mixed": Case(
        files={"train.py": 'trainer = Trainer(strategy=ModelParallelStrategy(), precision=▸"16-mixed")\n'},
        rule="strategy-excludes-precision", says="does not support", fix=('"16-mixed"', '"bf16-mixed"'),
    ),
    "lightning: bitsandbytes off CUDA": Case(
        files={"train.py": 'trainer = Trainer(accelerator="cpu", plugins=[▸BitsandbytesPrecision(mode="nf4")])\n'},
        rule="quantization-excludes", says="only supported on CUDA GPUs", fix=('"cpu"', '"cuda"'),
    ),
    "lightning: a CLI file": Case(
        files={"config.yaml": "trainer:\n  accelerator: gpu\n  strategy:\n    class_path: "
               "lightning.pytorch.strategies.ModelParallelStrategy\n  precision: ▸64-true\n"},
        rule="strategy-excludes-precision", says="does not support", fix=("64-true", "32-true"),
    ),
    "lightning: a precision that is none": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"fp16")\n'},
        rule="rejected-value", says="Precision 'fp16' is invalid", fix=('"fp16"', '"16-mixed"'),
    ),
    "lightning: deepspeed 64-true": Case(
        files={
            "t.py": 'trainer = L.Trainer(strategy="deepspeed_stage_2", precision=▸"64-true", accelerator="gpu")\n',
        },
        rule="strategy-excludes-precision", says="ValueError: `precision='64-true')` is not supported in DeepS",
        fix=("64-true", "32-true"),
    ),
    "lightning: fsdp 64-true": Case(
        files={
            "t.py": 'trainer = L.Trainer(\n strategy="fsdp",\n precision=▸"64-true")\n',
        },
        rule="strategy-excludes-precision", says="ValueError: `precision='64-true')` is not supported in FSDP.",
        fix=("64-true", "16-mixed"),
    ),
    "lightning: fp16": Case(
        files={
            "t.py": 't = L.Trainer(precision=▸"fp16", max_epochs=1)\n',
        },
        rule="rejected-value", says="ValueError: Precision 'fp16' is invalid. Allowed precision v",
        fix=('"fp16"', '"16-mixed"'),
    ),
    "lightning: cli bf16 on v100": Case(
        files={
            "c.yaml": "trainer:\n  max_epochs: 2\n  precision: ▸bf16\n",
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="v100", severity="warning",
        fix=("precision: bf16", "precision: 16-mixed"),
    ),
    "lightning: TE on a100": Case(
        files={
            "t.py": 't = L.Trainer(precision=▸"transformer-engine", accelerator="gpu")\n',
        },
        rule="fp8-not-available", says="AssertionError of TransformerEngine: Device compute capabili", machine="a100",
        fix=("transformer-engine", "bf16-mixed"),
    ),
    "lightning: 8": Case(
        files={
            "t.py": "t = pl.Trainer(max_epochs=1, precision=▸8)\n",
        },
        rule="rejected-value", says="ValueError: Precision 8 is invalid. Allowed precision values",
        fix=("precision=8", "precision=16"),
    ),
    "lightning: fabric TE twice": Case(
        files={
            "t.py": (
                'f = Fabric(\n precision=▸"bf16-true",\n'
                " plugins=TransformerEnginePrecision(weights_dtype=torch.bfloat16))\n"
            ),
        },
        rule="precision-and-plugin", says="ValueError: Received both `precision=bf16-true` and `plugins",
        fix=('precision="bf16-true",', ""),
    ),
}  # fmt: skip
