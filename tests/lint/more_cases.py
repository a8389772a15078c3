"""Contradictions beyond those of the reports: hardware, numbers, slips."""

from __future__ import annotations

from cases import ACCELERATE, AXOLOTL, FACTORY, KOHYA, TRAINER, TUNER, ZERO, Case, sdxl, uniform

MORE = {
    "machine: bf16 on a V100": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true")}, machine="v100", severity="warning",
        rule="setting-not-on-machine", says="converts to float32 and back", mend=("bf16: true", "fp16: true"),
    ),
    "machine: bf16 on four T4, by an argument": Case(
        files={"run.sh": "accelerate launch train_network.py --network_module=networks.lora --mixed_precision=▸bf16\n"},
        machine="4xt4", severity="warning", rule="setting-not-on-machine", says="slow", mend=("=bf16", "=fp16"),
    ),
    "machine: float64 on Apple": Case(
        files={"train.py": 'trainer = Trainer(accelerator="mps", precision=▸"64-true")\n'}, machine="m2",
        rule="setting-not-on-machine", says="RuntimeError", mend=("64-true", "32-true"),
    ),
    "machine: allow_tf32 in code": Case(
        files={"train.py": "import torch\ntorch.backends.cuda.matmul.allow_tf32 = ▸True\n"}, machine="t4",
        severity="warning", rule="tf32-not-on-machine", says="no effect", mend=("True", "False"),
    ),
    "machine: flash attention 2 on a V100": Case(
        files={"train.yaml": TRAINER.format("fp16: true\nattn_implementation: ▸flash_attention_2")}, machine="v100",
        rule="attention-needs-half", says="only supports Ampere", mend=("flash_attention_2", "sdpa"),
    ),
    "machine: a model that does not fit": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nmodel_name_or_path: ▸org/Some-Model-13B")}, machine="a100",
        severity="warning", rule="model-does-not-fit", says="out of memory", mend=("13B", "1B"),
    ),
    "environment: NVIDIA_TF32_OVERRIDE against tf32": Case(
        files={"run.sh": "export NVIDIA_TF32_OVERRIDE=▸0\n"
               "python run_clm.py --output_dir o --per_device_train_batch_size 2 --tf32 true\n"},
        severity="warning", rule="environment-overrides-setting", says="use no TF32", mend=("OVERRIDE=0", "OVERRIDE=1"),
    ),
    "environment: TORCH_ALLOW_TF32_CUBLAS_OVERRIDE against allow_tf32": Case(
        files={"run.sh": "export TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=▸1\npython train.py\n",
               "train.py": "import torch\ntorch.backends.cuda.matmul.allow_tf32 = False\n"},
        severity="warning", rule="environment-overrides-setting", says="from the start", mend=("=1", "=0"),
        also=("train.py",),
    ),
    "environment: ACCELERATE_MIXED_PRECISION against the YAML": Case(
        files={".env": "ACCELERATE_MIXED_PRECISION=▸fp16\n",
               "accelerate.yaml": ACCELERATE.format(kind="MULTI_GPU", value="bf16")},
        severity="warning", rule="environment-overrides-setting", says="reads the variable", mend=("fp16", "bf16"),
        also=("accelerate.yaml",),
    ),
    "launcher: the Trainer's own": Case(
        files={"run.sh": "accelerate launch --mixed_precision fp16 run_clm.py --output_dir o "
               "--per_device_train_batch_size 2 --bf16 ▸true\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="sets ACCELERATE_MIXED_PRECISION",
        mend=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "launcher: an option of its own": Case(
        files={"run.sh": "accelerate launch --mixed_precision bf16 train_dreambooth_lora.py "
               "--pretrained_model_name_or_path m --mixed_precision ▸fp16\n"},
        severity="warning", rule="launcher-precision-unlike-script", says="overrides the launcher",
        mend=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "attention: flash attention with float32 weights": Case(
        files={"train.yaml": TRAINER.format("attn_implementation: ▸flash_attention_2\ntorch_dtype: float32")},
        rule="attention-needs-half", says="only support fp16 and bf16",
        mend=("torch_dtype: float32", "torch_dtype: bfloat16"),
    ),
    "attention: flash attention with float32 weights, in code": Case(
        files={"t.py": 'm = AutoModel.from_pretrained(n, attn_implementation=▸"flash_attention_2", dtype=torch.float32)\n'},
        rule="attention-needs-half", says="only support fp16 and bf16", mend=("float32", "bfloat16"),
    ),
    "attention: axolotl's flash_attention in float32": Case(
        files={"c.yaml": AXOLOTL.format("flash_attention: ▸true\nbf16: false\nfp16: false")},
        rule="attention-needs-half", says="only support fp16 and bf16", mend=("bf16: false", "bf16: auto"),
    ),
    "vae: SimpleTuner's SDXL in fp16": Case(
        files={"config.json": TUNER.replace("flux", "sdxl").format('"mixed_precision": "bf16",\n  "vae_dtype": ▸"fp16"')},
        severity="warning", rule="vae-overflows-in-float16", says="black images", mend=('"fp16"', '"bf16"'),
    ),
    "vae: OneTrainer's SDXL in FLOAT_16": Case(
        files={"config.json": sdxl(vae="▸FLOAT_16")}, severity="warning", rule="vae-overflows-in-float16", says="NaN",
        mend=('"vae": {\n    "weight_dtype": "FLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "vae: sd-scripts' SDXL with fp16": Case(
        files={"run.sh": "accelerate launch sdxl_train_network.py --network_module=networks.lora "
               "--mixed_precision=▸fp16\n"},
        severity="warning", rule="vae-overflows-in-float16", says="NaN detected in latents",
        mend=("=fp16", "=fp16 --no_half_vae"),
    ),
    "numbers: torchtitan in bfloat16 at 1e-6": Case(
        files={"t.toml": '[training]\nseq_len = 8192\ndtype = "bfloat16"\n[optimizer]\nname = "AdamW"\nlr = ▸1e-6\n'},
        severity="warning", rule="half-updates-too-small", says="rounded away", mend=('"bfloat16"', '"float32"'),
    ),
    "numbers: sd-scripts' full_bf16 with AdamW": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nfull_bf16 = true\noptimizer_type = "AdamW"\n'
                                           "learning_rate = ▸1e-6")},
        severity="warning", rule="half-updates-too-small", says="rounded away", mend=('"AdamW"', '"Adafactor"'),
    ),
    "numbers: OneTrainer's bfloat16 weights without stochastic rounding": Case(
        files={"config.json": sdxl(unet="BFLOAT_16", optimizer={"optimizer": "ADAMW", "stochastic_rounding": False})
               .replace("0.0001", "▸0.000003")},
        severity="warning", rule="half-updates-too-small", says="rounded away", mend=("false\n  }", "true\n  }"),
    ),
    "numbers: a moving average in bfloat16": Case(
        files={"config.json": sdxl(unet="BFLOAT_16", ema="▸GPU")}, severity="warning",
        rule="average-in-half", says="rounded away", mend=('"ema": "GPU"', '"ema": "OFF"'),
    ),
    "numbers: bf16 gradients reduced in fp16": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true}, "communication_data_type": ▸"fp16"')},
        severity="warning", rule="reduction-overflows", says="infinite on every rank", mend=('"fp16"', '"fp32"'),
    ),
    "numbers: FSDP reduces in float16": Case(
        files={"train.py": "p = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=▸torch.float16)\n"},
        severity="warning", rule="reduction-overflows", says="infinite on every rank",
        mend=("reduce_dtype=torch.float16", "reduce_dtype=torch.float32"),
    ),
    "numbers: Lightning's 16-true": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"16-true")\n'}, severity="warning",
        rule="float16-without-loss-scaling", says="underflow", mend=("16-true", "16-mixed"),
    ),
    "numbers: DeepSpeed's loss_scale of 1": Case(
        files={"ds.json": ZERO.format('"fp16": {"enabled": true, "loss_scale": ▸1}')}, severity="warning",
        rule="float16-without-loss-scaling", says="underflow", mend=('"loss_scale": 1', '"loss_scale": 0'),
    ),
    "quantized: compute dtype of the base": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nload_in_4bit: true\nbnb_4bit_compute_dtype: ▸float16")},
        severity="warning", rule="quantized-base-compute-dtype", says="rounds to the other half dtype",
        mend=("float16", "bfloat16"),
    ),
    "quantized: compute dtype of the base, in code": Case(
        files={"t.py": "q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=▸torch.bfloat16)\n"
               'a = TrainingArguments("o", fp16=True)\n'},
        severity="warning", rule="quantized-base-compute-dtype", says="rounds to the other", mend=("fp16=", "bf16="),
    ),
    "quantized: in 4 and in 8 bits": Case(
        files={"c.yaml": AXOLOTL.format("adapter: lora\nbf16: auto\nload_in_4bit: ▸true\nload_in_8bit: true")},
        rule="quantizers-mixed", says="only one can be used", mend=("load_in_8bit: true", "load_in_8bit: false"),
    ),
    "torchtune: fp16": Case(
        files={"r.yaml": "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
               "dtype: ▸fp16\n"},
        rule="recipe-excludes-dtype", says="full fp16 training is not supported", mend=("fp16", "bf16"),
    ),
    "torchtune: an override": Case(
        files={"run.sh": "tune run full_finetune_single_device --config r.yaml dtype=▸fp16\n",
               "r.yaml": "model:\n  _component_: m\ntokenizer:\n  _component_: t\ndtype: bf16\n"},
        rule="recipe-excludes-dtype", says="full fp16 training is not supported", mend=("dtype=fp16", "dtype=bf16"),
    ),
    "torchtitan: reduction in bfloat16": Case(
        files={"t.toml": '[training]\nseq_len = 8192\nmixed_precision_reduce = ▸"bfloat16"\n'},
        rule="rejected-value", says="is not 'float32'", mend=('"bfloat16"', '"float32"'),
    ),
    "lightning: a precision that is none": Case(
        files={"train.py": 'trainer = Trainer(precision=▸"fp16")\n'},
        rule="rejected-value", says="Precision 'fp16' is invalid", mend=('"fp16"', '"16-mixed"'),
    ),
    "axolotl: fp32_norms without FSDP2": Case(
        files={"c.yaml": AXOLOTL.format("bf16: true\nfp32_norms: ▸true")},
        rule="sharded-unit-of-two-dtypes", says="fp32_norms requires fsdp_version: 2",
        mend=("bf16: true", "bf16: true\nfsdp_version: 2"),
    ),
    "twice: on a command line": Case(
        files={"run.sh": "python train_network.py --network_module=networks.lora --mixed_precision fp16 "
               "--mixed_precision ▸bf16\n"},
        severity="warning", rule="setting-given-twice", says="the last one counts",
        mend=("--mixed_precision fp16", "--mixed_precision bf16"),
    ),
    "twice: in YAML": Case(
        files={"train.yaml": TRAINER.format("fp16: true\nfp16: ▸false")}, severity="warning",
        rule="setting-given-twice", says="the last one counts", mend=("fp16: true\n", ""),
    ),
    "twice: in DeepSpeed's JSON": Case(
        files={"ds.json": ZERO.format('"bf16": {"enabled": true, "enabled": ▸false}')},
        rule="setting-given-twice", says="duplicate keys", mend=(', "enabled": false', ""),
    ),
    "slip: in accelerate's YAML": Case(
        files={"accelerate.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\nmixed_precison: ▸bf16\n"},
        severity="warning", rule="unknown-key", says="unknown keys", mend=("precison", "precision"),
    ),
    "slip: in a TOML": Case(
        files={"config.toml": KOHYA.format('mixed_precision = "bf16"\nful_bf16 = ▸true')}, severity="warning",
        rule="unknown-key", says="ignored", mend=("ful_bf16", "full_bf16"),
    ),
    "onetrainer: uniform half": Case(
        files={"config.json": uniform("BFLOAT_16")}, severity="warning", rule="uniform-half-without-autocast",
        says="the VAE's decoder", mend=('"vae": {\n    "weight_dtype": "BFLOAT_16"', '"vae": {\n    "weight_dtype": "FLOAT_32"'),
    ),
    "llamafactory: upcast of norms, and full fine-tuning": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: true\nupcast_layernorm: ▸true").replace("lora", "full")},
        rule="upcast-without-autocast", says="Float and BFloat16", mend=("upcast_layernorm: true", ""),
    ),
    "deepspeed: inline in TrainingArguments": Case(
        files={"t.py": 'DS = {"zero_optimization": {"stage": 2}, "fp16": {"enabled": True}}\n'
               'a = TrainingArguments("o", bf16=▸True, deepspeed=DS)\ntrainer = Trainer(model=m, args=a)\n'},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values", mend=('"fp16"', '"bf16"'),
    ),
    "deepspeed: a script without an output folder": Case(
        files={"run.sh": "deepspeed train.py --bf16 ▸True --deepspeed ds.json\n",
               "ds.json": ZERO.format('"fp16": {"enabled": true}')},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values", also=("ds.json",),
        mend=('"fp16": {"enabled": true}', '"bf16": {"enabled": "auto"}'),
    ),
    "transformers: a Trainer beside its arguments is no Lightning": Case(
        files={"t.py": 'a = TrainingArguments("o", fp16=▸True, bf16=True)\ntrainer = Trainer(model=m, args=a)\n',
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}')},
        rule="both-half-dtypes", says="At most one of fp16 and bf16", mend=("bf16=True", "bf16=False"),
    ),
    "sat: four processes without a flag": Case(
        files={"d.sh": "torchrun --standalone --nnodes=1 --nproc-per-node=4 ▸cli_demo_sat.py --from_pretrained cogagent-vqa\n"},
        rule="no-dtype-flag", says="bias type (float)", mend=("cogagent-vqa", "cogagent-vqa --fp16"),
    ),
}  # fmt: skip
