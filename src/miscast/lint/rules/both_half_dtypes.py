"""float16 and bfloat16 are both switched on.

## What
Two switches that exclude one another are on: `fp16` and `bf16` of the Trainer, `fp16.enabled` and `bf16.enabled` of
DeepSpeed, `full_fp16` and `full_bf16` of sd-scripts, `--fp16` and `--bf16` of CogVLM.

## Why
Most libraries refuse. Where one does not, one of the two wins without a word: sd-scripts takes `full_fp16`, axolotl
`bf16`; CogVLM's demos make the model float16 and its input bfloat16.

## Example
    fp16: true
    bf16: true

## Use instead
    bf16: true

## Fix safety
Not safe: which of the two was meant is not known.
"""

from __future__ import annotations

from ..conflict import Conflict, both
from ..systems import sat

_HELP = "keep bf16 on Ampere and later, fp16 before; switch the other off"
_TRAINER = "ValueError: At most one of fp16 and bf16 can be True, but not both"


CONFLICTS = (
    Conflict(
        system="transformers",
        inherited=True,
        keys=("fp16", "bf16"),
        when=both("fp16", "bf16"),
        says="fp16 and bf16 are both on",
        effect=_TRAINER,
        help=_HELP,
        source="transformers/training_args.py _validate_args, 5.23.0",
    ),
    Conflict(
        system="transformers",
        inherited=True,
        keys=("fp16_full_eval", "bf16_full_eval"),
        when=both("fp16_full_eval", "bf16_full_eval"),
        says="fp16_full_eval and bf16_full_eval are both on",
        help=_HELP,
        effect="ValueError: At most one of fp16 and bf16 can be True for full eval, but not both",
        source="transformers/training_args.py _validate_args, 5.23.0",
    ),
    Conflict(
        system="axolotl",
        keys=("fp16", "bf16"),
        severity="warning",
        when=lambda s, _: s.on("fp16") and s.at("bf16", True, "true", "True"),
        says="fp16 and bf16 are both on",
        effect="silent: bf16 goes first, fp16 is switched off",
        help=_HELP,
        source="axolotl/utils/config/__init__.py resolve_dtype, 0.19.0",
    ),
    Conflict(
        system="fairseq",
        keys=("fp16", "bf16"),
        when=lambda s, _: both("fp16", "bf16")(s, _) and s.commanded,
        says="fp16 and bf16 are both on",
        effect="ValueError: Cannot combine --fp16 and --tpu, use --bf16 on TPUs",
        help=_HELP,
        source="fairseq/options.py parse_args_and_arch: bf16 implies tpu, 0.12",
    ),
    Conflict(
        system="fairseq",
        keys=("fp16", "amp"),
        when=both("fp16", "amp"),
        says="fp16 and amp are both on",
        effect="AssertionError: Cannot use fp16 and AMP together",
        help="keep one of them",
        source="fairseq/trainer.py Trainer.__init__, 0.12",
    ),
    Conflict(
        system="deepspeed",
        keys=("fp16.enabled", "bf16.enabled"),
        when=both("fp16.enabled", "bf16.enabled"),
        says="fp16 and bf16 are both enabled",
        help=_HELP,
        effect="AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled",
        source="deepspeed/runtime/config.py, 0.19.8",
    ),
    Conflict(
        system="sat",
        keys=("fp16", "bf16"),
        when=lambda s, _: s.on("fp16") and s.on("bf16") and not sat.chats(s),
        says="--fp16 and --bf16 are both given",
        effect="AssertionError: cannot specify both fp16 and bf16.",
        help=_HELP,
        source="SwissArmyTransformer sat/arguments.py get_args, 0.4.12",
    ),
    Conflict(
        system="sat",
        keys=("fp16", "bf16"),
        when=lambda s, _: s.on("fp16") and s.on("bf16") and sat.chats(s),
        says="--fp16 and --bf16 are both given",
        effect="the model becomes float16 and its input bfloat16: RuntimeError: Input type (c10::BFloat16) and "
        "bias type (c10::Half) should be the same",
        help="give one of them: --bf16 on Ampere and later, --fp16 before",
        source="CogVLM utils/utils/chat.py: the input takes bfloat16 if args.bf16 else float16",
    ),
    Conflict(
        system="megatron",
        keys=("fp16", "bf16"),
        when=both("fp16", "bf16"),
        says="--fp16 and --bf16 are both given",
        effect="AssertionError (assert not args.bf16)",
        help=_HELP,
        source="megatron/training/arguments.py validate_args, 0.20",
    ),
    Conflict(
        system="kohya",
        keys=("full_bf16", "full_fp16"),
        when=both("full_fp16", "full_bf16"),
        severity="warning",
        says="full_fp16 and full_bf16 are both on: full_bf16 is ignored",
        effect="silent: the code tests full_fp16 first, and trains in float16",
        help=_HELP,
        source="sd-scripts train_network.py: if args.full_fp16 … elif args.full_bf16",
    ),
)
