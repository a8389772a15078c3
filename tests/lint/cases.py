"""Configurations with one contradiction each, as data: the place is marked with ▸ before the value that is to blame."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Case:
    """Files, the rule that they break, what the effect says, and the replacement that mends them (the "must not")."""

    files: dict[str, str]
    rule: str
    says: str
    mend: tuple[str, str] | None
    machine: str | None = None
    severity: str = "error"
    also: tuple[str, ...] = field(default=())
    """Files that the other places of the finding are in."""


def sdxl(**changes: object) -> str:
    """An OneTrainer configuration of SDXL; `unet="FLOAT_16"` sets a component's weights; ▸ stays where it is given."""
    import json

    data: dict[str, object] = {
        "model_type": "STABLE_DIFFUSION_XL_10_BASE",
        "training_method": "FINE_TUNE",
        "train_dtype": "BFLOAT_16",
        "fallback_train_dtype": "BFLOAT_16",
        "output_dtype": "FLOAT_16",
        "train_device": "cuda",
        "unet": {"weight_dtype": "FLOAT_32", "train": True},
        "text_encoder": {"weight_dtype": "FLOAT_32", "train": False},
        "text_encoder_2": {"weight_dtype": "FLOAT_32", "train": False},
        "vae": {"weight_dtype": "FLOAT_32"},
        "learning_rate": 1e-4,
    }
    for name, value in changes.items():
        if name in ("unet", "text_encoder", "text_encoder_2", "vae") and isinstance(value, str):
            data[name] = {**data[name], "weight_dtype": value}  # type: ignore[dict-item]
        else:
            data[name] = value
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return text.replace('"▸', '▸"')


def uniform(dtype: str, **changes: object) -> str:
    """Every weight and the training in one dtype."""
    parts = dict.fromkeys(("unet", "text_encoder", "text_encoder_2", "vae"), dtype)
    return sdxl(**{"train_dtype": f"▸{dtype}", **parts, **changes})


SIMPLETUNER = """\
export MODEL_TYPE="lora"
export MIXED_PRECISION="bf16"
export TRAINING_NUM_PROCESSES={processes}
export GRADIENT_ACCUMULATION_STEPS={steps}
export OPTIMIZER="{optimizer}"
export TRAINER_EXTRA_ARGS="--lr_end=1e-8 --gradient_precision=▸fp32 --use_ema=false"
"""
TUNER = '{{\n  "model_family": "flux",\n  "model_type": "lora",\n  {}\n}}\n'
ACCELERATE = (
    "compute_environment: LOCAL_MACHINE\ndistributed_type: {kind}\nmixed_precision: {value}\nnum_processes: 2\n"
)
ZERO = '{{\n  "zero_optimization": {{"stage": 2}},\n  {}\n}}\n'
TRAINER = "output_dir: out\nper_device_train_batch_size: 4\nlearning_rate: 2.0e-5\n{}\n"
KOHYA = 'pretrained_model_name_or_path = "sd15.safetensors"\nnetwork_module = "networks.lora"\n{}\n'
AXOLOTL = "base_model: NousResearch/Meta-Llama-3-8B\ndatasets:\n  - path: a\n    type: alpaca\n{}\n"
FACTORY = (
    "stage: sft\ndo_train: true\nmodel_name_or_path: m\nfinetuning_type: lora\ntemplate: llama3\noutput_dir: o\n{}\n"
)
MINICPM = "torchrun --nproc_per_node=8 finetune.py --model_name_or_path m --output_dir o --bf16 true \\\n  {}\n"

