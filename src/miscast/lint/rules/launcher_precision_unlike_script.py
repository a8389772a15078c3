"""The launcher's precision differs from the script's."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..system import Setting
from ..systems import accelerate
from ..view import View

_HALF = ("fp16", "bf16", "fp8")
_TAKEN = (*_HALF, "no")


def find(run: Run) -> Iterator[Contradiction]:
    """Yield launchers and scripts that differ."""
    launcher = run.view("accelerate")
    read = launcher or run.view("environment")
    asked = accelerate.mixed(launcher, run).by if read else None
    if asked is None or run.view("deepspeed"):
        return
    if asked.document.origin == "call":
        yield from _called(launcher, asked)
    elif asked.value in _HALF:
        for view in run.trainers:
            yield from _script(view, asked)
            yield from _trainer(view, asked)


def _called(launcher: View, called: Setting) -> Iterator[Contradiction]:
    given = launcher.settings["mixed_precision"]
    other = next((s for s in given if s.document.origin != "call"), None)
    if (
        other is not None
        and called.value in _TAKEN
        and other.value in _HALF
        and other.value != called.value
    ):
        yield _unlike(
            other,
            called,
            f"the launcher has {other.value}, Accelerator(…) in code {called.value}",
            f"silent: the argument {called.value} overrides the launcher",
        )


def _script(view: View, asked: Setting) -> Iterator[Contradiction]:
    """Yield a script that passes its own `mixed_precision` to Accelerator, or its default."""
    facts, own = view.system.facts, view.given("mixed_precision")
    if not facts.overrides_launcher or view.open:
        return
    if own is not None and own.value in _TAKEN and own.value != asked.value:
        yield _unlike(
            asked,
            own,
            f"the launcher has {asked.value}, the script's own mixed_precision is {own.value}",
            f"silent: the script passes {own.value} to Accelerator, which overrides the launcher",
        )
    elif own is None and facts.default_overrides_launcher(view):
        yield _unlike(
            asked,
            None,
            f"the launcher has {asked.value}, the script no mixed_precision",
            "silent: the script's default, no, overrides the launcher, and it trains in float32",
        )


def _trainer(view: View, asked: Setting) -> Iterator[Contradiction]:
    for flag, other in (("fp16", "bf16"), ("bf16", "fp16")):
        if view.system.facts.halves and view.on(flag) and asked.value == other:
            yield _unlike(
                asked,
                view.given(flag),
                f"the launcher has {other}, the Trainer has {flag} on",
                f"silent: TrainingArguments sets ACCELERATE_MIXED_PRECISION to {flag} itself",
            )


def _unlike(
    asked: Setting, own: Setting | None, says: str, effect: str
) -> Contradiction:
    return Contradiction(
        says=says,
        settings=(own, asked),
        severity="warning",
        effect=effect,
        help=f"give the script --mixed_precision {asked.value} too",
    )
