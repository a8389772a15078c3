"""Contradictions of what a machine lacks."""

from __future__ import annotations

from . import AXOLOTL, TRAINER, Case

CASES = {
    "machine: bf16 on a V100": Case(
        files={"train.yaml": TRAINER.format("bf16: ▸true")}, machine="v100", severity="warning",
        rule="setting-not-on-machine", says="converts to float32 and back", fix=("bf16: true", "fp16: true"),
    ),
    "machine: bf16 on four T4, by an argument": Case(
        files={"run.sh": "accelerate launch train_network.py --network_module=networks.lora --mixed_precision=▸bf16\n"},
        machine="4xt4", severity="warning", rule="setting-not-on-machine", says="slow", fix=("=bf16", "=fp16"),
    ),
    "machine: float64 on Apple": Case(
        files={"train.py": 'trainer = Trainer(accelerator="mps", precision=▸"64-true")\n'}, machine="m2",
        rule="setting-not-on-machine", says="RuntimeError", fix=("64-true", "32-true"),
    ),
    "machine: allow_tf32 in code": Case(
        files={"train.py": "import torch\ntorch.backends.cuda.matmul.allow_tf32 = ▸True\n"}, machine="t4",
        severity="warning", rule="tf32-not-on-machine", says="no effect", fix=("True", "False"),
    ),
    "machine: flash attention 2 on a V100": Case(
        files={"train.yaml": TRAINER.format("fp16: true\nattn_implementation: ▸flash_attention_2")}, machine="v100",
        rule="attention-needs-half", says="only supports Ampere", fix=("flash_attention_2", "sdpa"),
    ),
    "machine: a model that does not fit": Case(
        files={"train.yaml": TRAINER.format("bf16: true\nmodel_name_or_path: ▸org/Some-Model-13B")}, machine="a100",
        severity="warning", rule="model-does-not-fit", says="out of memory", fix=("13B", "1B"),
    ),
    "attention: flash attention with float32 weights": Case(
        files={"train.yaml": TRAINER.format("attn_implementation: ▸flash_attention_2\ntorch_dtype: float32")},
        rule="attention-needs-half", says="only support fp16 and bf16",
        fix=("torch_dtype: float32", "torch_dtype: bfloat16"),
    ),
    "attention: flash attention with float32 weights, in code": Case(
        files={"t.py": 'm = AutoModel.from_pretrained(n, attn_implementation=▸"flash_attention_2", dtype=torch.float32)\n'},
        rule="attention-needs-half", says="only support fp16 and bf16", fix=("float32", "bfloat16"),
    ),
    "attention: axolotl's flash_attention in float32": Case(
        files={"c.yaml": AXOLOTL.format("flash_attention: ▸true\nbf16: false\nfp16: false")},
        rule="attention-needs-half", says="only support fp16 and bf16", fix=("bf16: false", "bf16: auto"),
    ),
    "machine: tf32 in code on t4": Case(
        files={
            "t.py": 'a = TrainingArguments("o", tf32=▸True)\n',
        },
        rule="tf32-not-on-machine", says="ValueError: --tf32 requires Ampere or a newer GPU arch, cuda", machine="t4",
        fix=("tf32=True", "tf32=False"),
    ),
    "machine: flash attention on a cpu": Case(
        files={
            "t.py": (
                'm = AutoModel.from_pretrained(p, attn_implementation=▸"flash_attention_2", torch_dtype=torch.bfloat16)\n'
            ),
        },
        rule="attention-needs-half", says="ValueError: FlashAttention2 is not", machine="cpu",
        fix=("flash_attention_2", "sdpa"),
    ),
    "machine: load bf16 on v100": Case(
        files={
            "t.py": "m = AutoModel.from_pretrained(n, torch_dtype=▸torch.bfloat16)\n",
        },
        rule="setting-not-on-machine", says="right values, but slow: each op ", machine="v100", severity="warning",
        fix=("torch.bfloat16", "torch.float16"),
    ),
    "machine: matmul precision high on t4": Case(
        files={
            "t.py": 'import torch\ntorch.set_float32_matmul_precision(▸"high")\n',
        },
        rule="tf32-not-on-machine", says="silent: the switch has no effect,", machine="t4", severity="warning",
        fix=('"high"', '"highest"'),
    ),
    "machine: tf32 override against matmul precision": Case(
        files={
            "r.sh": "export NVIDIA_TF32_OVERRIDE=▸0\npython t.py\n",
            "t.py": 'import torch\ntorch.set_float32_matmul_precision("high")\n',
        },
        rule="environment-overrides-setting", says="silent: cuBLAS and cuDNN use no TF", severity="warning",
        fix=("OVERRIDE=0", "OVERRIDE=1"),
    ),
    "machine: fp16 on a TPU": Case(
        files={"train.yaml": TRAINER.format("fp16: ▸true")}, machine="tpu", rule="float16-on-tpu",
        says="ValueError: fp16 mixed precision requires a device in", fix=("fp16: true", "bf16: true"),
    ),
    "machine: fp16 on a TPU, by accelerate's launcher": Case(
        files={"a.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: XLA\nmixed_precision: ▸fp16\n"},
        machine="tpu-v5e", rule="float16-on-tpu", says="(not 'xla').", fix=("fp16", "bf16"),
    ),
    "machine: tf32 on Gaudi": Case(
        files={"t.py": 'a = TrainingArguments("o", bf16=True, tf32=▸True)\n'}, machine="gaudi2",
        rule="tf32-not-on-machine", says="--tf32 requires Ampere", fix=("tf32=True", "tf32=False"),
    ),
    "machine: inference in bfloat16": Case(
        files={"i.yaml": "model_name_or_path: m\ntemplate: llama3\ninfer_backend: vllm\ninfer_dtype: ▸bfloat16\n"},
        machine="v100", severity="warning", rule="setting-not-on-machine", says="vLLM reject it",
        fix=("bfloat16", "float16"),
    ),
}  # fmt: skip
