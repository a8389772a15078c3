"""kohya's sd-scripts: a TOML for `--config_file`, or arguments; arguments override the TOML."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.frozen import replace
from ...deciding import chosen, switched
from ...facts import PLAIN_ADAM, Facts, Updates
from ...parts import clip, eight_bit
from ...run import Run
from ...system import Key, Number, Switch, System, Text
from ...table import UNKNOWN, Cell, Component, frozen, trained
from ...view import View

_UTIL = "sd-scripts library/train_util.py"
_NETWORK = "sd-scripts train_network.py"
_PRECISIONS = ("no", "fp16", "bf16")

KEYS = (
    Key(
        name="mixed_precision", allowed=_PRECISIONS, default="no", source=f"{_UTIL} add_training_arguments",
        rejects="argparse: invalid choice: {value!r} (choose from 'no', 'fp16', 'bf16')", means="the dtype of autocast",
    ),
    Switch(name="full_fp16", source=f"{_NETWORK}; {_UTIL}", means="gradients in float16 too"),
    Switch(name="full_bf16", source=f"{_NETWORK}; {_UTIL}", means="gradients in bfloat16 too"),
    Key(name="save_precision", allowed=(None, "float", "fp16", "bf16"), source=_UTIL,
        rejects="argparse: invalid choice: {value!r}"),
    Switch(name="fp8_base", source=_NETWORK, means="the base's weights in float8_e4m3fn"),
    Switch(name="fp8_base_unet", source=_NETWORK),
    Switch(name="no_half_vae", source="sd-scripts library/sdxl_train_util.py"),
    Text(name="vae", source=_UTIL),
    Text(name="optimizer_type", default="AdamW", source=f"{_UTIL} get_optimizer"),
    Switch(name="use_8bit_adam", source=_UTIL),
    Number(name="learning_rate", default=2e-6, source=_UTIL),
    Number(name="unet_lr", source=_NETWORK),
    Switch(name="gradient_checkpointing", source=_UTIL),
    Switch(name="deepspeed", source="sd-scripts library/deepspeed_utils.py"),
    Number(name="zero_stage", default=2, source="sd-scripts library/deepspeed_utils.py"),
    Switch(name="network_train_unet_only", source=_NETWORK),
    Text(name="network_args", source=_NETWORK),
    Number(name="network_dim", source=_NETWORK),
    Switch(name="cache_latents", aliases=("cache_latents_to_disk",), source=_UTIL),
    Switch(name="train_text_encoder", source="sd-scripts fine_tune.py, sdxl_train.py"),
    *(Number(name=f"learning_rate_te{n}", source="sd-scripts sdxl_train.py") for n in (1, 2)),
    Number(name="stop_text_encoder_training", source="sd-scripts train_db.py"),
    Switch(name="cache_text_encoder_outputs", aliases=("cache_text_encoder_outputs_to_disk",),
           source="sd-scripts library/sdxl_train_util.py"),
    Text(name="network_module", source=_NETWORK),
    Text(name="pretrained_model_name_or_path", source=_UTIL),
    Text(name="config_file", source=_UTIL),
    Switch(name="xformers", source=_UTIL),
    Switch(name="sdpa", source=_UTIL),
    Switch(name="mem_eff_attn", source=_UTIL),
)
_OTHERS = frozenset(
    "output_dir output_name save_model_as train_data_dir dataset_config max_train_steps max_train_epochs "
    "network_alpha lr_scheduler seed clip_skip resolution save_every_n_epochs v2 v_parameterization "
    "train_batch_size text_encoder_lr prior_loss_weight caption_extension noise_offset min_snr_gamma".split()
)
_SCRIPTS = (
    "train_network.py", "sdxl_train_network.py", "sdxl_train.py", "fine_tune.py",
    "train_db.py", "train_textual_inversion.py", "sdxl_train_textual_inversion.py",
    "flux_train.py", "flux_train_network.py", "sd3_train.py", "sd3_train_network.py",
    "anima_train.py", "anima_train_network.py", "lumina_train.py",
    "lumina_train_network.py", "train_controlnet.py",
    "sdxl_train_control_net_lllite.py", "hunyuan_image_train_network.py",
    "flux_train_control_net.py",
)  # fmt: skip

_MEASURED = ("train_network.py", "sdxl_train_network.py", "train_db.py", "fine_tune.py", "sdxl_train.py")
_PLAIN = (
    "", "adamw", "lion", "sgdnesterov", "prodigy", "adamwschedulefree", "radamschedulefree", "pagedadamw",
)  # fmt: skip
"""Optimizers whose states have their parameter's dtype."""
_TEXT, _FLOAT8 = "text encoder", "float8_e4m3fn"
_FULL = {"full_fp16": "float16", "full_bf16": "bfloat16"}


