"""kohya's sd-scripts: a TOML for `--config_file`, or arguments; arguments override the TOML."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import Cell, Component, dtype, frozen, trained
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
    Key(name="full_fp16", kind="bool", default=False, source=f"{_NETWORK}; {_UTIL}", means="gradients in float16 too"),
    Key(name="full_bf16", kind="bool", default=False, source=f"{_NETWORK}; {_UTIL}", means="gradients in bfloat16 too"),
    Key(
        name="save_precision",
        allowed=(None, "float", "fp16", "bf16"),
        source=_UTIL,
        rejects="argparse: invalid choice: {value!r}",
    ),
    Key(name="fp8_base", kind="bool", default=False, source=_NETWORK, means="the base's weights in float8_e4m3fn"),
    Key(name="fp8_base_unet", kind="bool", default=False, source=_NETWORK),
    Key(name="no_half_vae", kind="bool", default=False, source="sd-scripts library/sdxl_train_util.py"),
    Key(name="vae", kind="text", source=_UTIL),
    Key(name="optimizer_type", kind="text", default="AdamW", source=f"{_UTIL} get_optimizer"),
    Key(name="use_8bit_adam", kind="bool", default=False, source=_UTIL),
    Key(name="learning_rate", kind="number", default=2e-6, source=_UTIL),
    Key(name="unet_lr", kind="number", source=_NETWORK),
    Key(name="gradient_checkpointing", kind="bool", default=False, source=_UTIL),
    Key(name="deepspeed", kind="bool", default=False, source="sd-scripts library/deepspeed_utils.py"),
    Key(name="zero_stage", kind="number", default=2, source="sd-scripts library/deepspeed_utils.py"),
    Key(name="network_train_unet_only", kind="bool", default=False, source=_NETWORK),
    Key(
        name="cache_text_encoder_outputs",
        kind="bool",
        default=False,
        aliases=("cache_text_encoder_outputs_to_disk",),
        source="sd-scripts library/sdxl_train_util.py",
    ),
    Key(name="network_module", kind="text", source=_NETWORK),
    Key(name="pretrained_model_name_or_path", kind="text", source=_UTIL),
    Key(name="config_file", kind="text", source=_UTIL),
    Key(name="xformers", kind="bool", default=False, source=_UTIL),
    Key(name="sdpa", kind="bool", default=False, source=_UTIL),
    Key(name="mem_eff_attn", kind="bool", default=False, source=_UTIL),
)
_OTHERS = frozenset(
    "output_dir output_name save_model_as train_data_dir dataset_config max_train_steps max_train_epochs network_dim "
    "network_alpha lr_scheduler seed clip_skip resolution save_every_n_epochs cache_latents v2 v_parameterization "
    "train_batch_size text_encoder_lr prior_loss_weight caption_extension noise_offset min_snr_gamma".split()
)
_SCRIPTS = (
    "train_network.py",
    "sdxl_train_network.py",
    "sdxl_train.py",
    "fine_tune.py",
    "train_db.py",
    "train_textual_inversion.py",
    "sdxl_train_textual_inversion.py",
    "flux_train.py",
    "flux_train_network.py",
    "sd3_train.py",
    "sd3_train_network.py",
    "anima_train.py",
    "anima_train_network.py",
    "lumina_train.py",
    "lumina_train_network.py",
    "train_controlnet.py",
    "sdxl_train_control_net_lllite.py",
    "hunyuan_image_train_network.py",
    "flux_train_control_net.py",
)


def is_model(view: View, name: str) -> bool:
    """Whether the script, or a name in the settings, says what model it is ("sdxl", "flux", "anima")."""
    names = [document.name for document in view.documents] + [view.text("pretrained_model_name_or_path")]
    return any(name in text.lower() for text in names)


def own_script(view: View) -> bool:
    """Whether a script of sd-scripts is started, whose defaults are known; others take its options too (musubi)."""
    return any(document.name.rpartition("/")[2] in _SCRIPTS for document in view.documents)


def full(view: View) -> str:
    """The dtype of all trained weights, where a full flag takes effect."""
    if view.on("full_fp16"):
        return "float16"
    return "bfloat16" if view.on("full_bf16") else ""


def effective(view: View, run: Run) -> Iterator[Component]:
    """What is trained, and the base that it is trained on."""
    setting = view.given("mixed_precision")
    autocast = Cell(
        value=dtype(view.get("mixed_precision")), by=setting, why="" if setting else "default of sd-scripts"
    )
    flag = view.entry("full_fp16") if view.on("full_fp16") else view.given("full_bf16")
    weights = Cell(value=full(view), by=flag) if full(view) else Cell(value="float32", why="default of sd-scripts")
    network = view.given("network_module")
    yield trained("network" if network else "unet", weights=weights, autocast=autocast)
    half = autocast if autocast.value != "off" else Cell(value="float32", by=setting, why="default of sd-scripts")
    if network:
        fp8 = view.given("fp8_base") if view.on("fp8_base") else None
        yield frozen("base", weights=Cell(value="float8_e4m3fn", by=fp8) if fp8 else half, autocast=autocast)
    vae = view.given("no_half_vae") if view.on("no_half_vae") else None
    yield frozen("vae", weights=Cell(value="float32", by=vae) if vae else half, autocast=autocast)


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
)
