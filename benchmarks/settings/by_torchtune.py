"""torchtune's recipes for one device: a YAML for `tune run`, whole models and adapters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "torchtune", ("torchtune", "torchao", "torch")
PROGRAM = """\
import contextlib
import runpy
from pathlib import Path

import probe
import torchtune

probe.follow({parts})
recipes = Path(torchtune.__file__).parents[1] / "recipes"
with contextlib.suppress(SystemExit):
    runpy.run_path(str(recipes / "{recipe}.py"), run_name="__main__")
probe.tell()
"""
WORDS = """\
class Words:
    vocab_size, pad_id, max_seq_len = 300, 0, 32

    def tokenize_messages(self, messages, **_):
        text = "".join(message.text_content for message in messages)
        tokens = [2, *(ord(letter) % 200 + 10 for letter in text)][:32]
        return tokens, [False] * len(tokens)

    def __call__(self, sample, inference=False):
        tokens, mask = self.tokenize_messages(sample.pop("messages"))
        return {**sample, "tokens": tokens, "mask": mask}
"""
YAML = """\
output_dir: out
model:
  _component_: torchtune.models.llama3.{model}
  vocab_size: 316
  num_layers: 2
  num_heads: 4
  num_kv_heads: 2
  embed_dim: 32
  max_seq_len: 64
  intermediate_dim: 64
{lora}tokenizer:
  _component_: words.Words
dataset:
  _component_: torchtune.datasets.alpaca_dataset
  source: json
  data_files: orders/all.json
  split: train
seed: 0
shuffle: True
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
  checkpoint_dir: llama
  checkpoint_files: [model.safetensors]
  recipe_checkpoint: null
  output_dir: out
  model_type: LLAMA3
resume_from_checkpoint: False
save_adapter_weights_only: False
batch_size: 2
epochs: 1
optimizer:
  _component_: torch.optim.{optimizer}
  lr: 2e-5
lr_scheduler:
  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup
  num_warmup_steps: 1
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
max_steps_per_epoch: 2
gradient_accumulation_steps: {accumulation}
optimizer_in_bwd: {early}
clip_grad_norm: null
compile: False
device: {device}
enable_activation_checkpointing: {checkpointing}
enable_activation_offloading: False
metric_logger:
  _component_: torchtune.training.metric_logging.DiskLogger
  log_dir: out/logs
log_every_n_steps: 1
log_peak_memory_stats: False
{dtype}"""
LORA = """\
  lora_attn_modules: [q_proj, v_proj]
  apply_lora_to_mlp: False
  lora_rank: 4
  lora_alpha: 8
"""
DTYPES = ("fp32", "bf16", "fp16", "fp64")


def combination(name: str, dtype: str, *, lora: bool = False, machine: str = "a100", **words: str) -> Combination:
    """One YAML."""
    recipe = f"{'lora' if lora else 'full'}_finetune_single_device"
    off = dict.fromkeys(("checkpointing", "early"), "False")
    given = {"optimizer": "AdamW", "accumulation": "1", "device": "cuda"} | off | words
    model = "lora_llama3" if lora else "llama3"
    yaml = YAML.format(model=model, lora=LORA if lora else "", dtype=f"dtype: {dtype}\n", **given)
    program = PROGRAM.format(recipe=recipe, parts="probe.ADAPTED" if lora else "")
    return Combination(
        family="by_torchtune", name=name, files={"train.yaml": yaml}, needs=("llama", "orders"), machine=machine,
        harness={"run.py": program, "words.py": WORDS}, command=("python", "run.py", "--config", "train.yaml"),
        typed=f"tune run {recipe} --config train.yaml",
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Recipes × dtype; optimizers, what is freed early, machines."""
    for dtype, lora in itertools.product(DTYPES, (False, True)):
        kind = "LoRA" if lora else "full"
        yield combination(f"{kind}, {dtype}", dtype, lora=lora)
        yield combination(f"{kind}, {dtype}, cpu", dtype, lora=lora, device="cpu", machine="cpu")
        yield combination(f"{kind}, {dtype}, accumulation", dtype, lora=lora, accumulation="2")
        yield combination(f"{kind}, {dtype}, checkpointing", dtype, lora=lora, checkpointing="True")
        if dtype in ("fp32", "bf16"):
            yield combination(f"{kind}, {dtype}, SGD", dtype, lora=lora, optimizer="SGD")
            yield combination(f"{kind}, {dtype}, v100", dtype, lora=lora, machine="v100")
            yield combination(f"{kind}, {dtype}, h100", dtype, lora=lora, machine="h100")
    for dtype in DTYPES[:2]:
        yield combination(f"full, {dtype}, optimizer_in_bwd", dtype, early="True")
