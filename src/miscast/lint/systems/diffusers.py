"""The arguments of diffusers' training scripts."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import allowed_by, chosen
from ..facts import Facts
from ..messages import UNSCALE
from ..prepared import prepared
from ..run import Run
from ..system import Key, Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype, frozen
from ..view import View
from . import accelerate

_SCRIPTS = "diffusers examples/*/train_*.py, 0.42"

KEYS = (
    Key(name="mixed_precision", allowed=(None, "no", "fp16", "bf16"), source=_SCRIPTS,
        rejects="argparse: invalid choice: {value!r} (choose from 'no', 'fp16', 'bf16')",
        means="the dtype of autocast, and of frozen models; unset: accelerate's"),
    Key(name="prior_generation_precision", allowed=(None, "no", "fp32", "fp16", "bf16"), source=_SCRIPTS,
        rejects="argparse: invalid choice: {value!r}"),
    Text(name="pretrained_model_name_or_path", source=_SCRIPTS),
    Text(name="pretrained_vae_model_name_or_path", source=_SCRIPTS),
    Text(name="vae_path", source=_SCRIPTS),
    Key(name="vae_precision", allowed=("fp32", "fp16", "bf16"), default="fp32",
        source="diffusers examples/instruct_pix2pix/train_instruct_pix2pix_sdxl.py, 0.42",
        rejects="argparse: invalid choice: {value!r} (choose from 'fp32', 'fp16', 'bf16')"),
    Switch(name="upcast_vae", source="diffusers examples/controlnet/train_controlnet_sd3.py, 0.42"),
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


_SAY_NO = ("textual_inversion", "train_unconditional")
"""The scripts with the default "no"; the others have none."""
_FLOWS = ("flux", "sd3", "qwen", "sana", "lumina", "hidream", "z_image", "cogvideo", "cogview", "krea", "cosmos")
_OTHER_TEXT = ("unconditional", "qwen", "sana", "custom_diffusion", "advanced", "controlnet_flux")
"""The scripts without a text encoder, or with a different treatment of it."""


def _names(view: View) -> list[str]:
    """Return the names of the scripts, or of other documents."""
    return [document.name.rpartition("/")[2] for document in view.documents]


def _name(view: View) -> str:
    return " ".join(_names(view))


def started(view: View, script: str) -> bool:
    """Check whether a script of that name is the program."""
    return script in _names(view)


def _says_no(view: View) -> bool:
    """Check whether the script's default overrides the launcher."""
    return any(name in _name(view) for name in _SAY_NO)


def mixed(view: View, run: Run) -> Cell:
    """Return the dtype of autocast: the script's own option, else accelerate's."""
    setting = view.given("mixed_precision")
    if setting is not None:
        return Cell(value=dtype(setting.value), by=setting)
    if _says_no(view):
        return Cell(value="off", why="default of the script")
    launcher = run.view("accelerate")
    return accelerate.mixed(launcher, run) if launcher else UNKNOWN


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the trained and the frozen models; only those that accelerate prepares run under autocast."""
    name, autocast = _name(view), mixed(view, run)
    tf32 = allowed_by(view, "allow_tf32")
    held = autocast if autocast.value != "off" else Cell(value="float32", by=autocast.by)
    outside = Cell(value="off", why="only the trained model runs under autocast")
    denoiser = "transformer" if any(flow in name for flow in _FLOWS) else "unet"
    lora = "lora" in name
    own = _lora(view, autocast) if lora else Cell(value="float32", why="the scripts keep trained weights in float32")
    whole = prepared(run, own, autocast)
    trained = _trained(name, denoiser)
    if not (trained == "text encoder" and "sdxl" in name and autocast.value != "off"):
        yield whole.component(trained, tf32=tf32)
    if trained != denoiser:
        yield frozen(denoiser, weights=held, autocast=autocast if lora else outside, tf32=tf32)
    if trained != "text encoder" and not _mixes_encoders(view, name):
        if view.on("train_text_encoder") and not lora:
            yield whole.component("text encoder", tf32=tf32)
        else:
            encoder_autocast = autocast if view.on("train_text_encoder") else outside
            yield frozen("text encoder", weights=held, autocast=encoder_autocast, tf32=tf32)
    yield frozen("vae", weights=_vae(view, name, held), autocast=outside, tf32=tf32)


def _trained(name: str, denoiser: str) -> str:
    """Return the component that a script trains."""
    parts = {"lora": "lora", "controlnet": "controlnet", "textual_inversion": "text encoder"}
    return next((part for word, part in parts.items() if word in name), denoiser)


def _mixes_encoders(view: View, name: str) -> bool:
    """Check whether the text encoders have different or unknown dtypes."""
    trained = view.on("train_text_encoder") and any(kind in name for kind in ("flux", "sd3", "dreambooth_lora_sdxl"))
    return trained or not name.endswith(_NAMES) or any(kind in name for kind in _OTHER_TEXT)


def _lora(view: View, autocast: Cell) -> Cell:
    """Return the dtype of new LoRA layers: the frozen model's, but float32 if the script has fp16 (line 546)."""
    if autocast.value == "off" or view.at("mixed_precision", "fp16"):
        return Cell(value="float32", by=view.given("mixed_precision"), why="LoRA layers are raised to float32")
    return Cell(
        value=autocast.value, by=autocast.by, why="LoRA layers have the model's dtype, unless the script has fp16",
    )


