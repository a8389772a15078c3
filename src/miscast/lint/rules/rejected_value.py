"""A library rejects the value of a setting.

## What
A setting has a value that is none of those that its library takes: `mixed_precision: fp32` of accelerate,
`gradient_precision=bf16` of SimpleTuner, a boolean `loss_scale` of DeepSpeed.

## Why
The program stops at its start, or, where the value passes through another program first, somewhere behind it. In
YAML, a bare `no` is a boolean, not the word.

## Example
    mixed_precision: fp32

## Use instead
    mixed_precision: 'no'

## Fix safety
Safe where the rejected word has one meaning: float32 is what `no` computes in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..conflict import Conflict, When
from ..contradiction import Contradiction, replaced
from ..run import Run
from ..setting import Unknown, Value
from ..system import Setting
from ..systems import torchtitan
from ..view import View

_FULL = ("fp32", "float32", "32", "float", "false", "full", "none", "no")
_SCALES = {
    "fp16.loss_scale": "0",
    "fp16.min_loss_scale": "1",
    "fp16.loss_scale_window": "1000",
}
"""DeepSpeed's numbers of loss scaling, with their defaults; 0 scales dynamically."""


def _no_scaler(view: View, _: Run) -> bool:
    """Whether AmpOptimWrapper is given a loss scale that is no float: `loss_scale=512` is an integer."""
    scale = view.get("optim_wrapper.loss_scale")
    wrapper = view.text("optim_wrapper.type").rpartition(".")[2]
    taken = isinstance(scale, (float, Unknown)) or scale == "dynamic"
    return wrapper == "ampoptimwrapper" and not taken


def _refused_option(key: str) -> When:
    """Whether torchtitan's command line has a dtype that it takes in a file."""

    def refused(view: View, _: Run) -> bool:
        setting = view.given(key)
        taken = torchtitan.OPTIONS[key]
        option = setting is not None and setting.document.origin == "command"
        known = setting is not None and setting.value in setting.key.allowed
        return option and known and view.get(key) not in taken

    return refused


