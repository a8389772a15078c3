"""Programs that people start: trainers and image generators run from a checkout."""

from ..library import Library

_WEBUI = {
    "dtype-mismatch": "stable-diffusion-webui: start with --no-half (or --no-half-vae), or --precision full --no-half",
    "overflow-nan": "stable-diffusion-webui: --no-half-vae, or Settings > Upcast cross attention layer to float32; "
    "--disable-nan-check only hides it",
    "half-on-cpu": "stable-diffusion-webui: --no-half --precision full on the CPU or on GPUs without half precision",
    "device-mismatch": "stable-diffusion-webui: start without --lowvram and --medvram, so that no part stays on the CPU",
}
LIBRARIES = (
    Library(
        name="ComfyUI", paths=("comfyui", "/comfy/", "custom_nodes"),
        help={
            "dtype-mismatch": "ComfyUI: start with --force-fp16 or --force-fp32, --fp32-vae; set weight_dtype of the "
            "model loader to default; update the node pack that the traceback names",
            "float8-weights-used-raw": "ComfyUI: set the loader's weight_dtype to default or fp16, or keep this node "
            "pack's model out of fp8",
            "overflow-nan": "ComfyUI: --fp32-vae, --force-upcast-attention",
            "device-mismatch": "ComfyUI: --gpu-only, or without --lowvram; update the node pack that the traceback names",
            "half-on-cpu": "ComfyUI: --force-fp32 on the CPU",
            "gpu-lacks-float8": "ComfyUI: set the loader's weight_dtype to default or fp16; fp8 weights need a 16-bit compute "
            "dtype, and no torch.compile on GPUs before Ada",
        },
    ),
    Library(
        name="stable-diffusion-webui",
        paths=("stable-diffusion-webui", "webui", "extensions-builtin", "sd_unet.py", "modules/devices.py"),
        help=_WEBUI,
    ),
    Library(
        name="kohya scripts",
        paths=("sd-scripts", "kohya", "train_network.py", "sdxl_train", "library/train_util", "train_db.py"),
        help={
            "dtype-mismatch": "kohya scripts: use the same --mixed_precision and --save_precision; --no_half_vae; do not mix --full_fp16 or --full_bf16 with another --mixed_precision",
            "grad-scaler": "kohya scripts: --mixed_precision fp16 without --full_fp16",
            "overflow-nan": "kohya scripts: --no_half_vae, --mixed_precision bf16, a lower --learning_rate",
            "precision-config": "kohya scripts: run `accelerate config` again; --mixed_precision=no on the CPU",
        },
    ),
    Library(
        name="OneTrainer", paths=("onetrainer",),
        help={
            "dtype-mismatch": "OneTrainer: set the same Weight Data Type for each part and Train Data Type",
            "overflow-nan": "OneTrainer: Train Data Type bfloat16, VAE in float32",
            "gpu-lacks-bfloat16": "OneTrainer: Train Data Type float16 on GPUs older than Ampere",
        },
    ),
    Library(
        name="SimpleTuner", paths=("simpletuner", "helpers/training"),
        help={
            "dtype-mismatch": "SimpleTuner: --mixed_precision=bf16 throughout; --base_model_default_dtype=bf16 with a "
            "quantized base",
            "precision-config": "SimpleTuner: --optimizer=adamw_bf16 needs --mixed_precision=bf16 and bf16 weights; otherwise choose optimi-adamw",
            "unsupported-dtype": "SimpleTuner: quantized bases compute in bf16 only",
        },
    ),
    Library(
        name="fairseq", packages=("fairseq", "fairseq_cli"), paths=("fairseq", "[loss_scaler]"),
        help={
            "overflow-nan": "fairseq: a lower --lr, longer --warmup-updates, --clip-norm 1.0, --fp16-init-scale 4, or --bf16; run without --fp16 to see whether precision is the cause",
        },
    ),
    Library(
        name="vLLM", packages=("vllm",), paths=("vllm",),
        help={
            "gpu-lacks-bfloat16": "vLLM: --dtype half (float16) on GPUs older than Ampere",
            "dtype-mismatch": "vLLM: use the --dtype of the checkpoint's config.json, also for the vision tower",
            "precision-config": "vLLM: --dtype half",
        },
    ),
    Library(
        name="LLaMA-Factory, FastChat and other transformers trainers",
        paths=("llamafactory", "llama_factory", "fastchat", "llava/train", "train_bash.py", "axolotl", "lmflow"),
        help={
            "gpu-lacks-bfloat16": "the scripts of this trainer set --bf16 True and --tf32 True: --bf16 False --tf32 "
            "False --fp16 True",
            "grad-scaler": "load in float32 with --fp16, or use --bf16",
        },
    ),
)
