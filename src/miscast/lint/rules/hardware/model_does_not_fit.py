"""The model does not fit into the machine's memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....core.regex import regex
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
"""Parts of the names of models whose weights are stored in less than half precision."""
_PARALLEL = ("dp_shard_size", "device_map")
_SMALLER = regex(
    r"bit|quant|lora|oft|peft|adapter|freeze|frozen|unfrozen|badam|galore|apollo|offload|parallel|use_kt|kt_|hatchery",
    re.IGNORECASE,
)
"""Parts of unknown keys that may reduce a model's memory."""
_STATES = (
    (("paged",), 0.0),
    (("8bit", "8_bit"), 2.0),
    (("adafactor", "galore", "apollo", "badam", "sgd", "lomo"), 0.0),
    (("lion",), 2.0),
)
"""Bytes of optimizer states per parameter, by a part of its name; Adam in half precision takes 4, and a paged one may
use the host's memory.
"""


def find(run: Run) -> Iterator[Contradiction]:
    """Yield models that exceed the memory of one device and are not divided."""
    machine = run.machine
    if machine is None or not machine.memory:
        return
    for view in run.trainers:
        named, need = view.entry(*_NAMES), _need(view)
        required = need.bytes * _parameters(str(named.value)) if named else 0
        if named and required > machine.memory and not _is_unknown(view, run):
            takes, has = (
                f"{size / (1 << 30):,.0f} GiB" for size in (required, machine.memory)
            )
            first = "" if _checkpoints(view) else "gradient_checkpointing: true, and "
            yield Contradiction(
                says=f"{named.value} needs {takes} without activations ({need.of}, on {machine.name}: {has})",
                settings=(named,),
                severity="warning",
                effect="OutOfMemoryError: CUDA out of memory",
                help=f"{first}LoRA on a 4-bit base, ZeRO-3 or FSDP over more devices, or offloading",
            )


def _is_unknown(view: View, run: Run) -> bool:
    """Check whether the model is divided, or may be made smaller in an unknown way."""
    return _divided(view, run) or _is_scripts_own(view) or _is_made_smaller(view)


def _is_scripts_own(view: View) -> bool:
    """Check whether an unknown script decides what is loaded and trained."""
    return any(
        document.origin == "command" and not view.system.has_program(document.name)
        for document in view.documents
    )


def _is_made_smaller(view: View) -> bool:
    """Check whether an unknown key names a quantizer, an adapter, or the host's memory."""
    system = view.system
    return _text(view, "finetuning_type") not in ("", "lora", "full") or any(
        _SMALLER.search(entry.path) and entry.value not in (None, False, "", 0, "none")
        for document in view.documents
        for entry in document.entries
        if system.key(entry.path) is None and entry.path not in system.others
    )


def _parameters(name: str) -> float:
    """Return the number of parameters by a model's name; 0 if it has none, or is stored in less than half precision."""
    size = _SIZE.search(name)
    return float(size[1]) * 1e9 if size and not _PACKED.search(name) else 0


def _divided(view: View, run: Run) -> bool:
    """Check whether several devices share the model, or may share it by a launcher that is not read."""
    unseen = run.machine is not None and run.machine.count > 1
    own = any(view.filled(key) for key in ("deepspeed", "fsdp", *_PARALLEL))
    engine = bool(run.view("deepspeed")) or flattened(run) is not None
    return own or engine or (unseen and not run.view("accelerate"))


def _checkpoints(view: View) -> bool:
    setting = view.given("gradient_checkpointing")
    return setting is not None and setting.value is not False


class _Need(NamedTuple):
    """Bytes per parameter, and what they are for."""

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
    """Return bytes of optimizer states per parameter, by its name or by a switch such as `use_galore`."""
    flags = (
        e.path
        for d in view.documents
        for e in d.entries
        if e.path.startswith("use_") and e.value is True
    )
    named = " ".join((_text(view, "optim"), _text(view, "optimizer"), *flags))
    return next(
        (size for words, size in _STATES if any(word in named for word in words)), 4.0
    )


def _base(view: View) -> _Need:
    """Return the memory of a frozen base."""
    if on(view, "load_in_4bit"):
        return _Need(0.5, "a 4-bit base")
    bits = view.number("quantization_bit") if view.given("quantization_bit") else None
    if bits:
        return _Need(bits / 8, "a quantized base")
    if on(view, "load_in_8bit"):
        return _Need(1.0, "an 8-bit base")
    return _Need(2.0, "a half-precision base")


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
