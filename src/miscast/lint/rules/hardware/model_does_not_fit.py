"""A model does not fit the machine as it is to be trained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....regex import regex
from ...contradiction import Contradiction
from ...deciding import on
from ...run import Run
from ...sharding import flattened
from ...view import View

_SIZE = regex(r"(?<![0-9A-Za-z.])([0-9]{1,3}(?:\.[0-9]{1,2})?)[bB](?![A-Za-z0-9])")
_NAMES = ("model_name_or_path", "base_model")
_PACKED = regex(
    r"nvfp4|mxfp4|awq|gptq|bnb|[-_](?:int|fp|w)?[248][-_]?bit|fp8|int8|int4",
    re.IGNORECASE,
)
"""What a name says of weights that are stored smaller than half precision: how much smaller is not looked up."""
_PARALLEL = ("dp_shard_size", "device_map")
_SMALLER = regex(
    r"bit|quant|lora|oft|peft|adapter|freeze|frozen|unfrozen|badam|galore|apollo|offload|parallel|use_kt|kt_|hatchery",
    re.IGNORECASE,
)
"""What a key says that may make a model take less: what it does is known of keys that are known, and of no other."""
_STATES = (
    (("paged",), 0.0),
    (("8bit", "8_bit"), 2.0),
    (("adafactor", "galore", "apollo", "badam", "sgd", "lomo"), 0.0),
    (("lion",), 2.0),
)
"""Bytes of optimizer states per parameter, by a word of its name; Adam in half precision takes 4, what is paged may
lie in the host's memory.
"""


def find(run: Run) -> Iterator[Contradiction]:
    """Models whose states exceed one device where nothing divides them."""
    machine = run.machine
    if machine is None or not machine.memory:
        return
    for view in run.trainers:
        named, need = view.entry(*_NAMES), _need(view)
        wanted = need.bytes * _parameters(str(named.value)) if named else 0
        if named and wanted > machine.memory and not _is_unknown(view, run):
            takes, has = (
                f"{size / (1 << 30):,.0f} GiB" for size in (wanted, machine.memory)
            )
            first = "" if _checkpoints(view) else "gradient_checkpointing: true, and "
            yield Contradiction(
                says=f"{named.value} takes {takes} before activations ({need.of} on {machine.name}: {has})",
                settings=(named,),
                severity="warning",
                effect="OutOfMemoryError: CUDA out of memory",
                help=f"{first}LoRA on a 4-bit base, ZeRO-3 or FSDP over more devices, or offloading",
            )


def _is_unknown(view: View, run: Run) -> bool:
    """Whether something divides the model, or may make it smaller in a way that is not known here."""
    return _divided(view, run) or _is_scripts_own(view) or _is_made_smaller(view)


def _is_scripts_own(view: View) -> bool:
    """Whether a script that the system is not known to be decides what it loads and what it trains."""
    return any(
        document.origin == "command" and not view.system.has_program(document.name)
        for document in view.documents
    )


def _is_made_smaller(view: View) -> bool:
    """Whether a key of which nothing is known speaks of a quantizer, an adapter, or a host's memory."""
    system = view.system
    return _text(view, "finetuning_type") not in ("", "lora", "full") or any(
        _SMALLER.search(entry.path) and entry.value not in (None, False, "", 0, "none")
        for document in view.documents
        for entry in document.entries
        if system.key(entry.path) is None and entry.path not in system.others
    )


def _parameters(name: str) -> float:
    """How many parameters a model's name says that it has; 0 where it does not, or where they are stored smaller."""
    size = _SIZE.search(name)
    return float(size[1]) * 1e9 if size and not _PACKED.search(name) else 0


def _divided(view: View, run: Run) -> bool:
    """Whether several devices share the model; on more than one, what starts the training may say so out of sight."""
    unseen = run.machine is not None and run.machine.count > 1
    own = any(view.filled(key) for key in ("deepspeed", "fsdp", *_PARALLEL))
    engine = bool(run.view("deepspeed")) or flattened(run) is not None
    return own or engine or (unseen and not run.view("accelerate"))


def _checkpoints(view: View) -> bool:
    setting = view.given("gradient_checkpointing")
    return setting is not None and setting.value is not False


class _Need(NamedTuple):
    """Bytes per parameter, and what of."""

    bytes: float
    of: str


def _need(view: View) -> _Need:
    if _trains_adapter(view):
        return _base(view)
    if view.system.facts.raises_trained(view) or _text(view, "torch_dtype").endswith(
        ("float32", "fp32")
    ):
        return _Need(16.0, "float32 weights, gradients and states")
    return _Need(4.0 + _states(view), "weights, gradients and states in half precision")


def _states(view: View) -> float:
    """Bytes per parameter of the optimizer's states, by its name or by a switch such as `use_galore`."""
    flags = (
        e.path
        for d in view.documents
        for e in d.entries
        if e.path.startswith("use_") and e.value is True
    )
    told = " ".join((_text(view, "optim"), _text(view, "optimizer"), *flags))
    return next(
        (size for words, size in _STATES if any(word in told for word in words)), 4.0
    )


def _base(view: View) -> _Need:
    """A frozen base, as its adapter finds it."""
    if on(view, "load_in_4bit"):
        return _Need(0.5, "a 4-bit base")
    bits = view.number("quantization_bit") if view.given("quantization_bit") else None
    if bits:
        return _Need(bits / 8, "a quantized base")
    return (
        _Need(1.0, "an 8-bit base")
        if on(view, "load_in_8bit")
        else _Need(2.0, "a half base")
    )


def _trains_adapter(view: View) -> bool:
    named = (
        view.get(key) for key in ("use_peft", "adapter") if key in view.system.by_name
    )
    return (
        any(value not in (False, None, "", "full") for value in named)
        or _text(view, "finetuning_type") == "lora"
    )


def _text(view: View, key: str) -> str:
    return view.text(key) if key in view.system.by_name else ""
