"""The arguments of diffusers' training scripts."""

from __future__ import annotations

from collections.abc import Iterator

from ..facts import Facts
from ..prepared import prepared
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype, frozen
from ..view import View
from . import accelerate

_SCRIPTS = "diffusers examples/*/train_*.py, 0.42"

KEYS = (
    Key(
        name="mixed_precision",
        allowed=(None, "no", "fp16", "bf16"),
        source=_SCRIPTS,
        rejects="argparse: invalid choice: {value!r} (choose from 'no', 'fp16', 'bf16')",
        means="the dtype of autocast, and of what is not trained; unset: accelerate's",
    ),
    Key(
        name="prior_generation_precision",
        allowed=(None, "no", "fp32", "fp16", "bf16"),
        source=_SCRIPTS,
        rejects="argparse: invalid choice: {value!r}",
    ),
    Text(name="pretrained_model_name_or_path", source=_SCRIPTS),
    Text(name="pretrained_vae_model_name_or_path", source=_SCRIPTS),
    Text(name="vae_path", source=_SCRIPTS),
    Switch(name="upcast_before_saving", source=_SCRIPTS),
    Switch(name="allow_tf32", source=_SCRIPTS),
    Switch(name="use_8bit_adam", source=_SCRIPTS),
    Switch(name="use_ema", source=_SCRIPTS),
    Number(name="learning_rate", source=_SCRIPTS),
    Switch(name="gradient_checkpointing", source=_SCRIPTS),
    Switch(name="enable_xformers_memory_efficient_attention", source=_SCRIPTS),
    Switch(name="train_text_encoder", source=_SCRIPTS),
    Text(name="variant", source=_SCRIPTS),
)
_NAMES = (
    "train_text_to_image.py", "train_text_to_image_lora.py", "train_text_to_image_sdxl.py",
    "train_text_to_image_lora_sdxl.py", "train_dreambooth.py", "train_dreambooth_lora.py",
    "train_dreambooth_lora_sdxl.py", "train_dreambooth_flux.py", "train_dreambooth_lora_flux.py",
    "train_dreambooth_sd3.py", "train_dreambooth_lora_sd3.py", "train_controlnet.py", "train_controlnet_sdxl.py",
    "train_controlnet_flux.py", "train_controlnet_sd3.py", "textual_inversion.py", "textual_inversion_sdxl.py",
    "train_instruct_pix2pix.py", "train_instruct_pix2pix_sdxl.py", "train_unconditional.py",
    "train_custom_diffusion.py", "train_t2i_adapter_sdxl.py", "train_dreambooth_lora_flux_kontext.py",
    "train_dreambooth_lora_qwen_image.py", "train_dreambooth_lora_sana.py", "train_dreambooth_lora_sdxl_advanced.py",
)  # fmt: skip


def mixed(view: View, run: Run) -> Cell:
    """The dtype of autocast: the script's own option, else accelerate's."""
    setting = view.given("mixed_precision")
    if setting is not None:
        return Cell(value=dtype(setting.value), by=setting)
    launcher = run.view("accelerate")
    return accelerate.mixed(launcher, run) if launcher else UNKNOWN


def effective(view: View, run: Run) -> Iterator[Component]:
    """What is trained, and what is frozen beside it; the VAE encodes outside of what accelerate prepares."""
    autocast = mixed(view, run)
    lora = any("lora" in document.name for document in view.documents)
    held = autocast if autocast.value != "off" else Cell(value="float32", by=autocast.by)
    own = _lora(view, autocast) if lora else Cell(value="float32", why="the scripts keep what is trained in float32")
    yield prepared(run, own, autocast).component("lora" if lora else "unet")
    if lora:
        yield frozen("base model", weights=held, autocast=autocast)
    vae = Cell(value="float32", why="the SDXL scripts keep the VAE in float32") if _whole_vae(view) else held
    yield frozen("vae", weights=vae, autocast=Cell(value="off", why="only the trained model runs under autocast"))


def _lora(view: View, autocast: Cell) -> Cell:
    """The dtype of new LoRA layers: the frozen model's, but float32 where the script itself is told fp16 (line 546)."""
    if autocast.value == "off" or view.at("mixed_precision", "fp16"):
        return Cell(value="float32", by=view.given("mixed_precision"), why="LoRA layers are raised to float32")
    return Cell(
        value=autocast.value,
        by=autocast.by,
        why="LoRA layers follow the model, unless fp16 is the script's own",
    )


def _whole_vae(view: View) -> bool:
    """Whether a script keeps SDXL's VAE in float32: DreamBooth's always, others unless another VAE is named."""
    dreambooth = any("dreambooth" in document.name for document in view.documents)
    return sdxl(view) and (dreambooth or not view.given("pretrained_vae_model_name_or_path"))


def sdxl(view: View) -> bool:
    """Whether the model is SDXL, by the script or the model's name."""
    names = [document.name for document in view.documents] + [view.text("pretrained_model_name_or_path")]
    return any("sdxl" in name.lower() or "stable-diffusion-xl" in name.lower() for name in names)


SYSTEM = System(
    name="diffusers",
    title="diffusers' scripts",
    version="0.42.1",
    source=_SCRIPTS,
    keys=KEYS,
    marks=(("pretrained_model_name_or_path", "instance_prompt"), ("pretrained_model_name_or_path", "instance_data_dir"),
           ("pretrained_model_name_or_path", "validation_prompt", "max_train_steps")),
    unless=("network_module", "data_backend_config"),
    programs=_NAMES,
    effective=effective,
    facts=Facts(fills_auto=True, overrides_launcher=True, compared_with_engine=True),
)  # fmt: skip
