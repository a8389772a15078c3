"""Contradictions of Transformers, TRL, peft and FSDP."""

from __future__ import annotations

from . import ACCELERATE, FACTORY, TRAINER, ZERO, Case

CASES = {
    "transformers: fp16 and bf16": Case(
        files={"train.yaml": TRAINER.format("fp16: ▸true\nbf16: true")},
        rule="both-half-dtypes", says="At most one of fp16 and bf16 can be True", fix=("bf16: true", "bf16: false"),
    ),
    "transformers: fp16 in a file and bf16 on the command line": Case(
        files={"run.sh": "python run_clm.py --output_dir o --per_device_train_batch_size 2 ▸--fp16 --bf16 True\n"},
        rule="both-half-dtypes", says="At most one of fp16 and bf16 can be True", fix=("--bf16 True", "--bf16 False"),
    ),
    "transformers: bf16 on CPU without use_cpu": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true")}, machine="cpu",
        rule="bf16-on-cpu", says="Your setup doesn't support bf16/gpu", fix=("bf16: true", "bf16: true\nuse_cpu: true"),
    ),
    "transformers: tf32 before Ampere": Case(
        files={"train.yaml": TRAINER.format("fp16: true\ntf32: ▸true")}, machine="v100",
        rule="tf32-not-on-machine", says="--tf32 requires Ampere", fix=("tf32: true", "tf32: false"),
    ),
    "transformers: TrainingArguments against DeepSpeed's fp16/bf16": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true\ndeepspeed: ds.json"),
               "ds.json": ZERO.format('"bf16": {"enabled": false}')},
        rule="engine-contradicts-launcher", says="mismatch TrainingArguments values",
        fix=('"enabled": false', '"enabled": "auto"'), also=("ds.json",),
    ),
    "transformers: bf16 model with float32 norms, no autocast": Case(
        files={"train.yaml": FACTORY.format("pure_bf16: true\nupcast_layernorm: ▸true")},
        severity="warning",
        rule="upcast-without-autocast", says="but got Float and BFloat16", fix=("pure_bf16: true", "bf16: true"),
    ),
    "peft: autocast_adapter_dtype raises half adapters, then FSDP1's uniformity fails": Case(
        files={"run.sh": "accelerate launch --config_file fsdp.yaml sft.py --output_dir o "
               "--per_device_train_batch_size 2 --torch_dtype bfloat16 --use_peft true --bf16 true\n",
               "fsdp.yaml": ACCELERATE.format(kind="FSDP", value="bf16")
               + "fsdp_config:\n  fsdp_version: 1\n  fsdp_use_orig_params: ▸false\n"}, severity="warning",
        rule="sharded-unit-of-two-dtypes", says="Must flatten tensors with uniform dtype",
        fix=("fsdp_use_orig_params: false", "fsdp_use_orig_params: true"), also=("run.sh",),
    ),
    "fsdp: int8-loaded LoRA": Case(
        files={"run.sh": "accelerate launch --config_file fsdp.yaml sft.py --output_dir o "
               "--per_device_train_batch_size 2 --use_peft true --load_in_8bit ▸true\n",
               "fsdp.yaml": ACCELERATE.format(kind="FSDP", value="bf16") + "fsdp_config:\n  fsdp_version: 1\n"},
        rule="quantized-base-under-fsdp", says="Cannot flatten integer dtype", fix=("fsdp_version: 1", "fsdp_version: 2"),
        also=("fsdp.yaml",),
    ),
    "accelerate: the launcher's fp16 and a half model in code": Case(
        files={
            "t.py": "m = AutoModelForCausalLM.from_pretrained(p, torch_dtype=▸torch.float16)\n"
                    "accelerator = Accelerator()\naccelerator.backward(loss)\n",
            "a.yaml": ACCELERATE.format(kind="MULTI_GPU", value="fp16"),
        },
        rule="half-parameters-under-grad-scaler", says="ValueError: Attempting to unscale FP16 gradients.",
        fix=("torch.float16", "torch.float32"), also=("a.yaml",),
    ),
    "llamafactory: FSDP1's grad scaler and the Adam that is its default": Case(
        files={"t.yaml": FACTORY.format("fp16: ▸true\nfsdp: full_shard\nfsdp_config:\n  version: 1")},
        rule="fused-adam-under-fsdp-scaler", says="doesn't match the broadcast shape [1]",
        fix=("version: 1", "version: 2"),
    ),
    "trl: FSDP1's grad scaler and a fused Adam": Case(
        files={"t.py": 'args = SFTConfig(output_dir="o", bf16=False, fp16=True, optim=▸"adamw_torch_fused")\n',
               "fsdp.yaml": ACCELERATE.format(kind="FSDP", value="fp16") + "fsdp_config:\n  fsdp_version: 1\n"},
        rule="fused-adam-under-fsdp-scaler", says="doesn't match the broadcast shape [1]",
        fix=("fsdp_version: 1", "fsdp_version: 2"),
    ),
    "fsdp1: its grad scaler and a fused Adam": Case(
        files={"train.yaml": TRAINER.format("fp16: ▸true"),
               "fsdp.yaml": ACCELERATE.format(kind="FSDP", value="fp16") + "fsdp_config:\n  fsdp_version: 1\n"},
        rule="fused-adam-under-fsdp-scaler", says="doesn't match the broadcast shape [1]",
        fix=("fp16: true", "fp16: true\noptim: adamw_torch"),
    ),
    "transformers: a Trainer beside its arguments is no Lightning": Case(
        files={"t.py": 'a = TrainingArguments("o", fp16=▸True, bf16=True)\ntrainer = Trainer(model=m, args=a)\n',
               "ds.json": ZERO.format('"bf16": {"enabled": "auto"}')},
        rule="both-half-dtypes", says="At most one of fp16 and bf16", fix=("bf16=True", "bf16=False"),
    ),
    "transformers: pt with bf16 and a zero2 that enables fp16": Case(
        files={
            "run.sh": (
                "torchrun --nproc_per_node 2 pretraining.py --output_dir o --per_device_train_batch_size 4 ▸--bf16 --deepspeed zero2.json\n"
            ),
            "zero2.json": '{\n "fp16": {\n  "enabled": true\n },\n "zero_optimization": {"stage": 2}\n}\n',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=("true", '"auto"'),
    ),
    "trl: SFTConfig says nothing, ds fp16": Case(
        files={
            "t.py": (
                "from trl import SFTConfig\n"
                'args = SFTConfig(output_dir="o", max_length=512, deepspeed="ds.json")\n'
            ),
            "ds.json": '{\n "fp16": {"enabled": ▸true},\n "zero_optimization": {"stage": 2}\n}\n',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=('"enabled": true', '"enabled": "auto"'),
    ),
    "trl: SFTConfig with an inline dict": Case(
        files={
            "t.py": (
                'args = SFTConfig(\n  output_dir="o",\n'
                '  deepspeed={"fp16": {"enabled": ▸True}, "zero_optimization": {"stage": 2}},\n)\n'
            ),
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=('"enabled": True', '"enabled": "auto"'),
    ),
    "transformers: fp16 False beside ds fp16": Case(
        files={
            "run.sh": (
                "deepspeed finetune.py --model_name_or_path m --output_dir o --per_device_train_batch_size 1 --fp16 ▸False --deepspeed ds.json\n"
            ),
            "ds.json": '{"fp16": {"enabled": true}, "zero_optimization": {"stage": 3}}\n',
        },
        rule="engine-contradicts-launcher", says="ValueError: Please correct the following DeepSpeed config va",
        fix=("--fp16 False", "--fp16 True"),
    ),
    "transformers: trainer half weights": Case(
        files={
            "t.py": (
                "m = AutoModelForCausalLM.from_pretrained(p, torch_dtype=▸torch.float16)\n"
                't = Trainer(model=m, args=TrainingArguments(output_dir="o", fp16=True))\n'
            ),
        },
        rule="half-parameters-under-grad-scaler", says="ValueError: Attempting to unscale FP16 gradients.",
        fix=("torch.float16", "torch.float32"),
    ),
    "transformers: run_clm half weights": Case(
        files={
            "r.sh": (
                "python run_clm.py --model_name_or_path gpt2 --output_dir o --per_device_train_batch_size 2 --torch_dtype ▸float16 --fp16\n"
            ),
        },
        rule="half-parameters-under-grad-scaler", says="ValueError: Attempting to unscale FP16 gradients.",
        fix=("--torch_dtype float16", "--torch_dtype float32"),
    ),
    "fsdp: fsdp uint8 storage": Case(
        files={
            "t.py": "q = BitsAndBytesConfig(load_in_4bit=▸True, bnb_4bit_compute_dtype=torch.bfloat16)\n",
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\n"
                "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
            ),
        },
        rule="quantized-base-under-fsdp", says="ValueError: Cannot flatten integer dtype tensors",
        fix=("load_in_4bit=True", "load_in_4bit=True, bnb_4bit_quant_storage=torch.bfloat16"),
    ),
    "fsdp: fsdp storage unlike weights": Case(
        files={
            "t.py": (
                "q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_storage=▸torch.bfloat16)\n"
                "m = AutoModelForCausalLM.from_pretrained(n, quantization_config=q, torch_dtype=torch.float16)\n"
            ),
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: fp16\n"
                "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
            ),
        },
        rule="quantized-base-under-fsdp", says="ValueError: Must flatten tensors with uniform dtype but got",
        fix=("bnb_4bit_quant_storage=torch.bfloat16", "bnb_4bit_quant_storage=torch.float16"),
    ),
    "trl: sft compute dtype": Case(
        files={
            "t.py": (
                'q = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=▸"float16")\n'
                'a = SFTConfig(output_dir="o", bf16=True)\n'
            ),
        },
        rule="quantized-base-compute-dtype", says="silent: every layer of the base ro", severity="warning",
        fix=('"float16"', '"bfloat16"'),
    ),
    "transformers: bf16 full eval on a cpu": Case(
        files={
            "t.py": 'a = TrainingArguments("o", bf16_full_eval=▸True)\n',
        },
        rule="bf16-on-cpu", says="ValueError: Your setup doesn't support bf16/gpu. You need to", machine="cpu",
        fix=("bf16_full_eval=True", "bf16_full_eval=True, use_cpu=True"),
    ),
    "transformers: fp16_backend apex": Case(
        files={
            "t.yaml": "output_dir: o\nper_device_train_batch_size: 1\nfp16: true\nfp16_backend: ▸apex\n",
        },
        rule="setting-has-no-effect", says="TypeError: TrainingArguments.__ini", severity="warning",
        fix=("fp16_backend: apex", "seed: 1"),
    ),
    "peft: modules_to_save": Case(
        files={
            "t.py": (
                "m = AutoModelForCausalLM.from_pretrained(n, torch_dtype=▸torch.float16)\n"
                'a = TrainingArguments(output_dir="o", fp16=True)\n'
                'c = LoraConfig(r=8, modules_to_save=["embed_tokens", "lm_head"])\n'
            ),
        },
        rule="half-parameters-under-grad-scaler", says="ValueError: Attempting to unscale FP16 gradients.",
        fix=(', modules_to_save=["embed_tokens", "lm_head"]', ""),
    ),
    "transformers: trainer fp16 under launcher bf16": Case(
        files={
            "r.sh": (
                "accelerate launch --config_file a.yaml run.py --output_dir o --per_device_train_batch_size 1 ▸--fp16\n"
            ),
            "a.yaml": (
                "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\n"
                "num_processes: 2\n"
            ),
        },
        rule="launcher-precision-unlike-script", says="silent: TrainingArguments sets ACC", severity="warning",
        fix=("--fp16", "--bf16"),
    ),
    "fsdp2: fsdp2 fp16 without scaler": Case(
        files={
            "t.py": (
                "p = MixedPrecisionPolicy(\n param_dtype=▸torch.float16, reduce_dtype=torch.float32)\n"
                "fully_shard(model, mp_policy=p)\n"
            ),
        },
        rule="float16-without-loss-scaling", says="silent: small gradients underflow", severity="warning",
        fix=("fully_shard(model", "s = ShardedGradScaler()\nfully_shard(model"),
    ),
    "transformers: bf16 weights under fp16": Case(
        files={
            "t.yaml": "output_dir: o\nper_device_train_batch_size: 1\nfp16: true\ntorch_dtype: ▸bfloat16\n",
        },
        rule="half-parameters-under-grad-scaler", says='RuntimeError: "_amp_foreach_non_finite_check_and_unscale_cud',
        fix=("torch_dtype: bfloat16", "torch_dtype: float32"),
    ),
    "transformers: two trainers, one wrong": Case(
        files={
            "t.py": 'a = TrainingArguments("o", bf16=True)\nb = TrainingArguments("p", fp16=▸True,\n bf16=True)\n',
        },
        rule="both-half-dtypes", says="ValueError: At most one of fp16 and bf16 can be True, but no",
        fix=("fp16=True,\n bf16=True", "fp16=True"),
    ),
    "transformers: both halves in evaluation": Case(
        files={"t.yaml": "output_dir: o\nper_device_train_batch_size: 1\nfp16_full_eval: ▸true\nbf16_full_eval: true\n"},
        rule="both-half-dtypes", says="for full eval, but not both",
        fix=("fp16_full_eval: true", "fp16_full_eval: false"),
    ),
    "transformers: fp16 on a CPU": Case(
        files={"t.yaml": TRAINER.format("fp16: ▸true\nuse_cpu: true")}, severity="warning",
        rule="float16-on-cpu", says="float32 throughout", fix=("fp16: true", "bf16: true"),
    ),
}  # fmt: skip
