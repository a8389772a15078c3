"""Trainers of language models: for each precision of the model, the settings that decide it, and their file.

What a trainer has no settings for is not in its `said`. Files are those of training the whole model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .fitting.candidate import Candidate

_KINDS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trainer:
    """`said` by precision; `again` and `once`: activations are computed anew, or kept.

    `beside` tells whose file it is.
    """

    name: str
    file: str
    said: Mapping[str, Mapping[str, Any]]
    again: Mapping[str, Any] = field(default_factory=dict)
    once: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, candidate: Candidate, model: str) -> dict[str, Any]:
        """Return the settings for a candidate; empty if there are none for the model's precision."""
        own = self.said.get(candidate.of(model))
        if own is None:
            return {}
        return {**own, **(self.again if candidate.checkpointing else self.once)}


# fmt: off
TRAINERS = (
    Trainer(
        name="torchtune", file="torchtune.yaml",
        # recipes refuse float16, and none has autocast
        said={"32-true": {"dtype": "fp32"}, "bf16-mixed": {"dtype": "fp32"}, "bf16-true": {"dtype": "bf16"}},
        again={"enable_activation_checkpointing": True}, once={"enable_activation_checkpointing": False},
        beside={
            "model._component_": "torchtune.models.llama3.llama3_8b",
            "tokenizer._component_": "torchtune.models.llama3.llama3_tokenizer",
        },
    ),
    Trainer(
        name="torchtitan", file="torchtitan.toml",
        said={
            "32-true": {"training.dtype": "float32", "training.mixed_precision_param": "float32"},
            "bf16-mixed": {"training.dtype": "float32", "training.mixed_precision_param": "bfloat16"},
            "bf16-true": {"training.dtype": "bfloat16", "training.mixed_precision_param": "bfloat16"},
        },
        again={"activation_checkpoint.mode": "full"}, once={"activation_checkpoint.mode": "none"},
        beside={"training.seq_len": 2048, "model.flavor": "8B"},
    ),
    Trainer(
        name="axolotl", file="axolotl.yaml",
        # under fp16 weights are loaded in float16, which its grad scaler refuses
        said={
            "32-true": {"bf16": False, "fp16": False},
            "bf16-mixed": {"bf16": True},
            "bf16-true": {"bf16": True},
            "16-true": {"bf16": False, "fp16": False, "float16": True},
        },
        again={"gradient_checkpointing": True},
        beside={"base_model": "model", "datasets": [], "micro_batch_size": 1},
    ),
    Trainer(
        name="llamafactory", file="llamafactory.yaml",
        said={
            "32-true": {"bf16": False, "fp16": False},
            "bf16-mixed": {"bf16": True},
            "bf16-true": {"pure_bf16": True},
            "16-mixed": {"fp16": True},
        },
        beside={
            "stage": "sft", "finetuning_type": "full", "template": "default", "model_name_or_path": "model",
            "do_train": True, "output_dir": "out",
        },
    ),
)
# fmt: on


def model_of(components: Sequence[Mapping[str, Any]]) -> str:
    """Return the language model that is trained as a whole; "" if there is none."""
    for one in components:
        if (
            one["trained"]
            and str(one.get("kind", "")).endswith(_KINDS)
            and one["updated"] == one["numbers"]
        ):
            return str(one["name"])
    return ""
