"""FSDP cannot flatten integer weights.

## What
A base in 8 bits (`load_in_8bit`) under FSDP; one in 4 bits whose storage is uint8, its default, or another half dtype
than the rest of the model.

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
from ..setting import named_dtype
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
    if fsdp is None:
        return
    for view in (*run.trainers, run.view("torch")):
        if "load_in_8bit" not in view.system.by_name or view.system.name == "axolotl":
            continue  # axolotl ships 8-bit LoRA under FSDP, and loads the base for it
        if view.on("load_in_8bit"):
            yield _told(view.given("load_in_8bit"), fsdp, "an 8-bit base under FSDP")
        elif view.system.name == "torch" and view.on("load_in_4bit") and view.given("bnb_4bit_quant_storage") is None:
            yield _told(view.given("load_in_4bit"), fsdp, "a 4-bit base stored in uint8 under FSDP")
    yield from _stored_unlike_weights(run.view("torch"), fsdp)


def _stored_unlike_weights(library: View, fsdp: Setting) -> Iterator[Finding]:
    """4-bit weights packed in one half dtype, the rest of the model in the other: a flat parameter takes one."""
    stored, loads = library.given("bnb_4bit_quant_storage"), library.given("dtype")
    if stored is None or loads is None or not loads.document.name.endswith("from_pretrained"):
        return
    packed, weights = named_dtype(stored.value), named_dtype(loads.value)
    halves = ("float16", "bfloat16")
    if packed in halves and weights in halves and packed != weights:
        yield tell(
            "quantized-base-under-fsdp",
            f"4-bit weights are packed in {packed}, the rest of the model is {weights}, under FSDP",
            [stored, loads, fsdp],
            effect=f"ValueError: Must flatten tensors with uniform dtype but got torch.{packed} and torch.{weights}",
            fixes=(Fix(title=f"set bnb_4bit_quant_storage to torch.{weights}"),),
        )


def _told(setting: Setting | None, fsdp: Setting, message: str) -> Finding:
    return tell(
        "quantized-base-under-fsdp",
        message,
        [s for s in (setting, fsdp) if s],
        effect=_EFFECT,
        fixes=(Fix(title="use 4 bits with bnb_4bit_quant_storage in the dtype of the weights"),),
    )
