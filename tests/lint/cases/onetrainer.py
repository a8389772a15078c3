"""Contradictions of OneTrainer's configurations."""

from __future__ import annotations

from . import Case, sdxl, uniform

CASES = {
    "onetrainer: uniform half dtypes with VAE, and a generated mask": Case(
        files={"config.json": uniform("FLOAT_16", masked_training=True)},
        severity="warning", rule="uniform-half-without-autocast", says="mat1 and mat2 must have the same dtype, but got Float and Half",
        fix=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: the same with masks for some images only": Case(
        files={"config.json": uniform("BFLOAT_16", masked_training=True, unmasked_probability=0.0)},
        severity="warning", rule="uniform-half-without-autocast", says="but got Float and BFloat16",
        fix=('"vae": {\n    "weight_dtype": "BFLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: uniform half and inpaint sampling": Case(
        files={"config.json": uniform("FLOAT_16", model_type="STABLE_DIFFUSION_XL_10_BASE_INPAINTING")},
        severity="warning", rule="uniform-half-without-autocast", says="weight type (torch.cuda.FloatTensor) should be the same",
        fix=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: products in float8 on an A100": Case(
        files={"config.json": sdxl(unet="▸FLOAT_W8A8", training_method="LORA")}, machine="a100",
        rule="fp8-not-available", says="torch._scaled_mm is only supported",
        fix=('"weight_dtype": "FLOAT_W8A8"', '"weight_dtype": "INT_W8A8"'),
    ),
    "onetrainer: 8-bit states not by blocks, of bfloat16 weights": Case(
        files={"config.json": sdxl(unet="BFLOAT_16", optimizer={"optimizer": "ADAMW_8BIT", "block_wise": False})
               .replace('"block_wise": false', '"block_wise": ▸false')},
        rule="optimizer-demands-dtype", says="combination not supported: grad torch.bfloat16",
        fix=('"block_wise": false', '"block_wise": true'),
    ),
    "onetrainer: embedding dtype ≠ text encoder dtype with output embedding": Case(
        files={"config.json": sdxl(training_method="EMBEDDING", text_encoder="FLOAT_16",
                                   embedding_weight_dtype="▸FLOAT_32",
                                   embedding={"train": True, "is_output_embedding": True})},
        rule="embedding-dtype-unlike-encoder", says="expected scalar type Float but found Half",
        fix=('"is_output_embedding": true', '"is_output_embedding": false'),
    ),
    "onetrainer: bf16 everywhere with DoRA, autocast off": Case(
        files={"config.json": uniform("BFLOAT_16", training_method="LORA", lora_weight_dtype="BFLOAT_16",
                                      train_dtype="BFLOAT_16").replace('"LORA",', '"LORA",\n  "lora_decompose": ▸true,')},
        severity="warning", rule="dora-without-autocast", says="self and mat2 must have the same dtype, but got BFloat16 and Float",
        fix=('"lora_weight_dtype": "BFLOAT_16"', '"lora_weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: float8 base with DoRA": Case(
        files={"config.json": sdxl(unet="FLOAT_8", training_method="LORA", lora_weight_dtype="FLOAT_32")
               .replace('"LORA",', '"LORA",\n  "lora_decompose": ▸true,')},
        rule="dora-without-autocast", says="Float8",
        fix=('"weight_dtype": "FLOAT_8"', '"weight_dtype": "BFLOAT_16"'),
    ),
    "onetrainer: half weights with train_dtype FLOAT_32 off CUDA": Case(
        files={"config.json": sdxl(train_dtype="▸FLOAT_32", unet="FLOAT_16", train_device="cpu")},
        rule="float32-autocast-is-off", says="disables itself", fix=('"train_device": "cpu"', '"train_device": "cuda"'),
    ),
    "onetrainer: macOS with unequal dtypes": Case(
        files={"config.json": sdxl(train_dtype="▸BFLOAT_16", train_device="mps")}, machine="m2",
        severity="warning", rule="mps-needs-one-dtype", says="macOS needs all dtypes to be the same",
        fix=('"train_dtype": "BFLOAT_16"', '"train_dtype": "FLOAT_32"'),
    ),
    "onetrainer: train_dtype FLOAT_16 with trainable parameters that are not float32": Case(
        files={"config.json": sdxl(train_dtype="▸FLOAT_16", unet="FLOAT_16")}, severity="warning",
        rule="float16-without-loss-scaling", says="silent",
        fix=('"weight_dtype": "FLOAT_16"', '"weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: bf16 and saving debug images": Case(
        files={"config.json": sdxl().replace('"train_device"', '"debug_mode": ▸true,\n  "train_device"')},
        rule="bfloat16-as-image", says="Got unsupported ScalarType BFloat16",
        fix=('"debug_mode": true', '"debug_mode": false'),
    ),
    "onetrainer: uniform half": Case(
        files={"config.json": uniform("BFLOAT_16")}, severity="warning", rule="uniform-half-without-autocast",
        says="the VAE's decoder", fix=('"vae": {\n    "weight_dtype": "BFLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: fp16 lora": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "LORA",\n'
                ' "train_dtype": ▸"FLOAT_16",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n'
                ' },\n "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n },\n "lora_weight_dtype": "FLOAT_16"\n}'
            ),
        },
        rule="float16-without-loss-scaling", says="silent: small gradients underflow", severity="warning",
        fix=('"lora_weight_dtype": "FLOAT_16"', '"lora_weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: tf32 on T4": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "FINE_TUNE",\n'
                ' "train_dtype": ▸"TFLOAT_32",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n'
                ' },\n "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n }\n}'
            ),
        },
        rule="tf32-not-on-machine", says="has no effect,", machine="t4", severity="warning",
        fix=("TFLOAT_32", "FLOAT_16"),
    ),
    "onetrainer: train_dtype float8": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "FINE_TUNE",\n'
                ' "train_dtype": ▸"FLOAT_8",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n }\n}'
            ),
        },
        rule="storage-dtype-for-training", says="silent: autocast gets no dtype, an", severity="warning",
        fix=('"FLOAT_8"', '"BFLOAT_16"'),
    ),
    "onetrainer: nf4 lora": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "LORA",\n'
                ' "train_dtype": "BFLOAT_16",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n'
                ' },\n "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n },\n "lora_weight_dtype": ▸"NFLOAT_4"\n}'
            ),
        },
        rule="storage-dtype-for-training", says="silent: `.to(dtype=None)` converts", severity="warning",
        fix=("NFLOAT_4", "FLOAT_32"),
    ),
    "onetrainer: fallback fp16": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "FINE_TUNE",\n'
                ' "train_dtype": "FLOAT_16",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n },\n "fallback_train_dtype": ▸"FLOAT_16"\n}'
            ),
        },
        rule="vae-overflows-in-float16", says="silent: infinities in the VAE's ac", severity="warning",
        fix=('"fallback_train_dtype": "FLOAT_16"', '"fallback_train_dtype": "BFLOAT_16"'),
    ),
    "onetrainer: misspelt": Case(
        files={
            "c.json": (
                '{\n "model_type": "STABLE_DIFFUSION_XL_10_BASE",\n "training_method": "FINE_TUNE",\n'
                ' "train_dtype": ▸"FLOAT16",\n "unet": {\n  "train": true,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n'
                ' "text_encoder_2": {\n  "train": false,\n  "weight_dtype": "FLOAT_32"\n },\n "vae": {\n'
                '  "weight_dtype": "FLOAT_32"\n }\n}'
            ),
        },
        rule="rejected-value", says="ValueError or KeyError: 'FLOAT16' is not a DataType",
        fix=('"FLOAT16"', '"FLOAT_16"'),
    ),
    "onetrainer: fallback bf16 on t4": Case(
        files={
            "c.json": (
                '{"model_type": "STABLE_DIFFUSION_XL_10_BASE", "training_method": "LORA",\n'
                ' "train_dtype": "FLOAT_16",\n "fallback_train_dtype": ▸"BFLOAT_16",\n'
                ' "unet": {"weight_dtype": "FLOAT_16"}, "vae": {"weight_dtype": "FLOAT_32"}}'
            ),
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="t4", severity="warning",
        fix=('"fallback_train_dtype": "BFLOAT_16"', '"fallback_train_dtype": "FLOAT_32"'),
    ),
    "onetrainer: misnamed dtype of a part": Case(
        files={
            "c.json": (
                '{"model_type": "STABLE_DIFFUSION_XL_10_BASE", "training_method": "LORA",\n'
                ' "train_dtype": "BFLOAT_16",\n "unet": {"weight_dtype": ▸"BF16"}}'
            ),
        },
        rule="rejected-value", says="ValueError or KeyError: 'BF16' is not a DataType",
        fix=('"BF16"', '"BFLOAT_16"'),
    ),
}  # fmt: skip
