"""LLaMA-Factory: a YAML for `llamafactory-cli train`, whole models and adapters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE = "LLaMA-Factory"
PACKAGES = ("llamafactory", "transformers", "accelerate", "peft", "trl", "torch")
PROGRAM = """\
import probe
from llamafactory.train.tuner import run_exp

probe.follow({parts})
run_exp()
probe.tell()
"""
YAML = """\
model_name_or_path: llama
stage: sft
do_train: true
finetuning_type: {kind}
dataset: orders
dataset_dir: .
template: empty
cutoff_len: 32
output_dir: out
per_device_train_batch_size: 2
max_steps: 2
report_to: none
save_strategy: 'no'
"""
DATA = '{"orders": {"file_name": "orders/all.json"}}\n'
HALVES = {"plain": "", "bf16": "bf16: true\n", "fp16": "fp16: true\n", "pure_bf16": "pure_bf16: true\n",
          "bf16, pure_bf16": "bf16: true\npure_bf16: true\n", "both": "bf16: true\nfp16: true\n"}  # fmt: skip
SINGLE = list(HALVES.items())[:4]
"""Each half by itself, and none."""
LAUNCHER = "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nnum_machines: 1\nnum_processes: 1\n"


def combination(name: str, kind: str, more: str, *, launcher: str = "", machine: str = "a100") -> Combination:
    """One YAML, by LLaMA-Factory's command or by accelerate's launcher."""
    parts = "probe.ADAPTED" if kind == "lora" else ""
    launched = ("accelerate", "launch", "--config_file", "accelerate.yaml")
    return Combination(
        family="by_llamafactory", name=name, needs=("llama", "orders"), machine=machine,
        files={"train.yaml": YAML.format(kind=kind) + more} | ({"accelerate.yaml": launcher} if launcher else {}),
        harness={"run.py": PROGRAM.format(parts=parts), "dataset_info.json": DATA},
        command=(*launched, "run.py", "train.yaml") if launcher else ("python", "run.py", "train.yaml"),
        typed=" ".join((*launched, "src/train.py", "train.yaml")) if launcher else "llamafactory-cli train train.yaml",
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Half × what is trained; the launcher's word; machines; what raises or casts by itself."""
    for (name, half), kind in itertools.product(HALVES.items(), ("full", "lora", "freeze")):
        yield combination(f"{kind}, {name}", kind, half)
    for (name, half), mixed in itertools.product(SINGLE, ("'no'", "bf16", "fp16")):
        text = f"{LAUNCHER}mixed_precision: {mixed}\n"
        yield combination(f"lora, {name}, {mixed} by the launcher", "lora", half, launcher=text)
    for (name, half), machine in itertools.product(SINGLE, ("v100", "cpu", "h100")):
        yield combination(f"lora, {name}, {machine}", "lora", half, machine=machine)
    switches = ("upcast_layernorm: true\n", "tf32: true\n", "flash_attn: disabled\n")
    for (name, half), more in itertools.product(SINGLE, switches):
        yield combination(f"full, {name}, {more.strip()}", "full", half + more)
