"""Savings of a plan besides precision: 8-bit states, ranks, host memory. They are settings of trainers.

>>> saved(Candidate(states="bitsandbytes"))
[('8-bit states (bitsandbytes)', {'transformers': {'optim': 'adamw_bnb_8bit'}, …})]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .fitting.candidate import Candidate

_BySystem: TypeAlias = Mapping[str, Mapping[str, Any]]

_STATES: Mapping[str, _BySystem] = {
    "bitsandbytes": {
        "transformers": {"optim": "adamw_bnb_8bit"},
        "axolotl": {"optimizer": "adamw_bnb_8bit"},
        "llamafactory": {"optim": "adamw_bnb_8bit"},
        "onetrainer": {"optimizer.optimizer": "ADAMW_8BIT"},
        "sd-scripts": {"optimizer_type": "AdamW8bit"},
    },
    "torchao": {
        "transformers": {"optim": "adamw_torch_8bit"},
        "llamafactory": {"optim": "adamw_torch_8bit"},
    },
}
_HOST: Mapping[str, _BySystem] = {
    "optimizer": {"deepspeed": {"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}}},
    "weights": {
        "deepspeed": {
            "zero_optimization": {
                "stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "cpu"},
            }
        },
        "torchtune": {"fsdp_cpu_offload": True},
    },
}  # fmt: skip
_ATTENTION: _BySystem = {
    "axolotl": {"sdp_attention": True},
    "llamafactory": {"flash_attn": "sdpa"},
}
_RANKS: _BySystem = {
    "fsdp2": {},  # what it is
    "torchtune": {},  # its distributed recipes are FSDP2's
    "torchtitan": {},
}


def saved(candidate: Candidate) -> Sequence[tuple[str, _BySystem]]:
    """Return each saving, named as in the plan, with the settings of the trainers that have it."""
    found: list[tuple[str, _BySystem]] = []
    if candidate.states:
        what = f"8-bit states ({candidate.states})"
        found.append((what, _STATES.get(candidate.states, {})))
    if candidate.attention:
        found.append((f"attention {candidate.attention}", _ATTENTION))
    if candidate.ranks > 1:
        found.append((f"FSDP2 over {candidate.ranks}", _RANKS))
    if candidate.host:
        found.append((f"{candidate.host} on the host", _HOST[candidate.host]))
    return found
