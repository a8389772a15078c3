"""FSDP cannot flatten integer weights.

## What
A base in 8 bits (`load_in_8bit`) under FSDP, or one in 4 bits whose storage is uint8, its default.

## Why
FSDP1 flattens the parameters of a unit into one tensor of one floating dtype; bitsandbytes stores integers. With
`bnb_4bit_quant_storage` of the weights' dtype, 4 bits are flattened with the rest.

## Example
    load_in_8bit: true
    fsdp: full_shard

## Use instead
    load_in_4bit: true
    bnb_4bit_quant_storage: bfloat16

## Fix safety
Not safe: 4 bits round more than 8.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..view import View

_EFFECT = "ValueError: Cannot flatten integer dtype tensors"


def sharded(run: Run) -> Setting | None:
    """The setting that switches FSDP1 on."""
    launcher = run.view("accelerate")
    if launcher and (launcher.at("distributed_type", "FSDP") or launcher.on("use_fsdp")):
        return (
            None if launcher.number("fsdp_config.fsdp_version") == 2 else launcher.entry("distributed_type", "use_fsdp")
        )
    for view in run.trainers:
        setting = view.given("fsdp") if "fsdp" in view.system.by_name else None
        if setting is not None and setting.value not in (None, "", False):
            return setting
    return None


def find(run: Run) -> Iterator[Finding]:
    """Integer weights where FSDP flattens."""
    fsdp = sharded(run)
    for view in (*run.trainers, run.view("torch")):
        if "load_in_8bit" not in view.system.by_name:
            continue
        owner = fsdp or _axolotl(view)
        if owner is None:
            continue
        if view.on("load_in_8bit"):
            yield _told(view.given("load_in_8bit"), owner, "an 8-bit base under FSDP")
        elif view.system.name == "torch" and view.on("load_in_4bit") and view.given("bnb_4bit_quant_storage") is None:
            yield _told(view.given("load_in_4bit"), owner, "a 4-bit base stored in uint8 under FSDP")


def _axolotl(view: View) -> Setting | None:
    if view.system.name != "axolotl" or view.number("fsdp_version") == 2 or not view.below("fsdp"):
        return None
    return view.given("load_in_8bit")


def _told(setting: Setting | None, fsdp: Setting, message: str) -> Finding:
    return tell(
        "quantized-base-under-fsdp",
        message,
        [s for s in (setting, fsdp) if s],
        effect=_EFFECT,
        fixes=(Fix(title="use 4 bits with bnb_4bit_quant_storage in the dtype of the weights"),),
    )
