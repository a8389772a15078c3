"""Contradictions of trainers of large models: Megatron-LM, Composer, ms-swift, OpenRLHF, verl."""

from __future__ import annotations

from . import Case

GPT = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1 {}\n"
FOUNDRY = "max_seq_len: 2048\nmax_duration: 1ep\nglobal_train_batch_size: 8\nprecision: {}\n"

CASES = {
    "megatron: both halves": Case(
        files={"t.sh": 'ARGS="--bf16"\n' + GPT.format("$ARGS --fp16▸").replace("--fp16▸", "▸--fp16")},
        rule="both-half-dtypes", says="AssertionError", fix=("$ARGS", ""),
    ),
    "megatron: fp16 under FSDP2": Case(
        files={"t.sh": GPT.format("▸--fp16 --use-torch-fsdp2")},
        rule="strategy-excludes-precision", says="--use-torch-fsdp2 not supported with fp16 yet",
        fix=("--fp16", "--bf16"),
    ),
    "megatron: fp8 on an A100": Case(
        files={"t.sh": GPT.format("--bf16 --fp8-format ▸hybrid")}, machine="a100",
        rule="fp8-not-available", says="8.9 or higher required", fix=("--fp8-format hybrid", ""),
    ),
    "megatron: a format of fp8 that there is not": Case(
        files={"t.sh": GPT.format("--bf16 --fp8-format ▸e5m2")}, rule="rejected-value", says="invalid choice: 'e5m2'",
        fix=("e5m2", "e4m3"),
    ),
    "composer: a precision of another's": Case(
        files={"t.yaml": FOUNDRY.format("▸bf16")}, rule="rejected-value", says="Value bf16 not found in Precision",
        fix=("bf16", "amp_bf16"),
    ),
    "composer: a precision of another's, in code": Case(
        files={"t.py": "from composer import Trainer\nTrainer(model=m, precision=▸'16-mixed')\n"},
        rule="rejected-value", says="Value 16-mixed not found", fix=("16-mixed", "amp_fp16"),
    ),
    "composer: fp8 on an A100": Case(
        files={"t.yaml": FOUNDRY.format("▸amp_fp8")}, machine="a100", rule="fp8-not-available",
        says="current device does not support it", fix=("amp_fp8", "amp_bf16"),
    ),
    "swift: torch_dtype in another's spelling": Case(
        files={"t.sh": "CUDA_VISIBLE_DEVICES=0 swift sft --model m --tuner_type lora --torch_dtype ▸bf16\n"},
        rule="rejected-value", says="invalid choice: 'bf16'", fix=("bf16", "bfloat16"),
    ),
    "swift: float16 loads train in fp16, DeepSpeed's JSON in bf16": Case(
        files={"t.sh": "swift sft --model m --torch_dtype float16 --deepspeed ds.json\n",
               "ds.json": '{"bf16": {"enabled": ▸true}, "zero_optimization": {"stage": 2}}'},
        rule="engine-contradicts-launcher", says="ds bf16.enabled=True vs hf bf16", fix=("float16", "bfloat16"),
    ),
    "swift: bfloat16 on a V100": Case(
        files={"t.sh": "swift sft --model m --torch_dtype ▸bfloat16\n"}, machine="v100", severity="warning",
        rule="setting-not-on-machine", says="slow", fix=("bfloat16", "float16"),
    ),
    "openrlhf: a dtype that the engine does not take": Case(
        files={"t.sh": "deepspeed --module openrlhf.cli.train_sft --ds.param_dtype ▸fp32 --ds.zero_stage 2\n"},
        rule="rejected-value", says="invalid choice: 'fp32'", fix=("fp32", "bf16"),
    ),
    "openrlhf: float16 and tensor parallelism, through ray": Case(
        files={"t.sh": "ray job submit --address=x -- python3 -m openrlhf.cli.train_ppo_ray --ds.param_dtype ▸fp16 \\\n"
               "  --ds.tensor_parallel_size 2\n"},
        rule="strategy-excludes-precision", says="BF16 is required for tensor parallel training",
        fix=("fp16", "bf16"),
    ),
    "verl: a dtype that it does not know": Case(
        files={"t.sh": "python3 -m verl.trainer.main_ppo data.train_batch_size=8 \\\n"
               "  actor_rollout_ref.actor.fsdp_config.model_dtype=▸bfp16\n"},
        rule="rejected-value", says="unexpected precision: bfp16", fix=("bfp16", "bf16"),
    ),
    "verl: bfloat16 weights, small updates": Case(
        files={"t.sh": "python3 -m verl.trainer.main_ppo actor_rollout_ref.actor.optim.lr=▸1e-6 \\\n"
               "    actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16\n"}, severity="warning",
        rule="half-updates-too-small", says="is rounded away", fix=("model_dtype=bfloat16", "model_dtype=fp32"),
    ),
    "verl: the rollout's dtype": Case(
        files={"t.yaml": "actor_rollout_ref:\n  rollout:\n    name: vllm\n    dtype: ▸bf16\n"},
        rule="rejected-value", says="Unknown dtype: bf16", fix=("bf16", "bfloat16"),
    ),
    "diffusion-pipe: a dtype in short": Case(
        files={"t.toml": "output_dir = 'o'\nmicro_batch_size_per_gpu = 1\n[model]\ntype = 'wan'\ndtype = ▸'bf16'\n"},
        rule="rejected-value", says="KeyError: 'bf16'", fix=("bf16", "bfloat16"),
    ),
    "ai-toolkit: a dtype that it does not know": Case(
        files={"t.yaml": "job: extension\nconfig:\n  process:\n    - type: sd_trainer\n      train:\n        dtype: ▸bf-16\n"},
        rule="rejected-value", says="'bf-16' stays a string", fix=("bf-16", "bf16"),
    ),
    "musubi: a precision that argparse refuses": Case(
        files={"t.sh": "accelerate launch src/musubi_tuner/wan_train_network.py --dit d --network_module n.lora \\\n"
               "  --mixed_precision ▸fp8\n"},
        rule="rejected-value", says="invalid choice: 'fp8'", fix=("fp8", "bf16"),
    ),
    "opensora: a dtype that it does not name so": Case(
        files={"image.py": "# a comment\nplugin = 'zero2'\nckpt_every = 100\ndtype = ▸'bfloat16'\nlr = 1e-5\n"},
        rule="rejected-value", says="Unsupported dtype bfloat16", fix=("bfloat16", "bf16"),
    ),
    "mmengine: a dtype in short": Case(
        files={"c.py": "from mmengine.optim import AmpOptimWrapper\nlr = 1\noptim_wrapper = dict(\n"
               "    type=AmpOptimWrapper, dtype=▸'bf16', loss_scale='dynamic')\n"},
        rule="rejected-value", says="dtype should be any of", fix=("'bf16'", "'bfloat16'"),
    ),
    "mmengine: a loss scale that is an integer": Case(
        files={"c.py": "optim_wrapper = dict(type='AmpOptimWrapper', loss_scale=▸512)\n"},
        rule="rejected-value", says="loss_scale must be of type float", fix=("512", "512.0"),
    ),
}  # fmt: skip
