"""NeMo 2's recipes in Python, literals only: `MegatronMixedPrecision(…)`, `bf16_mixed()` and similar."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..setting import Value
from ..system import Key, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View

_PLUGIN = "nemo/lightning/pytorch/plugins/mixed_precision.py MegatronMixedPrecision, 2.6"
_HALVES = {
    "float16": ("fp16", "fp16-mixed", "16", "16-mixed"),
    "bfloat16": ("bf16", "bf16-mixed"),
    "float32": ("fp32", "32"),
}
_RECIPES = tuple(f"{half}_{kind}mixed" for half in ("bf16", "fp16") for kind in ("", "with_fp8_", "with_mxfp8_"))
_PRECISIONS: tuple[Value, ...] = (16, 32, *(word for words in _HALVES.values() for word in words))


def _model(view: View) -> Cell:
    """Return the dtype of the model: by the plugin's precision, or by the recipe's name."""
    setting = view.given("precision")
    word = str(setting.value) if setting else view.documents[0].name.rpartition(".")[2].partition("_")[0]
    value = next((name for name, words in _HALVES.items() if word in words), "unknown")
    return Cell(value=value, by=setting, why="" if setting else "the recipe's name")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield Megatron's model in its half dtype, with float32 master weights; nothing for several plugins."""
    if len(view.documents) != 1:
        return
    own = _model(view)
    reduced = view.given("grad_reduce_in_fp32")
    by_recipe = own.value if own.value == "float16" and not view.given("precision") else "float32"
    yield trained(
        "model", weights=own, autocast=Cell(value="off", why="Megatron casts the model itself"),
        states=Cell(value="float32", by=own.by, why="Megatron's master weights"),
        reduction=Cell(value=own.value if reduced and reduced.value is False else by_recipe, by=reduced),
        scaling=Cell(value="dynamic" if own.value == "float16" else "off", by=own.by),
    )


SYSTEM = System(
    name="nemo", title="NeMo 2", version="2.6",
    source=f"{_PLUGIN}; nemo/collections/llm/recipes/precision/mixed_precision.py",
    keys=(
        Key(name="precision", allowed=_PRECISIONS, rejects="silent: {value} switches none of fp32, fp16 and bf16 on",
            means="the model's dtype", source=_PLUGIN),
        Text(name="params_dtype", source=_PLUGIN),
        Switch(name="autocast_enabled", source=_PLUGIN),
        Switch(name="grad_reduce_in_fp32", default=True, source=_PLUGIN),
        Text(name="fp8", source=_PLUGIN),
        Text(name="fp8_recipe", default="delayed", source=_PLUGIN),
    ),
    programs=("MegatronMixedPrecision", *_RECIPES), modules=("nemo",), imported=True, effective=effective,
    unknown_key="TypeError: unexpected keyword argument",
)
