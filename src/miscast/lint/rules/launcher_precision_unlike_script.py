"""The launcher's precision is not the script's.

## What
`accelerate launch --mixed_precision` (or its YAML, or ACCELERATE_MIXED_PRECISION) names one half dtype, the script's
own option another, or the script has an option whose default is `no`.

## Why
The launcher only sets an environment variable; a script that passes its own option to `Accelerator(…)` overrides it.
sd-scripts' own default is `no`: it then trains in float32.

## Example
    accelerate launch --mixed_precision bf16 train_network.py --network_module networks.lora …

## Use instead
    accelerate launch --mixed_precision bf16 train_network.py --mixed_precision bf16 …

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..systems import accelerate, kohya
from ..view import View

_HALF = ("fp16", "bf16", "fp8")


def find(run: Run) -> Iterator[Finding]:
    """A launcher and a script that differ."""
    launcher = run.view("accelerate")
    cell = accelerate.mixed(launcher, run) if launcher or run.view("environment") else None
    asked = cell.by if cell else None
    if asked is None or run.view("deepspeed"):
        return
    if asked.document.origin == "call":
        yield from _called(launcher, asked)
    if asked.value not in _HALF or asked.document.origin == "call":
        return
    for name in ("kohya", "diffusers", "simpletuner"):
        view = run.view(name)
        if not view or view.open:
            continue
        own = view.given("mixed_precision")
        if own is not None and own.value in (*_HALF, "no") and own.value != asked.value:
            yield _told(
                asked,
                own,
                f"the launcher says {asked.value}, the script's own mixed_precision is {own.value}",
                f"silent: the script passes {own.value} to Accelerator, which overrides the launcher",
            )
        elif own is None and name == "kohya" and not view.given("config_file") and kohya.own_script(view):
            yield _told(
                asked,
                None,
                f"the launcher says {asked.value}, the script is given no mixed_precision",
                "silent: the script's own default, no, overrides the launcher: it trains in float32",
            )
    yield from _trainer(run, asked)


def _called(launcher: View, called: Setting) -> Iterator[Finding]:
    """`Accelerator(mixed_precision=…)` in code, beside what the launcher sets."""
    other = next((s for s in launcher.settings["mixed_precision"] if s.document.origin != "call"), None)
    if other is not None and called.value in (*_HALF, "no") and other.value in _HALF and other.value != called.value:
        yield _told(
            other,
            called,
            f"the launcher says {other.value}, Accelerator(…) in code {called.value}",
            f"silent: the argument {called.value} overrides the launcher",
        )


def _trainer(run: Run, asked: Setting) -> Iterator[Finding]:
    for name in ("transformers", "trl", "minicpm", "llamafactory", "axolotl"):
        view = run.view(name)
        for flag, other in (("fp16", "bf16"), ("bf16", "fp16")):
            if view and view.on(flag) and asked.value == other:
                yield _told(
                    asked,
                    view.given(flag),
                    f"the launcher says {other}, the Trainer has {flag} on",
                    f"silent: TrainingArguments sets ACCELERATE_MIXED_PRECISION to {flag} itself",
                )


def _told(asked: Setting, own: Setting | None, message: str, effect: str) -> Finding:
    return tell(
        "launcher-precision-unlike-script",
        message,
        [s for s in (own, asked) if s],
        severity="warning",
        effect=effect,
        fixes=(Fix(title=f"give the script its own: --mixed_precision {asked.value}"),),
    )
