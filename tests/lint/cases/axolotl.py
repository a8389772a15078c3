"""Contradictions of axolotl."""

from __future__ import annotations

from . import AXOLOTL, Case

CASES = {
    "axolotl: full fine-tune, fp16, no flash attention, sample packing": Case(
        files={"c.yaml": AXOLOTL.format("fp16: true\nbf16: false\nsample_packing: ▸true")}, severity="warning",
        rule="attention-needs-half", says="Attempting to unscale FP16 gradients",
        fix=("fp16: true", "fp16: true\nadapter: lora"),
    ),
    "axolotl: flash_optimum with bf16": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nflash_optimum: ▸true")},
        rule="attention-needs-half", says="AMP is not supported with BetterTransformer", fix=("bf16: true", "bf16: false"),
    ),
    "axolotl: sample_packing with sdpa and bf16 not on sm_90": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nsdp_attention: true\nsample_packing: ▸true")}, machine="a100",
        severity="warning", rule="attention-needs-half", says="the loss may be 0.0",
        fix=("sdp_attention", "flash_attention"),
    ),
    "axolotl: fp8 on an unsupported GPU": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp8: ▸true")}, machine="a100",
        rule="fp8-not-available", says="fp8 is not supported on this GPU", fix=("fp8: true", "fp8: false"),
    ),
    "axolotl: fp8_enable_fsdp_float8_all_gather without FSDP2": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp8: true\nfp8_enable_fsdp_float8_all_gather: ▸true")},
        rule="sharded-unit-of-two-dtypes", says="requires FSDP2", fix=("fp8: true", "fp8: true\nfsdp_version: 2"),
    ),
    "axolotl: fp32_norms without FSDP2": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp32_norms: ▸true")},
        rule="sharded-unit-of-two-dtypes", says="fp32_norms requires fsdp_version: 2",
        fix=("bf16: true", "bf16: true\nfsdp_version: 2"),
    ),
    "axolotl: qlora 8bit": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nadapter: qlora\nload_in_8bit: ▸true\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: Can't load qlora in 8bit",
        fix=("load_in_8bit", "load_in_4bit"),
    ),
    "axolotl: qlora no 4bit": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nadapter: ▸qlora\nload_in_4bit: false\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: Require cfg.load_in_4bit to be True for qlora",
        fix=("adapter: qlora", "adapter: lora"),
    ),
    "axolotl: 8-bit LoRA under FSDP1": Case(
        files={"c.yaml": AXOLOTL.format("adapter: lora\nload_in_8bit: ▸true\nbf16: auto\nfsdp:\n  - full_shard\n"
                                        "fsdp_config:\n  fsdp_use_orig_params: false")},
        rule="quantized-base-under-fsdp", says="Cannot flatten integer dtype tensors",
        fix=("load_in_8bit: true", "load_in_4bit: true"),
    ),
    "axolotl: 8bit no adapter": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nload_in_8bit: ▸true\nbf16: auto\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: load_in_8bit and load_in_4bit are not supported",
        fix=("load_in_8bit: true", "load_in_8bit: true\nadapter: lora"),
    ),
    "axolotl: fp8_config without fp8": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nbf16: true\nfp8_config:\n  recipe: ▸rowwise\n"
            ),
        },
        rule="fp8-not-available", says="ValueError: `fp8_config` requires `fp8: true`",
        fix=("bf16: true", "bf16: true\nfp8: true"),
    ),
    "axolotl: fp8 attention on a100": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nbf16: true\nattn_implementation: ▸fp8\n"
            ),
        },
        rule="attention-needs-half", says="ValueError: attn_implementation=fp", machine="a100",
        fix=("attn_implementation: fp8", "attn_implementation: sdpa"),
    ),
    "axolotl: bf16 on t4": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nbf16: ▸true\nadapter: lora\n"
            ),
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="t4", severity="warning",
        fix=("bf16: true", "fp16: true"),
    ),
    "axolotl: flash on t4": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nfp16: true\nadapter: lora\nflash_attention: ▸true\n"
            ),
        },
        rule="attention-needs-half", says="RuntimeError: FlashAttention only", machine="t4",
        fix=("flash_attention", "sdp_attention"),
    ),
    "axolotl: qat 4bit": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nbf16: true\nadapter: qlora\nload_in_4bit: ▸true\nqat:\n"
                "  activation_dtype: int8\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: QAT and load_in_4bit (load_in_8bit) cannot be us",
        fix=("qat:\n  activation_dtype: int8\n", ""),
    ),
    "axolotl: tf32 on v100": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nfp16: true\nadapter: lora\ntf32: ▸true\n"
            ),
        },
        rule="tf32-not-on-machine", says="ValueError: --tf32 requires Ampere", machine="v100",
        fix=("tf32: true", "tf32: false"),
    ),
    "axolotl: lora kernel 8bit": Case(
        files={
            "c.yml": (
                "base_model: NousResearch/Llama-2-7b-hf\ndatasets:\n  - path: d\n    type: alpaca\n"
                "sequence_len: 2048\nbf16: true\nadapter: lora\nload_in_8bit: ▸true\nlora_mlp_kernel: true\n"
            ),
        },
        rule="quantization-excludes", says="ValueError: lora_mlp_kernel, lora_qkv_kernel, and lora_o_ker",
        fix=("load_in_8bit", "load_in_4bit"),
    ),
    "axolotl: modules_to_save": Case(
        files={
            "c.yml": (
                "base_model: org/m-1B\ndatasets:\n  - path: d\n    type: alpaca\nsequence_len: 2048\n"
                "adapter: lora\nfp16: true\nbf16: false\nlora_modules_to_save:\n  - ▸embed_tokens\n"
                "  - lm_head\n"
            ),
        },
        rule="half-parameters-under-grad-scaler", says="ValueError: Attempting to unscale FP16 gradients.",
        fix=("fp16: true", "fp16: false"),
    ),
    "axolotl: ds bf16 off": Case(
        files={
            "c.yml": (
                "base_model: org/m-1B\ndatasets:\n  - path: d\n    type: alpaca\nsequence_len: 2048\n"
                "bf16: ▸true\ndeepspeed: ds.json\n"
            ),
            "ds.json": '{\n "bf16": {"enabled": false},\n "zero_optimization": {"stage": 2}\n}',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=('"enabled": false', '"enabled": "auto"'),
    ),
    "axolotl: fp16 ds bf16": Case(
        files={
            "c.yml": (
                "base_model: org/m-1B\ndatasets:\n  - path: d\n    type: alpaca\nsequence_len: 2048\n"
                "fp16: ▸true\nadapter: lora\ndeepspeed: ds.json\n"
            ),
            "ds.json": '{\n "bf16": {"enabled": true},\n "zero_optimization": {"stage": 2}\n}',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=('"enabled": true', '"enabled": "auto"'),
    ),
    "axolotl: gathering in float8 with rowwise scaling": Case(
        files={"c.yaml": AXOLOTL.format("fp8: true\nfp8_enable_fsdp_float8_all_gather: ▸true\nfp8_config:\n  recipe: rowwise\n"
                                        "fsdp_version: 2")},
        rule="fp8-not-available", says="only supports the tensorwise", fix=("rowwise", "tensorwise"),
    ),
    "axolotl: float16 weights and fp16": Case(
        files={"c.yaml": AXOLOTL.format("float16: true\nfp16: ▸true")},
        rule="half-parameters-under-grad-scaler", says="unscale FP16 gradients",
        fix=("fp16: true", "bf16: true"),
    ),
    "axolotl: fp16 under FSDP1 with the optimizer by default": Case(
        files={"c.yaml": AXOLOTL.format("fp16: ▸true\nbf16: false\nfsdp_version: 1\nfsdp_config:\n"
                                        "  auto_wrap_policy: TRANSFORMER_BASED_WRAP")},
        rule="fused-adam-under-fsdp-scaler", says="doesn't match the broadcast shape",
        fix=("fsdp_version: 1", "fsdp_version: 2"),
    ),
    "axolotl: bf16 without a GPU": Case(
        files={"c.yaml": AXOLOTL.format("bf16: ▸true\nadapter: lora")}, machine="cpu",
        rule="bf16-on-cpu", says="Your setup doesn't support bf16/gpu", fix=("bf16: true", "bf16: auto"),
    ),
    "axolotl: a whole model in fp16": Case(
        files={"c.yaml": AXOLOTL.format("fp16: ▸true\nbf16: false")}, machine="a100",
        rule="half-parameters-under-grad-scaler", says="unscale FP16 gradients",
        fix=("bf16: false", "bf16: false\nfsdp_config:\n  auto_wrap_policy: TRANSFORMER_BASED_WRAP"),
    ),
    "axolotl: an option beside the file": Case(
        files={"r.sh": "axolotl train c.yml --bf16 true\n", "c.yml": AXOLOTL.format("fp16: ▸true\nadapter: lora")},
        rule="both-half-dtypes", says="bf16 takes precedence, fp16 is switched off", severity="warning", fix=("--bf16 true", "--bf16 false"),
    ),
}  # fmt: skip
