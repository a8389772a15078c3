"""kohya's sd-scripts: a TOML for `--config_file`, or arguments; arguments override the TOML."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen, switched
from ..facts import PLAIN_ADAM, Facts, Updates
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View

_UTIL = "sd-scripts library/train_util.py"
_NETWORK = "sd-scripts train_network.py"
_PRECISIONS = ("no", "fp16", "bf16")

KEYS = (
    Key(
        name="mixed_precision",
        allowed=_PRECISIONS,
        default="no",
        source=f"{_UTIL} add_training_arguments",
        rejects="argparse: invalid choice: {value!r} (choose from 'no', 'fp16', 'bf16')",
        means="the dtype of autocast",
    ),
    Switch(name="full_fp16", source=f"{_NETWORK}; {_UTIL}", means="gradients in float16 too"),
    Switch(name="full_bf16", source=f"{_NETWORK}; {_UTIL}", means="gradients in bfloat16 too"),
    Key(
        name="save_precision",
        allowed=(None, "float", "fp16", "bf16"),
        source=_UTIL,
        rejects="argparse: invalid choice: {value!r}",
    ),
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
    Switch(
        name="cache_text_encoder_outputs",
        aliases=("cache_text_encoder_outputs_to_disk",),
        source="sd-scripts library/sdxl_train_util.py",
    ),
    Text(name="network_module", source=_NETWORK),
    Text(name="pretrained_model_name_or_path", source=_UTIL),
    Text(name="config_file", source=_UTIL),
    Switch(name="xformers", source=_UTIL),
    Switch(name="sdpa", source=_UTIL),
    Switch(name="mem_eff_attn", source=_UTIL),
)
_OTHERS = frozenset(
    "output_dir output_name save_model_as train_data_dir dataset_config max_train_steps max_train_epochs network_dim "
    "network_alpha lr_scheduler seed clip_skip resolution save_every_n_epochs cache_latents v2 v_parameterization "
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

_FULL = {"full_fp16": "float16", "full_bf16": "bfloat16"}


def is_model(view: View, name: str) -> bool:
    """Whether the script, or a name in the settings, says what model it is ("sdxl", "flux", "anima")."""
    names = [document.name for document in view.documents] + [view.text("pretrained_model_name_or_path")]
    return any(name in text.lower() for text in names)


def own_script(view: View) -> bool:
    """Whether a script of sd-scripts is started, whose defaults are known; others take its options too (musubi)."""
    return any(document.name.rpartition("/")[2] in _SCRIPTS for document in view.documents)


def full(view: View) -> str:
    """The dtype of all trained weights, where a full flag takes effect."""
    return next((dtype for flag, dtype in _FULL.items() if view.on(flag)), "")


def effective(view: View, run: Run) -> Iterator[Component]:
    """What is trained, and the base that it is trained on."""
    autocast = chosen(view, "mixed_precision", of="sd-scripts")
    weights = switched(view, _FULL) or Cell(value="float32", why="default of sd-scripts")
    network = view.given("network_module")
    yield trained("network" if network else "unet", weights=weights, autocast=autocast, states=_states(view))
    half = autocast if autocast.value != "off" else Cell(value="float32", by=autocast.by, why="default of sd-scripts")
    if network:
        yield frozen("base", weights=switched(view, {"fp8_base": "float8_e4m3fn"}) or half, autocast=autocast)
    yield frozen("vae", weights=switched(view, {"no_half_vae": "float32"}) or half, autocast=autocast)


def _states(view: View) -> Cell | None:
    """The optimizer states of bitsandbytes; None where they are the weights'."""
    if "8bit" not in view.text("optimizer_type") and not view.on("use_8bit_adam"):
        return None
    by = view.entry("optimizer_type", "use_8bit_adam")
    return Cell(value="uint8", by=by, why="bitsandbytes; float32 below 4,096 elements")


def defaults_count(view: View) -> bool:
    """Whether the scripts' own defaults hold for what is not given: no file is named that may say otherwise."""
    return not view.given("config_file") and own_script(view)


def bfloat16_without_masters(view: View) -> Updates | None:
    """full_bf16 with a plain Adam."""
    if full(view) != "bfloat16" or view.text("optimizer_type") not in PLAIN_ADAM:
        return None
    return Updates(dtype=view.given("full_bf16"), rate=view.entry("unet_lr", "learning_rate"))


SYSTEM = System(
    name="kohya",
    title="kohya sd-scripts",
    version="0.9.1 (main of 2025)",
    source=f"{_UTIL}, {_NETWORK}",
    keys=KEYS,
    others=_OTHERS,
    marks=(
        ("pretrained_model_name_or_path", "network_module"),
        ("pretrained_model_name_or_path", "output_name"),
        ("pretrained_model_name_or_path", "train_data_dir"),
        ("pretrained_model_name_or_path", "save_precision"),
        ("network_module", "mixed_precision"),
        ("full_fp16", "mixed_precision"),
        ("full_bf16", "mixed_precision"),
        ("full_fp16", "full_bf16"),
        ("fp8_base",),
        ("optimizer_type", "network_dim"),
        ("mixed_precision", "save_precision"),
        ("full_fp16", "optimizer_type"),
    ),
    unless=("instance_prompt", "data_backend_config"),
    nested=(
        "training_arguments.",
        "model_arguments.",
        "optimizer_arguments.",
        "saving_arguments.",
        "general.",
        "training.",
        "network_arguments.",
        "additional_network_arguments.",
        "mixed_precision_arguments.",
    ),
    programs=_SCRIPTS,
    effective=effective,
    unknown_key="argparse: unrecognized arguments; in a TOML, silent: it is ignored",
    facts=Facts(
        fills_auto=True,
        overrides_launcher=True,
        default_overrides_launcher=defaults_count,
        compared_with_engine=True,
        bfloat16_without_masters=bfloat16_without_masters,
    ),
)
