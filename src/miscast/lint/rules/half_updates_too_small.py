"""Updates of bfloat16 weights fall below half a unit in the last place.

## What
Trained bfloat16 weights without float32 masters, at a small learning rate, with an Adam that neither rounds
stochastically nor sums with compensation.

## Why
bfloat16 has 8 bits: a weight of 0.02 changes in steps of 1.2e-4. Adam changes a weight by about the learning rate:
below half a step, it is rounded back, and the weight stays as it was.

## Example
    [training]
    dtype = "bfloat16"
    [optimizer]
    lr = 1e-6

## Use instead
    [training]
    dtype = "float32"

## Fix safety
Safe: float32 weights hold every bfloat16 number; they need twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...dtypes import facts
from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..systems import kohya, onetrainer
from ..view import View

_WEIGHT = 0.02
"""The size of a typical weight of a transformer (initializer_range of BERT, GPT-2, Llama)."""
_PLAIN = ("adam", "adamw", "adamw_torch", "adamw_torch_fused", "adamw8bit", "adam_8bit", "adamw_8bit")


def half_step(weight: float = _WEIGHT) -> float:
    """Half a unit in the last place of a bfloat16 number of that size: what is added below it is lost."""
    import math

    return float(2.0 ** math.floor(math.log2(weight)) * facts("bfloat16").eps / 2)


def find(run: Run) -> Iterator[Finding]:
    """Learning rates below half a step of a typical weight."""
    for view in run.trainers:
        found = _settings(view)
        if found is None:
            continue
        dtype, rate = found
        value = rate.value if rate else None
        if isinstance(value, (int, float)) and 0 < value < half_step():
            yield tell(
                "half-updates-too-small",
                f"bfloat16 weights without float32 masters at a learning rate of {value:g}",
                [s for s in (rate, dtype) if s],
                severity="warning",
                effect=f"silent: an update below {half_step():.1e} of a weight of {_WEIGHT:g} is rounded away",
                fixes=(Fix(title="float32 weights under bfloat16 autocast, or an optimizer with stochastic rounding"),),
            )


def _rounds_down(view: View) -> bool:
    """Whether stochastic rounding is switched off in so many words; a preset may say nothing of it."""
    return view.given("optimizer.stochastic_rounding") is not None and view.off("optimizer.stochastic_rounding")


def _settings(view: View) -> tuple[Setting | None, Setting | None] | None:
    """The setting that makes the weights bfloat16, and the learning rate; None where masters or rounding help."""
    name = view.system.name
    if name == "torchtitan" and view.at("training.dtype", "bfloat16"):
        return view.given("training.dtype"), view.given("optimizer.lr")
    if name == "kohya" and kohya.full(view) == "bfloat16" and view.text("optimizer_type") in _PLAIN:
        return view.given("full_bf16"), view.given("unet_lr") or view.given("learning_rate")
    if name == "onetrainer" and view.given("optimizer.optimizer") and _rounds_down(view):
        plain = view.text("optimizer.optimizer") in _PLAIN and view.text("training_method") == "fine_tune"
        for part, (value, setting) in onetrainer.weights(view).items():
            if plain and value == "BFLOAT_16" and onetrainer.trains(view, part):
                return setting, view.given("learning_rate")
    return None