def is_model(view: View, name: str) -> bool:
    """Check whether the script or a name in the settings contains a model's name ("sdxl", "flux", "anima")."""
    names = [document.name for document in view.documents] + [view.text("pretrained_model_name_or_path")]
    return any(name in text.lower() for text in names)


def own_script(view: View) -> bool:
    """Check whether a script of sd-scripts is started, whose defaults are known; others (musubi) share its options."""
    return any(document.name.rpartition("/")[2] in _SCRIPTS for document in view.documents)


def full(view: View) -> str:
    """Return the dtype of all trained weights by a full flag, else ""."""
    return next((dtype for flag, dtype in _FULL.items() if view.on(flag)), "")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the trained and the frozen models; only those that accelerate prepares, and a network's base, use autocast.

    The cells of SD 1.5 and SDXL are measured. For other models' scripts only the common part is known, and nothing that
    they compute in their own functions.
    """
    autocast = _on_device(run, chosen(view, "mixed_precision", of="sd-scripts"))
    weights = switched(view, _FULL) or Cell(value="float32", why="default of sd-scripts")
    half = autocast if autocast.value != "off" else Cell(value="float32", by=autocast.by, why="default of sd-scripts")
    off = Cell(value="off", why="sd-scripts encodes outside autocast")
    if not _measured(view):
        yield from _common(view, autocast, weights, half)
    elif view.given("network_module"):
        yield trained("network", weights=weights, autocast=autocast, states=states_of(view, weights))
        yield from _base(view, autocast, half)
    else:
        states = states_of(view, weights)
        unet = trained("unet", weights=weights, autocast=autocast, states=states)
        yield (replace(unet, outputs=_raised(autocast)) if is_model(view, "sdxl") else unet)
        yield from _encoder(view, trained(_TEXT, weights=weights, autocast=autocast, states=states), half, off)
    if _measured(view):
        yield frozen("vae", weights=_vae(view, half), autocast=off)


def _measured(view: View) -> bool:
    """Check whether a script for SD 1.5 or SDXL is started that trains a network, or the model itself."""
    names = {document.name.rpartition("/")[2] for document in view.documents}
    return not names.isdisjoint(_MEASURED)


def _common(view: View, autocast: Cell, weights: Cell, half: Cell) -> Iterator[Component]:
    """Yield the components common to the scripts of all models."""
    network = view.given("network_module")
    yield trained("network" if network else "unet", weights=weights, autocast=autocast, states=states_of(view, weights))
    if network:
        yield frozen("base", weights=switched(view, {"fp8_base": _FLOAT8}) or half, autocast=autocast)
    yield frozen("vae", weights=_vae(view, half), autocast=autocast)


def _on_device(run: Run, mixed: Cell) -> Cell:
    """Return accelerate's autocast: none for float16 on a CPU."""
    if mixed.value == "float16" and run.on_device("cpu"):
        return Cell(value="off", by=mixed.by, why="no float16 autocast on a CPU")
    return mixed


def _base(view: View, autocast: Cell, half: Cell) -> Iterator[Component]:
    """Yield the base of a network: in the half dtype, or in float8 except embeddings."""
    float8 = switched(view, {"fp8_base": _FLOAT8, "fp8_base_unet": _FLOAT8})
    unet = frozen("unet", weights=float8 or half, autocast=autocast)
    large = is_model(view, "sdxl")
    yield replace(unet, outputs=_raised(autocast)) if large else unet
    embedded = Cell(value=f"{half.value}, {_FLOAT8}", by=view.given("fp8_base"), why="embeddings are not cast")
    whole = view.on("fp8_base") and not view.on("fp8_base_unet")
    text = clip(frozen(_TEXT, weights=embedded if whole else half, autocast=autocast))
    outputs = UNKNOWN if large and view.on("network_train_unet_only") else _raised(autocast)
    if not view.on("cache_text_encoder_outputs"):
        yield replace(text, outputs=outputs)


