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

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..setting import Unknown, Value
from ..system import Setting

_FULL = ("fp32", "float32", "32", "float", "false", "full", "none", "no")


def find(run: Run) -> Iterator[Finding]:
    """Values outside what a key allows; of several that reach the program, only the one that wins."""
    for view in run.views:
        for settings in view.settings.values():
            for setting in settings[:1]:
                if _rejected(setting):
                    yield _told(setting)
        yield from _loss_scales(run) if view.system.name == "deepspeed" else ()


def _rejected(setting: Setting) -> bool:
    key, value = setting.key, setting.value
    if not key.rejects or not key.allowed or isinstance(value, Unknown) or setting.entry.flag:
        return False
    if value is None or (value == "" and setting.document.origin != "command"):
        return False
    if key.name == "precision" and isinstance(value, str) and value.startswith("torch."):
        return True
    return not any(_same(value, allowed) for allowed in key.allowed)


def _same(value: Value, allowed: Value) -> bool:
    return type(value) is type(allowed) and value == allowed


def _told(setting: Setting) -> Finding:
    value, allowed = setting.value, [str(a) for a in setting.key.allowed if a is not None]
    shown = f"{setting.name} is {setting.entry.text or value or 'empty'}"
    effect = setting.key.rejects.format(value=value)
    if isinstance(value, bool):
        shown += f", which is the boolean {value}"
        if setting.document.origin == "file" and setting.key.name == "mixed_precision":
            effect = f"AttributeError: 'bool' object has no attribute 'lower' ({value} is no word: quote it)"
    fixes = [Fix(title=f"one of {', '.join(allowed[:8])}")]
    if "no" in allowed and str(value).lower() in _FULL and setting.document.origin != "call":
        quote = "'" if setting.document.file.endswith((".yaml", ".yml")) else '"' if _quoted(setting) else ""
        edit = replaced(setting.entry.at, f"{quote}no{quote}")
        fixes = [Fix(title=f"{setting.name}: {quote}no{quote} computes in float32", safe=edit is not None,
                     edits=(edit,) if edit else ())]  # fmt: skip
    return tell("rejected-value", shown + _known(setting), [setting], effect=effect, fixes=tuple(fixes))


def _quoted(setting: Setting) -> bool:
    return setting.entry.text.startswith(('"', "'"))


def _known(setting: Setting) -> str:
    return f": {setting.document.name or setting.key.source.partition(',')[0]} does not take it"


_SCALES = {"fp16.loss_scale": "0", "fp16.min_loss_scale": "1", "fp16.loss_scale_window": "1000"}
"""DeepSpeed's numbers of loss scaling, with their defaults; 0 scales dynamically."""


def _loss_scales(run: Run) -> Iterator[Finding]:
    view = run.view("deepspeed")
    dynamic = view.on("fp16.enabled") and view.number("fp16.loss_scale") in (None, 0.0)
    for key, default in _SCALES.items():
        setting = view.given(key)
        reason = _no_scale(setting.entry.value, key, dynamic=dynamic) if setting else ""
        if setting is None or not reason:
            continue
        edit = replaced(setting.entry.at, default)
        title = f"{default}, the default" if key != "fp16.loss_scale" else "0, which scales dynamically"
        yield tell(
            "rejected-value",
            f"{setting.name} is {setting.entry.text}",
            [setting],
            effect=f"ValueError: {key} {reason}",
            fixes=(Fix(title=title, safe=edit is not None, edits=(edit,) if edit else ()),),
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
    if not math.isfinite(number):
        return "must be a finite number (not inf/-inf/nan)"
    if key == "fp16.loss_scale":
        return "must be >= 0 (0 enables dynamic loss scaling)" if number < 0 else ""
    return "must be > 0 when dynamic loss scaling is enabled (loss_scale=0)" if number <= 0 and dynamic else ""