def _vae(view: View, name: str, held: Cell) -> Cell:
    """Return the VAE's weights: float32 for SDXL and SD3, unless a script uses another VAE."""
    another = view.given("pretrained_vae_model_name_or_path")
    if "instruct_pix2pix_sdxl" in name and not another:
        return chosen(view, "vae_precision", of="the script")
    if _whole_vae(view, name) or (sdxl(view) and "textual_inversion" not in name and not another):
        return Cell(value="float32", why="the script keeps the VAE in float32")
    return held


def _whole_vae(view: View, name: str) -> bool:
    """Check whether a script keeps any VAE in float32."""
    dreambooth = "dreambooth" in name and (sdxl(view) or "sd3" in name)
    return dreambooth or "text_to_image_sdxl" in name or "sana" in name or view.on("upcast_vae")


def sdxl(view: View) -> bool:
    """Check whether the model is SDXL, by the script or the model's name."""
    names = [document.name for document in view.documents] + [view.text("pretrained_model_name_or_path")]
    return any("sdxl" in name.lower() or "stable-diffusion-xl" in name.lower() for name in names)


SYSTEM = System(
    name="diffusers", title="diffusers' scripts", version="0.42.1",
    source=_SCRIPTS,
    keys=KEYS,
    marks=(("pretrained_model_name_or_path", "instance_prompt"), ("pretrained_model_name_or_path", "instance_data_dir"),
           ("pretrained_model_name_or_path", "validation_prompt", "max_train_steps")),
    unless=("network_module", "data_backend_config"),
    program_decides=True,
    programs=_NAMES,
    effective=effective,
    facts=Facts(fills_auto=True, overrides_launcher=True, default_overrides_launcher=_says_no,
                compared_with_engine=True),
)  # fmt: skip


def _embeddings(view: View, run: Run) -> bool:
    script = started(view, "train_controlnet_sdxl.py")
    return script and mixed(view, run).value in ("float16", "bfloat16")


def _pictures(view: View, _: Run) -> bool:
    script = started(view, "train_instruct_pix2pix_sdxl.py")
    own = view.given("pretrained_vae_model_name_or_path") is None
    return script and own and view.get("vae_precision") in ("fp16", "bf16")


def _launched_only(view: View, run: Run) -> bool:
    """Check whether only the launcher has the precision: a script raises its LoRA where its own option is fp16."""
    lora = all("lora" in document.name and view.system.has_program(document.name) for document in view.documents)
    asked = accelerate.mixed(run.view("accelerate"), run)
    unset = view.get("mixed_precision") is None and asked.by is not None
    return lora and unset and asked.value == "float16" and not run.view("deepspeed")


CONFLICTS = (
    accelerate.FLOAT16_ON_CPU,
    accelerate.FLOAT16_ON_TPU,
    Conflict(
        rule="half-model-given-float32",
        keys=("mixed_precision", "accelerate:mixed_precision", "environment:ACCELERATE_MIXED_PRECISION"),
        when=_embeddings, says="the frozen UNet is half precision, and datasets returns its text embeddings in float32",
        effect="RuntimeError: expected mat1 and mat2 to have the same dtype, but got: float != c10::Half",
        help="cast batch['prompt_ids'] to weight_dtype in the script, or train with --mixed_precision no",
        source="diffusers examples/controlnet/train_controlnet_sdxl.py collate_fn, 0.42; raised by torch 2.13.0",
    ),
    Conflict(
        rule="half-model-given-float32", keys=("vae_precision",), when=_pictures,
        says="vae_precision is {0}, and the VAE gets float32 images",
        effect="RuntimeError: Input type (float) and bias type (c10::Half) should be the same",
        help="leave vae_precision at fp32, or use a VAE made for half precision: --pretrained_vae_model_name_or_path",
        source="diffusers examples/instruct_pix2pix/train_instruct_pix2pix_sdxl.py, 0.42; seen on the virtual machine",
        fix=("vae_precision", "fp32"),
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler", keys=("mixed_precision",),
        when=lambda s, _: started(s, "textual_inversion_sdxl.py") and s.at("mixed_precision", "fp16"),
        says="the second text encoder is cast to fp16, and its new embeddings are trained under a grad scaler",
        effect=UNSCALE["float16"], help="train in bf16, or without mixed precision",
        source="diffusers examples/textual_inversion/textual_inversion_sdxl.py: text_encoder_2.to(dtype=weight_dtype), "
        "0.42",
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler",
        keys=("accelerate:mixed_precision", "environment:ACCELERATE_MIXED_PRECISION"), when=_launched_only,
        says="the launcher has fp16 and the script no mixed_precision: its LoRA stays float16",
        effect=UNSCALE["float16"], help="give the script --mixed_precision fp16 too",
        source="diffusers examples train_*lora*.py: cast_training_params if args.mixed_precision == 'fp16', 0.42; "
        "diffusers#6363",
    ),
)