def _encoder(view: View, whole: Component, half: Cell, off: Cell) -> Iterator[Component]:
    """Yield the text encoders of a trained U-Net: trained too, or in the half dtype outside autocast."""
    rates = [view.number(f"learning_rate_te{number}") for number in (1, 2)]
    script = " ".join(document.name for document in view.documents)
    stop = view.number("stop_text_encoder_training")
    trains = stop is None or stop >= 0 if "train_db" in script else view.on("train_text_encoder")
    if not trains:
        yield clip(frozen(_TEXT, weights=half, autocast=off))
    elif 0 not in rates:
        yield replace(clip(whole), outputs=_raised(whole.autocast))


def _raised(autocast: Cell) -> Cell:
    """Return the output dtype: accelerate raises outputs under autocast, and a last norm computes in float32."""
    return Cell(value="unknown" if autocast.value == "unknown" else "float32", by=autocast.by, why="raised to float32")


def _vae(view: View, half: Cell) -> Cell:
    """Return the VAE's weights; train_db.py uses no_half_vae only for cached latents."""
    heeds = view.on("cache_latents") or not any("train_db" in document.name for document in view.documents)
    return switched(view, {"no_half_vae": "float32"} if heeds else {}) or half


def states_of(view: View, weights: Cell) -> Cell | None:
    """Return the optimizer's states; None if they have the weights' dtype."""
    kind = view.text("optimizer_type")
    by = view.entry("optimizer_type", "use_8bit_adam")
    if kind == "adafactor":
        return Cell(value="float32", by=by, why="Transformers' Adafactor computes in float32")
    if "8bit" not in kind and not view.on("use_8bit_adam"):
        return None if kind in _PLAIN else UNKNOWN
    if not view.given("network_module"):
        return eight_bit(by)
    plain = view.text("network_module") == "networks.lora" and not view.given("network_args")
    dim = view.number("network_dim") if view.given("network_dim") else 4.0
    if not plain or dim is None:
        return UNKNOWN
    return eight_bit(by, int(dim) * 320 * (1 + is_model(view, "sdxl")))


def defaults_count(view: View) -> bool:
    """Check whether the scripts' defaults apply: no file that may override them is named."""
    return not view.given("config_file") and own_script(view)


def bfloat16_without_masters(view: View) -> Updates | None:
    """Return the settings of full_bf16 with a plain Adam."""
    if full(view) != "bfloat16" or view.text("optimizer_type") not in PLAIN_ADAM:
        return None
    return Updates(dtype=view.given("full_bf16"), rate=view.entry("unet_lr", "learning_rate"))


SYSTEM = System(
    name="kohya", title="kohya sd-scripts", version="0.9.1 (main of 2026-02)", source=f"{_UTIL}, {_NETWORK}", keys=KEYS,
    others=_OTHERS,
    marks=(("pretrained_model_name_or_path", "network_module"), ("pretrained_model_name_or_path", "output_name"),
           ("pretrained_model_name_or_path", "train_data_dir"), ("pretrained_model_name_or_path", "save_precision"),
           ("network_module", "mixed_precision"), ("full_fp16", "mixed_precision"), ("full_bf16", "mixed_precision"),
           ("full_fp16", "full_bf16"), ("fp8_base",), ("optimizer_type", "network_dim"),
           ("mixed_precision", "save_precision"), ("full_fp16", "optimizer_type")),
    unless=("instance_prompt", "data_backend_config"),
    nested=("training_arguments.", "model_arguments.", "optimizer_arguments.", "saving_arguments.", "general.",
            "training.", "network_arguments.", "additional_network_arguments.", "mixed_precision_arguments."),
    program_decides=True, programs=_SCRIPTS, effective=effective,
    unknown_key="argparse: unrecognized arguments; in a TOML, silent: it is ignored",
    facts=Facts(own_program=True, fills_auto=True, overrides_launcher=True, default_overrides_launcher=defaults_count,
                compared_with_engine=True, bfloat16_without_masters=bfloat16_without_masters),
)