CONFLICTS = (
    *(
        Conflict(
            system="torchtitan",
            keys=(key,),
            when=_refused_option(key),
            says=f"{key} is {{0}}: torchtitan does not take it as an option",
            effect=f"tyro: '{{0}}' is none of {', '.join(map(repr, taken))}",
            help=f"one of {', '.join(taken)}",
            source="torchtitan/config/configs.py, 0.3.0",
        )
        for key, taken in torchtitan.OPTIONS.items()
    ),
    Conflict(
        system="torchtitan",
        keys=("training.mixed_precision_reduce",),
        when=torchtitan.reduces_in_none,
        says="training.mixed_precision_reduce is {0}: torchtitan does not take it",
        effect=torchtitan.UNREDUCED,
        help="one of bfloat16, float32, float16",
        source="torchtitan/models/llama3/infra/parallelize.py, 0.2.2: without FSDP nothing reads it",
    ),
    Conflict(
        system="torchtitan",
        keys=("model.converters.0",),
        when=lambda s, _: (
            s.at("model.converters.0", "float8", "mx")
            and (s.below("quantize.") or s.below("model.hf_assets_path"))
        ),
        says="the converter is called {0}, as it was in torchtitan 0.1, and other keys are 0.2's",
        effect="KeyError: '{0}'",
        help='"quantize.linear.{0}"',
        source="torchtitan/components/quantization/float8.py, mx.py, 0.2.2 and 0.1.0",
    ),
    Conflict(
        system="mmengine",
        keys=("optim_wrapper.loss_scale",),
        when=_no_scaler,
        says="loss_scale is {0}",
        effect='TypeError: loss_scale must be of type float, dict, or "dynamic", but got {0}',
        help="'dynamic', or a float: 512.0",
        source="mmengine/optim/optimizer/amp_optimizer_wrapper.py AmpOptimWrapper.__init__, 0.10.7",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """Values outside what a key allows; of several that reach the program, only the one that wins."""
    for view in run.views:
        for setting, *_ in view.settings.values():
            if _is_rejected(setting):
                yield _rejected(setting)
    yield from _loss_scales(run.view("deepspeed"))


def _is_rejected(setting: Setting) -> bool:
    key, value = setting.key, setting.value
    if not key.rejects or not key.allowed or setting.entry.flag or _is_unset(setting):
        return False
    return not any(
        type(value) is type(allowed) and value == allowed for allowed in key.allowed
    )


def _is_unset(setting: Setting) -> bool:
    """Whether a setting has no value that can be judged; on a command line, an empty word is one."""
    value = setting.value
    return (
        isinstance(value, Unknown)
        or value is None
        or (value == "" and setting.document.origin != "command")
    )


def _rejected(setting: Setting) -> Contradiction:
    value, word = setting.value, _off_word(setting)
    allowed = [str(value) for value in setting.key.allowed if value is not None]
    boolean = f", which is the boolean {value}" if isinstance(value, bool) else ""
    reader = setting.document.name or setting.key.source.partition(",")[0]
    grows = setting.key.grows
    takes = "a newer version may take it" if grows else f"{reader} does not take it"
    return Contradiction(
        says=f"{setting.name} is {setting.entry.text or value or 'empty'}{boolean}: {takes}",
        settings=(setting,),
        severity="hint" if grows else "error",
        effect=_effect(setting),
        help=f"{setting.name}: {word} computes in float32"
        if word
        else f"one of {', '.join(allowed[:8])}",
        edit=replaced(setting, word) if word else None,
    )


def _effect(setting: Setting) -> str:
    """A bare `no` of YAML fails before the library looks at its value."""
    if (
        isinstance(setting.value, bool)
        and setting.document.origin == "file"
        and setting.key.name == "mixed_precision"
    ):
        return f"AttributeError: 'bool' object has no attribute 'lower' ({setting.value} is no word: quote it)"
    return setting.key.rejects.format(value=setting.value)


def _off_word(setting: Setting) -> str:
    """The word for float32 where the rejected one means it, as it is written there; code is for a person to change."""
    means_full = "no" in setting.key.allowed and str(setting.value).lower() in _FULL
    if not means_full or setting.document.origin == "call":
        return ""
    if setting.document.file.endswith((".yaml", ".yml")):
        return "'no'"
    return '"no"' if setting.entry.text.startswith(('"', "'")) else "no"


def _loss_scales(view: View) -> Iterator[Contradiction]:
    dynamic = view.on("fp16.enabled") and view.number("fp16.loss_scale") in (None, 0.0)
    for key, default in _SCALES.items():
        setting = view.given(key)
        reason = _no_scale(setting.entry.value, key, dynamic=dynamic) if setting else ""
        if setting and reason:
            yield Contradiction(
                says=f"{setting.name} is {setting.entry.text}",
                settings=(setting,),
                effect=f"ValueError: {key} {reason}",
                help=f"{default}, the default"
                if key != "fp16.loss_scale"
                else "0, which scales dynamically",
                edit=replaced(setting, default),
            )


def _no_scale(value: Value, key: str, *, dynamic: bool) -> str:
    """Why a value is no loss scale: deepspeed/runtime/precision_config.py, 0.19.8. "auto" is for a trainer to fill."""
    if isinstance(value, Unknown) or value is None or value == "auto":
        return ""
    kind = "a number" if key == "fp16.loss_scale" else "an integer"
    if isinstance(value, bool):
        return f"must be {kind}, not bool"
    try:
        number = float(value)
    except ValueError:
        return f"must be {kind}"
    return _out_of_range(number, key, dynamic=dynamic)


def _out_of_range(number: float, key: str, *, dynamic: bool) -> str:
    if not math.isfinite(number):
        return "must be a finite number (not inf/-inf/nan)"
    if key == "fp16.loss_scale":
        return "must be >= 0 (0 enables dynamic loss scaling)" if number < 0 else ""
    return (
        "must be > 0 when dynamic loss scaling is enabled (loss_scale=0)"
        if number <= 0 and dynamic
        else ""
    )
