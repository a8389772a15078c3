"""A loop of one's own around `Accelerator`, started by `accelerate launch`: alone, DDP, FSDP1, FSDP2, DeepSpeed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "accelerate", ("accelerate", "deepspeed", "torch")
PROGRAM = """\
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM

import probe

accelerator = Accelerator({call})
model = AutoModelForCausalLM.from_pretrained("llama", torch_dtype=torch.{weights})
probe.watch(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
rows = [{{"input_ids": torch.arange(8), "labels": torch.arange(8)}} for _ in range(16)]
loader = torch.utils.data.DataLoader(rows, batch_size=2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for step, batch in zip(range(2), loader):
    with accelerator.accumulate(model):
        loss = model(**batch).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
probe.tell()
"""
COMMON = "compute_environment: LOCAL_MACHINE\nnum_machines: 1\nmixed_precision: {mixed}\n"
_FSDP = (
    "distributed_type: FSDP\nnum_processes: 2\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
    "  fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer\n"
)
_ENGINE = "distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config:\n  gradient_accumulation_steps: 1\n"
KINDS = {
    "alone": "distributed_type: 'NO'\nnum_processes: 1\n",
    "DDP": "distributed_type: MULTI_GPU\nnum_processes: 2\n",
    "FSDP1": _FSDP + "  fsdp_version: 1\n",
    "FSDP1, flat": _FSDP + "  fsdp_version: 1\n  fsdp_use_orig_params: false\n",
    "FSDP2": _FSDP + "  fsdp_version: 2\n",
    **{f"ZeRO-{stage}": f"{_ENGINE}  zero_stage: {stage}\n" for stage in range(4)},
}
MIXED = {"no": "'no'", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8"}
ENABLED = {
    "fp16": '"fp16": {"enabled": true}', "bf16": '"bf16": {"enabled": true}',
    "both": '"fp16": {"enabled": true}, "bf16": {"enabled": true}',
    "auto": '"fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}',
}  # fmt: skip
WEIGHTS = ("float32", "bfloat16", "float16")


def combination(
    name: str, yaml: str, kind: str, *, call: str = "", weights: str = "float32", **more: str
) -> Combination:
    """One with a YAML for the launcher; the JSON of an engine, a machine or the environment beside it."""
    script = {"train.py": PROGRAM.format(call=call, weights=weights), "accelerate.yaml": yaml}
    engine = {"ds.json": more["engine"]} if "engine" in more else {}
    options = more.get("options", "").split()
    return Combination(
        family="by_accelerate", name=name, files=script | engine,
        command=("accelerate", "launch", "--config_file", "accelerate.yaml", *options, "train.py"),
        machine=more.get("machine", "a100" if kind in ("alone", "CPU") else "2xa100"),
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Mixed precision × kind × weights; what code, options or an engine's JSON say against the file; machines."""
    for (name, mixed), (kind, text), weights in itertools.product(MIXED.items(), KINDS.items(), WEIGHTS):
        if name != "fp8" or weights == "float32":
            yield combination(f"{name}, {kind}, {weights}", COMMON.format(mixed=mixed) + text, kind, weights=weights)
    for (name, mixed), own in itertools.product(MIXED.items(), ("no", "fp16", "bf16", "fp32")):
        call = f'mixed_precision="{own}"'
        yield combination(f"{name}, {own} in code", COMMON.format(mixed=mixed) + KINDS["alone"], "alone", call=call)
        yield combination(
            f"{name}, {own} as an option", COMMON.format(mixed=mixed) + KINDS["alone"], "alone",
            options=f"--mixed_precision {own}",
        )  # fmt: skip
    for (name, mixed), machine in itertools.product(MIXED.items(), ("cpu", "v100", "t4", "h100")):
        yield combination(f"{name}, {machine}", COMMON.format(mixed=mixed) + KINDS["alone"], "alone", machine=machine)
    for name, (half, enabled) in itertools.product(("no", "fp16", "bf16"), ENABLED.items()):
        engine = f'{{{enabled}, "zero_optimization": {{"stage": 2}}, "train_micro_batch_size_per_gpu": 2}}\n'
        yaml = "compute_environment: LOCAL_MACHINE\nnum_machines: 1\ndistributed_type: DEEPSPEED\nnum_processes: 2\n"
        file = "deepspeed_config:\n  deepspeed_config_file: ds.json\n"
        yield combination(f"a JSON with {half}, {name} as an option", yaml + file, "ZeRO-2", engine=engine,
                          options=f"--mixed_precision {name}")  # fmt: skip
