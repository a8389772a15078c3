"""musubi-tuner: sd-scripts' options for video models; without its own, the launcher's precision is used."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..facts import Facts
from ..run import Run
from ..system import Key, Switch, System, Text
from ..table import Cell, Component, dtype, frozen, trained
from ..view import View
from . import accelerate, kohya

_BASE = "musubi_tuner/training/trainer_base.py _prepare_accelerator_and_dtypes, 2026-06"
_SCRIPTS = tuple(
    f"{name}_train_network.py"
    for name in ("hv", "hv_1_5", "wan", "fpack", "flux_2", "flux_kontext", "qwen_image", "zimage", "kandinsky5",
                 "krea2", "hidream_o1", "ideogram4")
)  # fmt: skip


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield a LoRA in float32 on a DiT with its own dtype."""
    own = view.given("mixed_precision")
    autocast = Cell(value=dtype(own.value), by=own) if own else accelerate.mixed(run.view("accelerate"), run)
    weights = Cell(value="float32", why="the network's default")
    yield trained("network", weights=weights, autocast=autocast, states=kohya.states_of(view, weights))
    named = view.given("dit_dtype")
    half = Cell(value=dtype(named.value), by=named) if named else Cell(value="bfloat16", why="default of musubi-tuner")
    packed = view.given("fp8_base") if view.on("fp8_base") else None
    base = Cell(value="float8_e4m3fn", by=packed) if packed else half
    yield replace(frozen("dit", weights=base, autocast=autocast), compute=half if autocast.value == "off" else autocast)


SYSTEM = System(
    name="musubi", title="musubi-tuner", version="main of 2026-06", source=_BASE, based_on=kohya.SYSTEM,
    keys=(
        Key(name="mixed_precision", allowed=(None, "no", "fp16", "bf16"),
            rejects="argparse: invalid choice: {value!r} (choose from 'no', 'fp16', 'bf16')",
            means="autocast; unset: the launcher's", source="musubi_tuner/training/parser_common.py"),
        Text(name="dit_dtype", default=None, source=_BASE),
        Text(name="vae_dtype", default=None, source=_BASE),
        Switch(name="fp8_scaled", source=_BASE),
    ),
    others=frozenset("dit vae t5 text_encoder1 text_encoder2 blocks_to_swap timestep_sampling sdpa task".split()),
    marks=(("dit", "network_module"), ("dit", "dataset_config")), programs=_SCRIPTS, effective=effective,
    facts=Facts(fills_auto=True, overrides_launcher=True, compared_with_engine=True),
)
