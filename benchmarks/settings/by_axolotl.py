"""axolotl: a YAML for `axolotl train`, whole models and adapters."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

from combination import Combination

TITLE = "axolotl"
PACKAGES = ("axolotl", "transformers", "accelerate", "peft", "deepspeed", "bitsandbytes", "torch")
PROGRAM = """\
import sys

import datasets
import probe
from axolotl.cli.train import do_cli


def alone(method):
    # workers of their own for 16 rows are nothing to be measured
    return lambda self, *args, **words: method(self, *args, **words | {{"num_proc": None}})


for name in ("map", "filter", "save_to_disk"):
    setattr(datasets.Dataset, name, alone(getattr(datasets.Dataset, name)))
probe.follow({parts})
do_cli(sys.argv[1])
probe.tell()
"""
YAML = """\
base_model: llama
datasets:
  - path: orders/all.json
    ds_type: json
    type: alpaca
sequence_len: 256
micro_batch_size: 2
gradient_accumulation_steps: {accumulation}
max_steps: 2
learning_rate: 2e-5
output_dir: out
save_strategy: 'no'
dataset_prepared_path: prepared
dataset_num_proc: 1
"""
LORA = """\
adapter: {kind}
lora_r: 4
lora_alpha: 8
lora_target_modules: [q_proj, v_proj]
"""
HALVES = {
    "nothing said": "", "bf16": "bf16: true\n", "bf16 auto": "bf16: auto\n", "fp16": "bf16: false\nfp16: true\n",
    "fp16 alone": "fp16: true\n", "float32": "bf16: false\nfp16: false\n", "bfloat16": "bfloat16: true\n",
    "float16": "float16: true\n", "both": "bf16: true\nfp16: true\n",
    "bf16 off, bfloat16": "bf16: false\nbfloat16: true\n", "bf16 off, float16": "bf16: false\nfloat16: true\n",
}  # fmt: skip
FEW = {name: HALVES[name] for name in ("bf16", "bf16 auto", "fp16", "float32")}
"""Those that people have."""
FSDP = """\
fsdp_version: {version}
fsdp_config:
  auto_wrap_policy: TRANSFORMER_BASED_WRAP
  transformer_layer_cls_to_wrap: LlamaDecoderLayer
  state_dict_type: FULL_STATE_DICT
"""
SWITCHES = (
    "tf32: true\n", "tf32: false\n", "attn_implementation: eager\n", "sdp_attention: true\n",
    "gradient_checkpointing: true\n", "optimizer: adamw_torch\n", "optimizer: adamw_bnb_8bit\n",
    "optimizer: adafactor\n",
)  # fmt: skip


def combination(  # noqa: PLR0913 - what a run consists of
    name: str, more: str, *, adapter: str = "", machine: str = "a100", deepspeed: object = None, accumulation: int = 1
) -> Combination:
    """One YAML; on several GPUs a process for each."""
    ranks = int(machine.partition("x")[0]) if "x" in machine else 1
    yaml = YAML.format(accumulation=accumulation) + (LORA.format(kind=adapter) if adapter else "") + more
    engine = {"zero.json": json.dumps(deepspeed, indent=2)} if deepspeed else {}
    launched = ("torchrun", f"--nproc_per_node={ranks}") if ranks > 1 else ("python",)
    return Combination(
        family="by_axolotl", name=name, needs=("llama", "orders"), machine=machine,
        files={"train.yaml": yaml + ("deepspeed: zero.json\n" if deepspeed else "")} | engine,
        harness={"run.py": PROGRAM.format(parts="probe.ADAPTED" if adapter else "")},
        command=(*launched, "run.py", "train.yaml"),
        typed="axolotl train train.yaml" + (" --launcher torchrun" if ranks > 1 else ""),
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Half × what is trained; machines; how it is spread; switches that cast; quantized bases; what is refused."""
    for (name, half), adapter in itertools.product(HALVES.items(), ("", "lora")):
        yield combination(f"{adapter or 'full'}, {name}", half, adapter=adapter)
    for (name, half), machine in itertools.product(FEW.items(), ("v100", "h100", "cpu")):
        yield combination(f"lora, {name}, {machine}", half, adapter="lora", machine=machine)
    for (name, half), more in itertools.product(FEW.items(), SWITCHES):
        yield combination(f"full, {name}, {more.strip()}", half + more)
    for name, half in FEW.items():
        yield combination(f"full, {name}, accumulation", half, accumulation=2)
        yield combination(f"full, {name}, DDP", half, machine="2xa100")
        for version, adapter in itertools.product((1, 2), ("", "lora")):
            more = half + FSDP.format(version=version)
            yield combination(f"{adapter or 'full'}, {name}, FSDP{version}", more, adapter=adapter, machine="2xa100")
        for bits in (4, 8):
            kind = "qlora" if bits == 4 else "lora"
            yield combination(f"{kind}, {name}, {bits} bits", f"{half}load_in_{bits}bit: true\n", adapter=kind)
    yield from _engines()
    yield from _refused()


def _engines() -> Iterator[Combination]:
    for stage, key in itertools.product((1, 2, 3), ("bf16", "fp16")):
        zero = {"zero_optimization": {"stage": stage}, key: {"enabled": True}, "train_micro_batch_size_per_gpu": "auto",
                "gradient_accumulation_steps": "auto", "train_batch_size": "auto"}  # fmt: skip
        yield combination(f"full, {key}, ZeRO-{stage}", HALVES[key], deepspeed=zero)
        auto = zero | {key: {"enabled": "auto"}}
        yield combination(f"full, {key}, ZeRO-{stage}, auto", HALVES[key], deepspeed=auto)
    bf16 = {"zero_optimization": {"stage": 2}, "bf16": {"enabled": True}, "train_micro_batch_size_per_gpu": "auto"}
    yield combination("full, fp16, ZeRO-2 in bf16", HALVES["fp16"], deepspeed=bf16)


def _refused() -> Iterator[Combination]:
    for name, more, adapter in (
        ("bf16 full", "bf16: full\n", ""),
        ("fp8 on a100", "bf16: true\nfp8: true\n", ""),
        ("4 bits without an adapter", "bf16: true\nload_in_4bit: true\n", ""),
        ("qlora in 8 bits", "bf16: true\nload_in_8bit: true\n", "qlora"),
        ("qlora without 4 bits", "bf16: true\n", "qlora"),
        ("fp32_norms without FSDP2", "bf16: true\nfp32_norms: true\n", ""),
        ("fp8_config without fp8", "bf16: true\nfp8_config:\n  recipe: rowwise\n", ""),
    ):
        yield combination(name, more, adapter=adapter)
