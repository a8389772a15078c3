"""A program that converts its input by a two-way test gets no dtype flag.

## What
CogVLM's demos without `--fp16` and `--bf16`.

## Why
The input becomes bfloat16 with `--bf16`, else float16; the model becomes float16, bfloat16, or, without a flag, stays
float32.

## Example
    python cli_demo_sat.py --from_pretrained cogagent-chat

## Use instead
    python cli_demo_sat.py --from_pretrained cogagent-chat --bf16

## Fix safety
Not safe: half precision rounds; on Ampere and later bf16 has float32's range.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import sat
from ..view import View


def _none(view: View, _: Run) -> bool:
    return sat.chats(view) and view.off("fp16") and view.off("bf16")


CONFLICTS = (
    Conflict(
        system="sat",
        keys=(),
        when=_none,
        says="neither --fp16 nor --bf16 is given: the model stays float32, its input becomes float16",
        effect="RuntimeError: Input type (c10::Half) and bias type (float) should be the same",
        help="give --bf16 on Ampere and later, --fp16 before",
        source="CogVLM utils/utils/chat.py: torch.bfloat16 if args.bf16 else torch.float16",
    ),
)
