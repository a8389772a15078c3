"""Contradictions of sd-scripts."""

from __future__ import annotations

from . import KOHYA, Case

CASES = {
    "kohya: full_fp16 without mixed fp16": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nfull_fp16 = ▸true')},
        rule="full-half-without-mixed", says="full_fp16 requires mixed precision='fp16'", fix=('"bf16"', '"fp16"'),
    ),
    "kohya: full_fp16 in a file, mixed_precision on the command line": Case(
        files={"run.sh": "accelerate launch train_network.py --config_file config.toml --mixed_precision bf16\n",
               "config.toml": KOHYA.format('mixed_precision = "fp16"\nfull_fp16 = ▸true')},
        rule="full-half-without-mixed", says="full_fp16 requires mixed precision='fp16'", also=("run.sh",),
        fix=("--mixed_precision bf16", "--mixed_precision fp16"),
    ),
    "kohya: both full flags with fp16": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "fp16"\nfull_fp16 = true\nfull_bf16 = ▸true')},
        severity="warning", rule="both-half-dtypes", says="trains in float16", fix=("full_bf16 = true", ""),
    ),
    "kohya: fp8_base with mixed no": Case(
        files={"run.sh": "python flux_train_network.py --network_module=networks.lora_flux ▸--fp8_base\n"},
        rule="fp8-base-without-mixed", says="fp8_base requires mixed precision", fix=("--fp8_base", "--sdpa"),
    ),
    "kohya: fp8_base with Anima": Case(
        files={"run.sh": "accelerate launch anima_train_network.py --mixed_precision bf16 ▸--fp8_base\n"},
        severity="warning", rule="setting-has-no-effect", says="reset to False", fix=(" --fp8_base", ""),
    ),
    "kohya: DeepSpeed and mixed precision": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\ndeepspeed = ▸true')}, severity="warning",
        rule="deepspeed-with-mixed-precision", says="Float and BFloat16", fix=("deepspeed = true", "deepspeed = false"),
    ),
    "kohya: sd-scripts fp8 as mixed precision": Case(
        files={
            "r.sh": (
                "accelerate launch flux_train_network.py --network_module networks.lora_flux \\\n"
                " --mixed_precision=▸fp8 --output_name x\n"
            ),
        },
        rule="rejected-value", says="argparse: invalid choice: 'fp8' (choose from 'no', 'fp16', '",
        fix=("=fp8", "=bf16"),
    ),
    "kohya: toml bf16 on T4": Case(
        files={
            "c.toml": (
                '[training_arguments]\nmixed_precision = ▸"bf16"\nsave_precision = "bf16"\n'
                '[network_arguments]\nnetwork_module = "networks.lora"\n'
            ),
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="t4", severity="warning",
        fix=('mixed_precision = "bf16"', 'mixed_precision = "fp16"'),
    ),
    "kohya: fp16 without GPU": Case(
        files={
            "r.sh": (
                'accelerate launch --num_cpu_threads_per_process=16 train_network.py --pretrained_model_name_or_path m --network_module=networks.lora ▸--mixed_precision="fp16"\n'
            ),
        },
        rule="float16-on-cpu", says="silent: no autocast, float32 throu", machine="cpu", severity="warning",
        fix=('="fp16"', '="bf16"'),
    ),
    "kohya: sdxl_train full_bf16 alone": Case(
        files={
            "r.sh": (
                "accelerate launch sdxl_train.py --pretrained_model_name_or_path m --train_data_dir d \\\n"
                " ▸--full_bf16 --optimizer_type adafactor\n"
            ),
        },
        rule="full-half-without-mixed", says="AssertionError: full_bf16 requires mixed precision='bf16'",
        fix=("--full_bf16", "--full_bf16 --mixed_precision bf16"),
    ),
    "kohya: flux control net deepspeed": Case(
        files={
            "r.sh": (
                "accelerate launch --mixed_precision bf16 flux_train_control_net.py --pretrained_model_name_or_path flux1-dev.safetensors --save_model_as safetensors \\\n"
                " --mixed_precision bf16 \\\n ▸--deepspeed --dataset_config dataset.toml\n"
            ),
        },
        rule="deepspeed-with-mixed-precision", says="RuntimeError: mat1 and mat2 must h", severity="warning",
        fix=("--deepspeed", "--full_bf16 --deepspeed"),
    ),
    "kohya: launcher bf16, toml fp16": Case(
        files={
            "r.sh": "accelerate launch --mixed_precision bf16 flux_train.py --config_file c.toml\n",
            "c.toml": 'pretrained_model_name_or_path = "m"\noutput_name = "x"\nmixed_precision = ▸"fp16"\n',
        },
        rule="launcher-precision-unlike-script", says="silent: the script passes fp16 to", severity="warning",
        fix=('"fp16"', '"bf16"'),
    ),
    "kohya: sdxl full fp16 without no_half_vae": Case(
        files={
            "r.sh": (
                "accelerate launch sdxl_train.py --pretrained_model_name_or_path m --train_data_dir d --full_fp16 \\\n"
                " --mixed_precision ▸fp16\n"
            ),
        },
        rule="vae-overflows-in-float16", says="RuntimeError: NaN detected in late", severity="warning",
        fix=("--mixed_precision fp16", "--mixed_precision fp16 --no_half_vae"),
    ),
    "kohya: save fp32": Case(
        files={
            "r.sh": (
                "accelerate launch train_network.py --network_module networks.lora --mixed_precision fp16 \\\n"
                " --save_precision=▸fp32\n"
            ),
        },
        rule="rejected-value", says="argparse: invalid choice: 'fp32'",
        fix=("=fp32", "=float"),
    ),
    "kohya: float16": Case(
        files={
            "c.toml": (
                'network_module = "networks.lora"\npretrained_model_name_or_path = "m"\n'
                'mixed_precision = ▸"float16"\n'
            ),
        },
        rule="rejected-value", says="argparse: invalid choice: 'float16' (choose from 'no', 'fp16",
        fix=('"float16"', '"fp16"'),
    ),
    "kohya: fp8_base_unet with mixed no": Case(
        files={"c.toml": KOHYA.format('fp8_base_unet = ▸true\nmixed_precision = "no"')},
        rule="fp8-base-without-mixed", says="requires mixed precision", fix=('"no"', '"bf16"'),
    ),
    "kohya: fp8_base_unet with Anima": Case(
        files={"r.sh": "python anima_train_network.py --network_module networks.lora --mixed_precision bf16 "
               "▸--fp8_base_unet\n"},
        severity="warning", rule="setting-has-no-effect", says="reset to False", fix=("anima_train", "flux_train"),
    ),
}  # fmt: skip
