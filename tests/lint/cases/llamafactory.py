"""Contradictions of LLaMA-Factory."""

from __future__ import annotations

from . import FACTORY, ZERO, Case

CASES = {
    "llamafactory: an AWQ checkpoint under ZeRO-3": Case(
        files={"train.yaml": FACTORY.replace("path: m", "path: ▸Qwen/Qwen2.5-7B-Instruct-AWQ").format(
            "bf16: true\ndeepspeed: ds_z3.json"),
               "ds_z3.json": ZERO.format('"bf16": {"enabled": "auto"}').replace('"stage": 2', '"stage": 3')},
        rule="quantization-excludes", says="incompatible with PTQ-quantized models", fix=("Instruct-AWQ", "Instruct"),
    ),
    "llamafactory: pure_bf16 without a GPU": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: ▸true")}, machine="cpu",
        rule="bf16-on-cpu", says="does not support `pure_bf16`", fix=("pure_bf16: true", ""),
    ),
    "llamafactory: pure_bf16 with ZeRO-3": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: ▸true\ndeepspeed: examples/deepspeed/ds_z3_config.json")},
        rule="zero3-excludes", says="`pure_bf16` is incompatible with DeepSpeed ZeRO-3", fix=("ds_z3", "ds_z2"),
    ),
    "llamafactory: fp8 with quantization": Case(
        files={"train.yaml": FACTORY.format("bf16: true\nfp8: ▸true\nquantization_bit: 4")},
        rule="quantized-base-compute-dtype", says="FP8 training is not compatible with quantization",
        fix=("quantization_bit: 4", ""),
    ),
    "llamafactory: infer_dtype ignored while training": Case(
        files={"train.yaml": FACTORY.format("bf16: true\ninfer_dtype: ▸float16")}, severity="warning",
        rule="setting-has-no-effect", says="it is for inference", fix=("do_train: true", "do_train: false"),
    ),
    "llamafactory: no fp16/bf16 in training": Case(
        files={"train.yaml": FACTORY.format("").replace("do_train: true", "do_train: ▸true")}, severity="hint",
        rule="training-in-full-precision", says="recommends mixed precision",
        fix=("template: llama3", "template: llama3\nbf16: true"),
    ),
    "llamafactory: float32 pixel_values into a bf16 vision tower (DPO LoRA)": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: ▸true").replace("stage: sft", "stage: dpo")
               .replace("llama3", "qwen2_vl")}, severity="warning",
        rule="upcast-without-autocast", says="Input type (float) and bias type (c10::BFloat16)",
        fix=("pure_bf16: true", "bf16: true"),
    ),
    "llamafactory: upcast of norms, and full fine-tuning": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: true\nupcast_layernorm: ▸true").replace("lora", "full")},
        severity="warning",
        rule="upcast-without-autocast", says="Float and BFloat16", fix=("upcast_layernorm: true", ""),
    ),
    "llamafactory: quantized full": Case(
        files={
            "t.yaml": (
                "model_name_or_path: m\nstage: sft\ndo_train: true\ntemplate: llama3\noutput_dir: o\n"
                "finetuning_type: full\nquantization_bit: ▸4\nbf16: true\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: Quantization is only compatible with the LoRA me",
        fix=("finetuning_type: full", "finetuning_type: lora"),
    ),
    "llamafactory: cli both": Case(
        files={
            "r.sh": (
                "llamafactory-cli train --stage sft --do_train --model_name_or_path m --finetuning_type lora --template x --output_dir o --bf16 True \\\n"
                " --fp16 ▸True\n"
            ),
        },
        rule="both-half-dtypes", says="ValueError: At most one of fp16 and bf16 can be True, but no",
        fix=("--fp16 True", "--fp16 False"),
    ),
    "llamafactory: 8 bit under zero3": Case(
        files={
            "t.yaml": (
                "model_name_or_path: m\nstage: sft\ndo_train: true\ntemplate: llama3\noutput_dir: o\n"
                "finetuning_type: lora\nquantization_bit: ▸8\nfp16: true\ndeepspeed: ds_z3.json\n"
            ),
            "ds_z3.json": '{"zero_optimization": {"stage": 3}, "train_batch_size": "auto"}',
        },
        rule="quantization-excludes", says="ValueError: Only 4-bit quantized model can use fsdp+qlora or",
        fix=("quantization_bit: 8", "quantization_bit: 4"),
    ),
    "llamafactory: infer_dtype": Case(
        files={
            "i.yaml": "model_name_or_path: m\ntemplate: llama3\ninfer_dtype: ▸bf16\n",
        },
        rule="rejected-value", says="'bf16' is not one of auto, float16, bfloat16, float32",
        fix=("infer_dtype: bf16", "infer_dtype: bfloat16"),
    ),
    "llamafactory: pure_bf16 and fp16": Case(
        files={
            "t.yaml": (
                "model_name_or_path: m\nstage: sft\ndo_train: true\ntemplate: llama3\noutput_dir: o\n"
                "finetuning_type: full\npure_bf16: ▸true\nfp16: true\n"
            ),
        },
        rule="half-parameters-under-grad-scaler", says='RuntimeError: "_amp_foreach_non_finite_check_and_unscale_cud',
        fix=("pure_bf16: true\n", ""),
    ),
    "llamafactory: fp16 on a CPU": Case(
        files={"t.yaml": FACTORY.format("fp16: ▸true\nuse_cpu: true")}, severity="warning", rule="float16-on-cpu",
        says="float32 throughout", fix=("fp16: true", "bf16: true"),
    ),
}  # fmt: skip
