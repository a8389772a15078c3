"""NeMo Automodel: a recipe's YAML for `automodel`, whole models and adapters, on one GPU and on several."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "NeMo Automodel", ("nemo-automodel", "torch")
PROGRAM = """\
import probe
from nemo_automodel.recipes.llm.train_ft import main

probe.follow({parts})
main()
probe.tell()
"""
YAML = """\
recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler:
  global_batch_size: {batch}
  local_batch_size: 2
  ckpt_every_steps: 1000
  val_every_steps: 1000
  num_epochs: 1
  max_steps: 2
dist_env:
  backend: nccl
  timeout_minutes: 1
model:
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained
  pretrained_model_name_or_path: llama
  use_liger_kernel: false
{weights}checkpoint:
  enabled: false
distributed:
  strategy: {strategy}
  dp_size: none
  tp_size: 1
  cp_size: 1
{policy}{adapter}loss_fn:
  _target_: nemo_automodel.components.loss.masked_ce.MaskedCrossEntropy
dataset:
  _target_: nemo_automodel.components.datasets.llm.mock.build_unpacked_dataset
  num_sentences: 32
  mean_len: 16
  std_len: 0
  vocab_size: 100
  max_sentence_len: 16
packed_sequence:
  packed_sequence_size: 0
dataloader:
  _target_: torchdata.stateful_dataloader.StatefulDataLoader
  collate_fn:
    _target_: nemo_automodel.components.datasets.utils.default_collater
  shuffle: false
optimizer:
  _target_: torch.optim.{optimizer}
  lr: 1.0e-5
"""
LORA = """\
peft:
  _target_: nemo_automodel.components._peft.lora.PeftConfig
  match_all_linear: true
  dim: 4
  alpha: 8
  use_triton: false
"""
DTYPES = ("float32", "bfloat16")


def combination(  # noqa: PLR0913 - what a recipe consists of
    name: str, weights: str = "", policy: tuple[str, ...] = (), ranks: int = 1, *, lora: bool = False,
    strategy: str = "fsdp2", optimizer: str = "AdamW", accumulation: int = 1, machine: str = "a100",
) -> Combination:  # fmt: skip
    """One YAML; `policy` are the dtypes of FSDP2's parameters, reduction and outputs."""
    casts = "".join(
        f"    {key}: {value}\n"
        for key, value in zip(("param_dtype", "reduce_dtype", "output_dtype"), policy, strict=False)
    )
    target = "    _target_: torch.distributed.fsdp.MixedPrecisionPolicy\n"
    yaml = YAML.format(
        weights=f"  torch_dtype: {weights}\n" if weights else "", adapter=LORA if lora else "", strategy=strategy,
        policy=f"  mp_policy:\n{target}{casts}" if policy else "", optimizer=optimizer,
        batch=2 * ranks * accumulation,
    )  # fmt: skip
    return Combination(
        family="by_automodel", name=name, files={"train.yaml": yaml}, needs=("llama",),
        machine=f"{ranks}x{machine}" if ranks > 1 else machine,
        harness={"run.py": PROGRAM.format(parts="probe.ADAPTED" if lora else "")},
        command=("torchrun", f"--nproc_per_node={ranks}", "run.py", "-c", "train.yaml"),
        typed=f"automodel train.yaml --nproc-per-node {ranks}",
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Weights × FSDP2's policy × GPUs; adapters, accumulation, DDP, optimizers, machines."""
    for weights, ranks in itertools.product(("", *DTYPES), (1, 2)):
        said = weights or "auto"
        yield combination(f"{said}, {ranks} GPUs", weights, (), ranks)
        if weights or ranks > 1:  # on one GPU it depends on the checkpoint's dtype, which lint does not read
            yield combination(f"{said}, LoRA, {ranks} GPUs", weights, (), ranks, lora=True)
        for param in DTYPES:
            policy = (param, "float32", param)
            yield combination(f"{said}, {param} policy, {ranks} GPUs", weights, policy, ranks)
    for weights, ranks in itertools.product(DTYPES, (1, 2)):
        yield combination(f"{weights}, accumulation, {ranks} GPUs", weights, (), ranks, accumulation=2)
        yield combination(f"{weights}, DDP, {ranks} GPUs", weights, (), ranks, strategy="ddp")
        yield combination(f"{weights}, SGD, {ranks} GPUs", weights, (), ranks, optimizer="SGD")
        yield combination(f"{weights}, h100, {ranks} GPUs", weights, (), ranks, machine="h100")
    for outputs, reduced in itertools.product(DTYPES, DTYPES):
        policy = ("bfloat16", reduced, outputs)
        yield combination(f"float32, bfloat16 reduced in {reduced} to {outputs}", "float32", policy, 2)
    yield combination("float13", "float13")
