"""TRL's configurations: TrainingArguments with their own defaults, `trl sft …`, `SFTConfig(…)`."""

from ...core.frozen import replace
from ..system import Number, Switch, System
from . import transformers

_SOURCE = "trl/trainer/base_config.py, 1.16.0"

SYSTEM = System(
    name="trl", title="TRL", version="1.16.0", source="trl/trainer/*_config.py", based_on=transformers.SYSTEM,
    keys=(
        Switch(name="bf16", default=None, means="bfloat16 autocast; unset: on, unless fp16 is on",
               source=f"{_SOURCE}: bf16 = not fp16 where it is None"),
        Number(name="learning_rate", default=2e-5, source="trl/trainer/sft_config.py, 1.16.0"),
        Switch(name="gradient_checkpointing", default=True, source=_SOURCE),
    ),
    others=frozenset(
        "dataset_text_field assistant_only_loss completion_only_loss padding_free eval_packing beta loss_type "
        "max_prompt_length max_completion_length num_generations use_vllm lora_target_modules".split()
    ),
    marks=(("output_dir", "beta", "max_length"), ("output_dir", "use_peft"), ("output_dir", "num_generations")),
    unless=("finetuning_type", "base_model", "stage"), program_decides=True,
    programs=("trl sft", "trl dpo", "trl grpo", "trl kto", "trl reward", "trl rloo", "SFTConfig", "DPOConfig",
              "GRPOConfig", "RewardConfig", "KTOConfig", "ORPOConfig", "PPOConfig", "CPOConfig", "RLOOConfig",
              "OnlineDPOConfig"),
    facts=replace(transformers.SYSTEM.facts, half_by_default=True),
)

CONFLICTS = transformers.LOADED
