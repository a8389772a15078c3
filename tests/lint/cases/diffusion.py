"""Contradictions of VAEs, and diffusers' scripts."""

from __future__ import annotations

from . import TUNER, Case, sdxl

CASES = {
    "vae: SimpleTuner's SDXL in fp16": Case(
        files={"config.json": TUNER.replace("flux", "sdxl").format('"mixed_precision": "bf16",\n  "vae_dtype": ▸"fp16"')},
        rule="vae-overflows-in-float16", says="fp16 is not supported for SDXL's VAE", fix=('"fp16"', '"bf16"'),
    ),
    "vae: OneTrainer's SDXL in FLOAT_16": Case(
        files={"config.json": sdxl(vae="▸FLOAT_16")}, severity="warning", rule="vae-overflows-in-float16", says="NaN",
        fix=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "vae: sd-scripts' SDXL with fp16": Case(
        files={"run.sh": "accelerate launch sdxl_train_network.py --network_module=networks.lora "
               "--mixed_precision=▸fp16\n"},
        severity="warning", rule="vae-overflows-in-float16", says="NaN detected in latents",
        fix=("=fp16", "=fp16 --no_half_vae"),
    ),
    "diffusers: fp16 and then fp8": Case(
        files={
            "r.sh": (
                "accelerate launch train_dreambooth_lora_sdxl.py \\\n --pretrained_model_name_or_path=m \\\n"
                ' --mixed_precision="fp16" \\\n --instance_prompt="a" \\\n ▸--mixed_precision="fp8"\n'
            ),
        },
        rule="rejected-value", says="argparse: invalid choice: 'fp8' (choose from 'no', 'fp16', '",
        fix=('="fp8"', '="fp16"'),
    ),
    "diffusers: empty value": Case(
        files={
            "r.sh": (
                "accelerate launch train_dreambooth.py \\\n --pretrained_model_name_or_path=m \\\n"
                ' --instance_prompt="a" \\\n --mixed_precision=▸ fp16\n'
            ),
        },
        rule="rejected-value", says="argparse: invalid choice: '' (choose from 'no', 'fp16', 'bf1",
        fix=("--mixed_precision= fp16", "--mixed_precision=fp16"),
    ),
    "diffusers: fp16 for the launcher alone": Case(
        files={"t.sh": "accelerate launch --mixed_precision=▸fp16 train_text_to_image_lora.py \\\n"
               "  --pretrained_model_name_or_path=m --rank 4\n"},
        rule="half-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients",
        fix=("--rank 4", "--mixed_precision=fp16"),
    ),
    "diffusers: fp16 in the environment alone": Case(
        files={"t.sh": "export ACCELERATE_MIXED_PRECISION=▸fp16\npython train_dreambooth_lora_flux.py "
               "--pretrained_model_name_or_path=m --instance_prompt p\n"},
        rule="half-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients", fix=("fp16", "bf16"),
    ),
    "diffusers: a half UNet outside autocast, float32 embeddings": Case(
        files={"t.sh": "accelerate launch train_controlnet_sdxl.py --pretrained_model_name_or_path=m "
               "--mixed_precision=▸bf16\n"},
        rule="half-model-given-float32", says="same dtype, but got: float", fix=("=bf16", "=no"),
    ),
    "diffusers: the same from the launcher": Case(
        files={"t.sh": "accelerate launch --mixed_precision=▸fp16 train_controlnet_sdxl.py "
               "--pretrained_model_name_or_path=m\n"},
        rule="half-model-given-float32", says="same dtype, but got: float", fix=("=fp16", "=no"),
    ),
    "diffusers: a half VAE, float32 pictures": Case(
        files={"t.sh": "accelerate launch train_instruct_pix2pix_sdxl.py --pretrained_model_name_or_path=m "
               "--vae_precision=▸bf16\n"},
        rule="half-model-given-float32", says="Input type (float)", fix=("=bf16", "=fp32"),
    ),
    "diffusers: embeddings of a half encoder under a scaler": Case(
        files={"t.sh": "accelerate launch textual_inversion_sdxl.py --pretrained_model_name_or_path=m "
               "--mixed_precision=▸fp16\n"},
        rule="half-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients", fix=("fp16", "bf16"),
    ),
    "diffusers: textual inversion says no by itself": Case(
        files={"t.sh": "accelerate launch --mixed_precision=▸bf16 textual_inversion.py "
               "--pretrained_model_name_or_path=m\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="the script's default, no",
        fix=("textual_inversion.py", "textual_inversion.py --mixed_precision=bf16"),
    ),
}  # fmt: skip