CONTRADICTIONS = {
    # OneTrainer
    "onetrainer: uniform half dtypes with VAE, and a generated mask": Case(
        files={"config.json": uniform("FLOAT_16", masked_training=True)},
        rule="uniform-half-without-autocast", says="mat1 and mat2 must have the same dtype, but got Float and Half",
        mend=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: the same with masks for some images only": Case(
        files={"config.json": uniform("BFLOAT_16", masked_training=True, unmasked_probability=0.0)},
        rule="uniform-half-without-autocast", says="but got Float and BFloat16",
        mend=('"vae": {\n    "weight_dtype": "BFLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: uniform half and inpaint sampling": Case(
        files={"config.json": uniform("FLOAT_16", model_type="STABLE_DIFFUSION_XL_10_BASE_INPAINTING")},
        rule="uniform-half-without-autocast", says="weight type (torch.cuda.FloatTensor) should be the same",
        mend=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: embedding dtype ≠ text encoder dtype with output embedding": Case(
        files={"config.json": sdxl(training_method="EMBEDDING", text_encoder="FLOAT_16",
                                   embedding_weight_dtype="▸FLOAT_32",
                                   embedding={"train": True, "is_output_embedding": True})},
        rule="embedding-dtype-unlike-encoder", says="expected scalar type Float but found Half",
        mend=('"is_output_embedding": true', '"is_output_embedding": false'),
    ),
    "onetrainer: bf16 everywhere with DoRA, autocast off": Case(
        files={"config.json": uniform("BFLOAT_16", training_method="LORA", lora_weight_dtype="BFLOAT_16",
                                      train_dtype="BFLOAT_16").replace('"LORA",', '"LORA",\n  "lora_decompose": ▸true,')},
        rule="dora-without-autocast", says="self and mat2 must have the same dtype, but got BFloat16 and Float",
        mend=('"lora_weight_dtype": "BFLOAT_16"', '"lora_weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: float8 base with DoRA": Case(
        files={"config.json": sdxl(unet="FLOAT_8", training_method="LORA", lora_weight_dtype="FLOAT_32")
               .replace('"LORA",', '"LORA",\n  "lora_decompose": ▸true,')},
        rule="dora-without-autocast", says="Float8",
        mend=('"weight_dtype": "FLOAT_8"', '"weight_dtype": "BFLOAT_16"'),
    ),
    "onetrainer: half weights with train_dtype FLOAT_32 off CUDA": Case(
        files={"config.json": sdxl(train_dtype="▸FLOAT_32", unet="FLOAT_16", train_device="cpu")},
        rule="float32-autocast-is-off", says="disables itself", mend=('"train_device": "cpu"', '"train_device": "cuda"'),
    ),
    "onetrainer: macOS with unequal dtypes": Case(
        files={"config.json": sdxl(train_dtype="▸BFLOAT_16", train_device="mps")}, machine="m2",
        rule="mps-needs-one-dtype", says="macOS needs all dtypes to be the same",
        mend=('"train_dtype": "BFLOAT_16"', '"train_dtype": "FLOAT_32"'),
    ),
    "onetrainer: train_dtype FLOAT_16 with trainable parameters that are not float32": Case(
        files={"config.json": sdxl(train_dtype="▸FLOAT_16", unet="FLOAT_16")}, severity="warning",
        rule="float16-without-loss-scaling", says="silent",
        mend=('"weight_dtype": "FLOAT_16"', '"weight_dtype": "FLOAT_32"'),
    ),
    "onetrainer: bf16 and saving debug images": Case(
        files={"config.json": sdxl().replace('"train_device"', '"debug_mode": ▸true,\n  "train_device"')},
        rule="bfloat16-as-image", says="Got unsupported ScalarType BFloat16",
        mend=('"debug_mode": true', '"debug_mode": false'),
    ),
    # SimpleTuner
    "simpletuner: gradient_precision=fp32, bf16 parameters, DDP, accumulation": Case(
        files={"config.env": SIMPLETUNER.format(processes=2, steps=4, optimizer="adamw_bf16")},
        rule="gradient-dtype-unlike-parameters", says="Expected BFloat16, got Float",
        mend=("--gradient_precision=fp32", "--gradient_precision=unmodified"),
    ),
    "simpletuner: the same without DDP and an Adam of torch's": Case(
        files={"config.env": SIMPLETUNER.format(processes=1, steps=1, optimizer="adamw")},
        rule="gradient-dtype-unlike-parameters", says="expected dtype c10::BFloat16 for `end` but got dtype float",
        mend=('MIXED_PRECISION="bf16"', 'MIXED_PRECISION="no"'),
    ),
    "simpletuner: gradient_precision=fp32 with an optimizer outside its table": Case(
        files={"config.env": SIMPLETUNER.format(processes=1, steps=1, optimizer="optimi-lion")}, severity="warning",
        rule="gradient-dtype-unlike-parameters", says="becomes unmodified",
        mend=("--gradient_precision=fp32", ""),
    ),
    "simpletuner: gradient_precision=bf16": Case(
        files={"config.json": TUNER.format('"mixed_precision": "bf16",\n  "gradient_precision": ▸"bf16"')},
        rule="rejected-value", says="invalid choice: 'bf16'", mend=('"gradient_precision": "bf16"', '"x": "bf16"'),
    ),
    "simpletuner: adamw_bf16 with fp32 parameters": Case(
        files={"config.json": TUNER.format('"mixed_precision": "no",\n  "optimizer": ▸"adamw_bf16"')},
        rule="optimizer-demands-dtype", says="requires it", mend=('"no"', '"bf16"'),
    ),
    "simpletuner: adamw_bf16 with fp16 parameters": Case(
        files={"config.toml": 'model_family = "sdxl"\nmixed_precision = "fp16"\noptimizer = ▸"adamw_bf16"\n'},
        rule="optimizer-demands-dtype", says="only bfloat 16", mend=('"fp16"', '"bf16"'),
    ),
    "simpletuner: mixed_precision=fp8 without CUDA": Case(
        files={"config.json": TUNER.format('"mixed_precision": ▸"fp8"')}, machine="m2",
        rule="fp8-not-available", says="needs CUDA", mend=('"fp8"', '"bf16"'),
    ),
    "simpletuner: base_model_default_dtype=fp16 with a quantized base": Case(
        files={"config.json": TUNER.format('"base_model_precision": "int8-quanto",\n'
                                           '  "base_model_default_dtype": ▸"fp16"')},
        rule="rejected-value", says="invalid choice: 'fp16'", mend=('"fp16"', '"bf16"'),
    ),
    "simpletuner: quanto and torchao mixed across components": Case(
        files={"config.json": TUNER.format('"base_model_precision": ▸"int8-quanto",\n'
                                           '  "text_encoder_1_precision": "int8-torchao"')},
        rule="quantizers-mixed", says="Cannot mix", mend=("int8-torchao", "int8-quanto"),
    ),
    # MiniCPM-V
    "minicpm: use_lora with tune_llm": Case(
        files={"finetune.sh": MINICPM.format("--use_lora true --tune_vision true --tune_llm ▸true")},
        rule="lora-with-trained-base", says="cannot simultaneously adjust LLM parameters",
        mend=("--tune_llm true", "--tune_llm false"),
    ),
    "minicpm: LoRA with ZeRO-3": Case(
        files={"finetune.sh": MINICPM.format("--use_lora ▸true --tune_vision true --tune_llm false --deepspeed ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}').replace('"stage": 2', '"stage": 3')},
        rule="zero3-excludes", says="ZeRO-2 only", mend=('"stage": 3', '"stage": 2'), also=("ds.json",),
    ),
    # CogVLM / SAT
    "sat: no dtype flag": Case(
        files={"demo.sh": "▸python cli_demo_sat.py --from_pretrained cogagent-chat --version chat\n"},
        rule="no-dtype-flag", says="Input type (c10::Half) and bias type (float) should be the same",
        mend=("--version chat", "--version chat --bf16"),
    ),
    "sat: both flags": Case(
        files={"demo.sh": "python cli_demo_sat.py --from_pretrained cogagent-chat ▸--fp16 --bf16\n"},
        rule="both-half-dtypes", says="Input type (c10::BFloat16) and bias type (c10::Half)",
        mend=(" --bf16", ""),
    ),
    "sat: ZeRO stage > 0 without a flag forces fp16": Case(
        files={"ft.sh": "torchrun finetune_cogvlm_demo.py --experiment-name x --mode finetune --zero-stage ▸2\n"},
        severity="warning", rule="setting-overridden", says="Automatically set fp16=True",
        mend=("--zero-stage 2", "--zero-stage 2 --fp16"),
    ),
    "sat: deepspeed_config overrides the flags": Case(
        files={"ft.sh": "deepspeed finetune_cogvlm_demo.py --experiment-name x --mode finetune ▸--bf16 --deepspeed "
               "--deepspeed_config ds.json\n", "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        severity="warning", rule="setting-overridden", says="Will override arguments",
        mend=('"fp16": {"enabled": true}', '"bf16": {"enabled": true}'), also=("ds.json",),
    ),
    # accelerate
    "accelerate: mixed_precision: fp32": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp32")},
        rule="rejected-value", says="Unknown mixed_precision mode: fp32", mend=("fp32", "'no'"),
    ),
    "accelerate: a bare no is a boolean": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸no")},
        rule="rejected-value", says="'bool' object has no attribute 'lower'", mend=(": no\n", ": 'no'\n"),
    ),
    "accelerate: --mixed_precision bf16 with DeepSpeed json fp16": Case(
        files={"run.sh": "accelerate launch --config_file acc.yaml --mixed_precision ▸bf16 train.py\n",
               "acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
               "deepspeed_config:\n  deepspeed_config_file: ds.json\n",
               "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="cannot be set to `bf16` when `fp16` is set",
        mend=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
    "accelerate: the reverse": Case(
        files={"acc.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nmixed_precision: ▸fp16\n"
               "deepspeed_config:\n  deepspeed_config_file: ds.json\n",
               "ds.json": ZERO.format('"bf16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="cannot be set to `fp16` when `bf16` is set",
        mend=('"enabled": true', '"enabled": "auto"'), also=("ds.json",),
    ),
    "accelerate: a second Accelerator with another precision": Case(
        files={"train.py": 'from accelerate import Accelerator\na = Accelerator(mixed_precision="bf16")\n'
               'b = Accelerator(mixed_precision=▸"fp16")\n'},
        rule="second-accelerator", says="AcceleratorState has already been initialized", mend=('"fp16"', '"bf16"'),
    ),
    "accelerate: fp8 without a backend": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp8")}, severity="warning",
        rule="fp8-not-available", says="requires `transformer_engine` or `MS-AMP`",
        mend=("fp8\n", "fp8\nfp8_config:\n  backend: TE\n"),
    ),
    "accelerate: fp8 on an old GPU becomes fp16": Case(
        files={"accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="▸fp8") + "fp8_config:\n  backend: TE\n"},
        machine="a100", rule="fp8-not-available", says="trains in fp16 instead", mend=("fp8\n", "bf16\n"),
    ),
    "accelerate: fp16 trainable parameters with a grad scaler": Case(
        files={"train.py": "model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=▸torch.float16)\n"
               'args = TrainingArguments("out", fp16=True)\n'},
        rule="float16-parameters-under-grad-scaler", says="Attempting to unscale FP16 gradients.",
        mend=("torch.float16", "torch.float32"),
    ),
    "accelerate: launch --mixed_precision does not set the script's own option": Case(
        files={"run.sh": "accelerate launch --mixed_precision ▸bf16 train_network.py --network_module=networks.lora\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="it trains in float32",
        mend=("train_network.py", "train_network.py --mixed_precision=bf16"),
    ),
    # DeepSpeed
    "deepspeed: fp16 and bf16 enabled": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": ▸true}, "bf16": {"enabled": true}')},
        rule="both-half-dtypes", says="bfloat16 and fp16 modes cannot be simultaneously enabled",
        mend=('"bf16": {"enabled": true}', '"bf16": {"enabled": false}'),
    ),
    "deepspeed: bf16_optimizer_states without bf16_master_weights_and_grads": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "bf16_optimizer_states": ▸true}')},
        rule="engine-options-exclude", says="requires bf16_master_weights_and_grads to be enabled",
        mend=('"bf16_optimizer_states"', '"bf16_master_weights_and_grads": true, "bf16_optimizer_states"'),
    ),
    "deepspeed: loss_scale boolean": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": ▸true}')},
        rule="rejected-value", says="fp16.loss_scale must be a number, not bool",
        mend=('"loss_scale": true', '"loss_scale": 0'),
    ),
    'deepspeed: fp16.enabled "auto" with nobody to fill it': Case(
        files={"train.py": 'engine, *_ = deepspeed.initialize(model=model, config="ds.json")\n',
               "ds.json": ZERO.format('"fp16": {"enabled": ▸"auto"}')}, severity="warning",
        rule="auto-without-filler", says="takes it for off", mend=('"auto"', "true"),
    ),
    "deepspeed: amp with ZeRO": Case(
        files={"ds.json": ZERO.format('"amp": {"enabled": ▸true}')},
        rule="engine-options-exclude", says="Amp is not currently supported with ZeRO",
        mend=('"amp": {"enabled": true}', '"bf16": {"enabled": true}'),
    ),
    "deepspeed: amp with fp16": Case(
        files={"ds.json": '{"train_batch_size": 8, "amp": {"enabled": ▸true}, "fp16": {"enabled": true}}'},
        rule="engine-options-exclude", says="Cannot enable both amp with (legacy) fp16 or bfloat16 mode",
        mend=('"amp": {"enabled": true}, ', ""),
    ),
    "deepspeed: torch.autocast outside the engine": Case(
        files={"train.py": 'engine, *_ = deepspeed.initialize(model=model, config="ds.json")\n'
               'with torch.autocast("cuda", dtype=▸torch.bfloat16):\n    loss = engine(x)\n',
               "ds.json": ZERO.format('"bf16": {"enabled": true}')}, severity="warning",
        rule="autocast-around-engine", says="switches autocast off inside", also=("ds.json",),
        mend=('"bf16": {"enabled": true}', '"torch_autocast": {"enabled": true, "dtype": "bfloat16"}'),
    ),
    "deepspeed: zero++ with bf16 LoRA": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nuse_peft: true\ndeepspeed: ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}').replace(
                   '"stage": 2', '"stage": 3, "zero_quantized_weights": ▸true')},
        rule="quantized-collectives-with-lora", says="expected scalar type Half but found BFloat16",
        mend=('"zero_quantized_weights": true', '"zero_quantized_weights": false'), also=("train.yaml",),
    ),
    # Transformers / peft
    "transformers: fp16 and bf16": Case(
        files={"train.yaml": TRAINER.format("fp16: ▸true\nbf16: true")},
        rule="both-half-dtypes", says="At most one of fp16 and bf16 can be True", mend=("bf16: true", "bf16: false"),
    ),
    "transformers: fp16 in a file and bf16 on the command line": Case(
        files={"run.sh": "python run_clm.py --output_dir o --per_device_train_batch_size 2 ▸--fp16 --bf16 True\n"},
        rule="both-half-dtypes", says="At most one of fp16 and bf16 can be True", mend=("--bf16 True", "--bf16 False"),
    ),
    "transformers: bf16 on CPU without use_cpu": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true")}, machine="cpu",
        rule="bf16-on-cpu", says="Your setup doesn't support bf16/gpu", mend=("bf16: true", "bf16: true\nuse_cpu: true"),
    ),
    "transformers: tf32 before Ampere": Case(
        files={"train.yaml": TRAINER.format("fp16: true\ntf32: ▸true")}, machine="v100",
        rule="tf32-not-on-machine", says="--tf32 requires Ampere", mend=("tf32: true", "tf32: false"),
    ),
    "transformers: TrainingArguments against DeepSpeed's fp16/bf16": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true\ndeepspeed: ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": false}')},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values",
        mend=('"enabled": false', '"enabled": "auto"'), also=("ds.json",),
    ),
    "transformers: bf16 model with float32 norms, no autocast": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: true\nupcast_layernorm: ▸true")},
        rule="upcast-without-autocast", says="but got Float and BFloat16", mend=("pure_bf16: true", "bf16: true"),
    ),
    "peft: autocast_adapter_dtype raises half adapters, then FSDP1's uniformity fails": Case(
        files={"run.sh": "accelerate launch --config_file fsdp.yaml sft.py --output_dir o "
               "--per_device_train_batch_size 2 --torch_dtype bfloat16 --use_peft true --bf16 true\n",
               "fsdp.yaml": ACCELERATE.format(kind="FSDP", value="bf16")
               + "fsdp_config:\n  fsdp_version: 1\n  fsdp_use_orig_params: ▸false\n"}, severity="warning",
        rule="sharded-unit-of-two-dtypes", says="Must flatten tensors with uniform dtype",
        mend=("fsdp_use_orig_params: false", "fsdp_use_orig_params: true"), also=("run.sh",),
    ),
    # FSDP
    "fsdp: int8-loaded LoRA": Case(
        files={"run.sh": "torchrun sft.py --output_dir o --per_device_train_batch_size 2 --use_peft true "
               "--load_in_8bit ▸true --fsdp full_shard\n"},
        rule="quantized-base-under-fsdp", says="Cannot flatten integer dtype", mend=(" --fsdp full_shard", ""),
    ),
    # Lightning
    "lightning: 16-mixed on CPU becomes bf16-mixed": Case(
        files={"train.py": 'trainer = pl.Trainer(accelerator="cpu", precision=▸"16-mixed")\n'}, severity="warning",
        rule="setting-has-no-effect", says="Using `precision='bf16-mixed'` instead", mend=('"cpu"', '"gpu"'),
    ),
    "lightning: precision and a precision plugin together": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"16-mixed", plugins=[HalfPrecision("bf16-true")])\n'},
        rule="precision-and-plugin", says="Received both", mend=('precision="16-mixed", ', ""),
    ),
    "lightning: ModelParallelStrategy with 16-mixed": Case(
        files={"train.py": 'trainer = Trainer(strategy=ModelParallelStrategy(), precision=▸"16-mixed")\n'},
        rule="strategy-excludes-precision", says="does not support", mend=('"16-mixed"', '"bf16-mixed"'),
    ),
    "lightning: bitsandbytes off CUDA": Case(
        files={"train.py": 'trainer = Trainer(accelerator="cpu", plugins=[▸BitsandbytesPrecision(mode="nf4")])\n'},
        rule="precision-and-plugin", says="only supported on CUDA GPUs", mend=('"cpu"', '"cuda"'),
    ),
    "lightning: a CLI file": Case(
        files={"config.yaml": "trainer:\n  accelerator: gpu\n  strategy:\n    class_path: "
               "lightning.pytorch.strategies.ModelParallelStrategy\n  precision: ▸64-true\n"},
        rule="strategy-excludes-precision", says="does not support", mend=("64-true", "32-true"),
    ),
    # kohya sd-scripts
    "kohya: full_fp16 without mixed fp16": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nfull_fp16 = ▸true')},
        rule="full-half-without-mixed", says="full_fp16 requires mixed precision='fp16'", mend=('"bf16"', '"fp16"'),
    ),
    "kohya: full_fp16 in a file, mixed_precision on the command line": Case(
        files={"run.sh": "accelerate launch train_network.py --config_file config.toml --mixed_precision bf16\n",
               "config.toml": KOHYA.format('mixed_precision = "fp16"\nfull_fp16 = ▸true')},
        rule="full-half-without-mixed", says="full_fp16 requires mixed precision='fp16'", also=("run.sh",),
        mend=("--mixed_precision bf16", "--mixed_precision fp16"),
    ),
    "kohya: both full flags with fp16": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "fp16"\nfull_fp16 = true\nfull_bf16 = ▸true')},
        severity="warning", rule="both-half-dtypes", says="trains in float16", mend=("full_bf16 = true", ""),
    ),
    "kohya: fp8_base with mixed no": Case(
        files={"run.sh": "python flux_train_network.py --network_module=networks.lora_flux ▸--fp8_base\n"},
        rule="fp8-base-without-mixed", says="fp8_base requires mixed precision", mend=("--fp8_base", "--sdpa"),
    ),
    "kohya: fp8_base with Anima": Case(
        files={"run.sh": "accelerate launch anima_train_network.py --mixed_precision bf16 ▸--fp8_base\n"},
        severity="warning", rule="setting-has-no-effect", says="reset to False", mend=(" --fp8_base", ""),
    ),
    "kohya: DeepSpeed and mixed precision": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\ndeepspeed = ▸true')}, severity="warning",
        rule="deepspeed-with-mixed-precision", says="Float and BFloat16", mend=("deepspeed = true", "deepspeed = false"),
    ),
    "kohya: text encoder not trained, hidden-state layer norm under fp16": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "fp16"\nfull_fp16 = ▸true\nnetwork_train_unet_only = true')},
        severity="warning", rule="deepspeed-with-mixed-precision", says="expected scalar type Float but found Half",
        mend=("network_train_unet_only = true", ""),
    ),
    # axolotl
    "axolotl: full fine-tune, fp16, no flash attention, sample packing": Case(
        files={"c.yaml": AXOLOTL.format("fp16: true\nbf16: false\nsample_packing: ▸true")}, severity="warning",
        rule="attention-needs-half", says="Attempting to unscale FP16 gradients",
        mend=("fp16: true", "fp16: true\nadapter: lora"),
    ),
    "axolotl: flash_optimum with bf16": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nflash_optimum: ▸true")},
        rule="attention-needs-half", says="AMP is not supported with BetterTransformer", mend=("bf16: true", "bfloat16: true"),
    ),
    "axolotl: sample_packing with sdpa and bf16 not on sm_90": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nsdp_attention: true\nsample_packing: ▸true")}, machine="a100",
        severity="warning", rule="attention-needs-half", says="the loss may be 0.0",
        mend=("sdp_attention", "flash_attention"),
    ),
    "axolotl: fp8 on an unsupported GPU": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp8: ▸true")}, machine="a100",
        rule="fp8-not-available", says="fp8 is not supported on this GPU", mend=("fp8: true", "fp8: false"),
    ),
    "axolotl: fp8_enable_fsdp_float8_all_gather without FSDP2": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp8: true\nfp8_enable_fsdp_float8_all_gather: ▸true")},
        rule="sharded-unit-of-two-dtypes", says="requires FSDP2", mend=("fp8: true", "fp8: true\nfsdp_version: 2"),
    ),
    # LLaMA-Factory
    "llamafactory: pure_bf16 with ZeRO-3": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: ▸true\ndeepspeed: examples/deepspeed/ds_z3_config.json")},
        rule="zero3-excludes", says="`pure_bf16` is incompatible with DeepSpeed ZeRO-3", mend=("ds_z3", "ds_z2"),
    ),
    "llamafactory: fp8 with quantization": Case(
        files={"train.yaml": FACTORY.format("bf16: true\nfp8: ▸true\nquantization_bit: 4")},
        rule="quantized-base-compute-dtype", says="FP8 training is not compatible with quantization",
        mend=("quantization_bit: 4", ""),
    ),
    "llamafactory: infer_dtype ignored while training": Case(
        files={"train.yaml": FACTORY.format("bf16: true\ninfer_dtype: ▸float16")}, severity="warning",
        rule="setting-has-no-effect", says="it is for inference", mend=("do_train: true", "do_train: false"),
    ),
    "llamafactory: no fp16/bf16 in training": Case(
        files={"train.yaml": FACTORY.format("").replace("do_train: true", "do_train: ▸true")}, severity="hint",
        rule="training-in-full-precision", says="recommends mixed precision",
        mend=("template: llama3", "template: llama3\nbf16: true"),
    ),
    "llamafactory: float32 pixel_values into a bf16 vision tower (DPO LoRA)": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: ▸true").replace("stage: sft", "stage: dpo")
               .replace("llama3", "qwen2_vl")}, severity="warning",
        rule="upcast-without-autocast", says="Input type (float) and bias type (c10::BFloat16)",
        mend=("pure_bf16: true", "bf16: true"),
    ),
    # torch
    "torch: autocast to float32 on cpu disables itself": Case(
        files={"train.py": 'with torch.autocast("cpu", dtype=▸torch.float32):\n    y = model(x)\n'}, severity="warning",
        rule="float32-autocast-is-off", says="Disabling autocast", mend=("torch.float32", "torch.bfloat16"),
    ),
}  # fmt: skip
