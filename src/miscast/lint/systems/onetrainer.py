"""OneTrainer's training configuration (JSON): a dtype per component, a training dtype, and a fallback."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, Setting, System
from ..table import Cell, Component, dtype, frozen, trained
from ..view import View

_SOURCE = "OneTrainer modules/util/config/TrainConfig.py"
_DTYPES = "OneTrainer modules/util/dtype_util.py create_autocast_context, enable_grad_scaling"
HALF = ("FLOAT_16", "BFLOAT_16")
_VALUES = (
    "NONE",
    "FLOAT_8",
    "FLOAT_16",
    "FLOAT_32",
    "BFLOAT_16",
    "TFLOAT_32",
    "INT_8",
    "NFLOAT_4",
    "FLOAT_W8A8",
    "INT_W8A8",
    "GGUF",
    "GGUF_A8_FLOAT",
    "GGUF_A8_INT",
)
_REJECTS = "ValueError or KeyError: {value!r} is no DataType"
PARTS = (
    "unet",
    "prior",
    "transformer",
    "text_encoder",
    "text_encoder_2",
    "text_encoder_3",
    "text_encoder_4",
    "vae",
    "effnet_encoder",
    "decoder",
    "decoder_text_encoder",
    "decoder_vqgan",
)
_ONE = ("text_encoder",)
_TWO = (*_ONE, "text_encoder_2")
_THREE = (*_TWO, "text_encoder_3")
_CASCADE = (*_ONE, "prior", "effnet_encoder", "decoder", "decoder_vqgan")
_LATER = ("SANA", "CHROMA", "QWEN", "ANIMA", "Z_IMAGE", "ERNIE", "IDEOGRAM", "KREA", "LENS", "LTX", "PIXART", "FLUX_2")
_OF_MODEL = {
    "STABLE_DIFFUSION_XL": (*_TWO, "unet", "vae"),
    "STABLE_DIFFUSION_3": (*_THREE, "transformer", "vae"),
    "STABLE_DIFFUSION": (*_ONE, "unet", "vae"),
    "WUERSTCHEN": (*_CASCADE, "decoder_text_encoder"),
    "STABLE_CASCADE": _CASCADE,
    "FLUX": (*_TWO, "transformer", "vae"),
    "HUNYUAN_VIDEO": (*_TWO, "transformer", "vae"),
    "HI_DREAM": (*_THREE, "text_encoder_4", "transformer", "vae"),
    **dict.fromkeys(_LATER, (*_ONE, "transformer", "vae")),
}
"""ModelType.model_parts, 2025-12: the parts whose dtypes count, also where a file says nothing of them."""

KEYS = (
    Key(
        name="train_dtype",
        allowed=_VALUES,
        default="FLOAT_16",
        rejects=_REJECTS,
        source=f"{_SOURCE}; {_DTYPES}",
        means="the dtype of autocast; with all weights in it, autocast is off",
    ),
    Key(
        name="fallback_train_dtype",
        allowed=_VALUES,
        default="BFLOAT_16",
        rejects=_REJECTS,
        source=_SOURCE,
        means="autocast of modules that overflow in float16",
    ),
    Key(
        name="weight_dtype",
        allowed=_VALUES,
        default="FLOAT_32",
        rejects=_REJECTS,
        source=_SOURCE,
        means="the weights of every component that says NONE (format of 2024)",
    ),
    Key(
        name="output_dtype",
        allowed=_VALUES,
        default="FLOAT_32",
        rejects=_REJECTS,
        source=_SOURCE,
        means="the saved model",
    ),
    Key(name="lora_weight_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE),
    Key(name="embedding_weight_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE),
    *(
        Key(
            name=f"{part}.weight_dtype",
            aliases=(f"{part}_weight_dtype",),
            allowed=_VALUES,
            default="FLOAT_32" if part == "vae" else "NONE",
            rejects=_REJECTS,
            source=_SOURCE,
            means=f"the weights of {part}",
        )
        for part in PARTS
    ),
    *(
        Key(
            name=f"{part}.train",
            aliases=(f"train_{part}",),
            kind="bool",
            default=part.startswith(("unet", "prior", "transformer", "text_encoder")),
            source=_SOURCE,
        )
        for part in PARTS
    ),
    Key(name="vae.model_name", kind="text", source=_SOURCE, means="a VAE of its own: it may be one that is repaired"),
    Key(name="model_type", kind="text", default="STABLE_DIFFUSION_15", source=_SOURCE),
    Key(name="training_method", kind="text", default="FINE_TUNE", source=_SOURCE),
    Key(
        name="masked_training",
        kind="bool",
        default=False,
        source=_SOURCE,
        means="loss weighted by masks; without a mask file, one of ones is made in float32",
    ),
    Key(name="unmasked_probability", kind="number", default=0.1, source=_SOURCE),
    Key(name="peft_type", kind="text", default="LORA", source=_SOURCE),
    Key(name="lora_decompose", kind="bool", default=False, source=_SOURCE, means="DoRA"),
    Key(name="debug_mode", kind="bool", default=False, source=_SOURCE),
    Key(name="embedding.train", kind="bool", default=False, source=_SOURCE),
    Key(name="embedding.is_output_embedding", kind="bool", default=False, source=_SOURCE),
    Key(name="train_device", kind="text", default="cuda", source=_SOURCE),
    Key(name="temp_device", kind="text", default="cpu", source=_SOURCE),
    Key(name="latent_caching", kind="bool", default=True, source=_SOURCE),
    Key(name="optimizer.optimizer", aliases=("optimizer",), kind="text", default="ADAMW", source=_SOURCE),
    Key(name="optimizer.stochastic_rounding", kind="bool", default=False, source=_SOURCE),
    Key(name="learning_rate", kind="number", default=3e-6, source=_SOURCE),
    Key(name="ema", kind="text", default="OFF", source=_SOURCE),
    Key(name="gradient_checkpointing", kind="text", default="ON", source=_SOURCE),
)


def parts(view: View) -> tuple[str, ...]:
    """The components of the model: by its type, else those that the file gives a dtype.

    Until 2025 the denoiser of transformer models was called prior.
    """
    kind = view.text("model_type").upper()
    for name in sorted(_OF_MODEL, key=len, reverse=True):
        if kind.startswith(name):
            old = view.given("prior.weight_dtype") and not view.given("transformer.weight_dtype")
            return tuple("prior" if old and part == "transformer" else part for part in _OF_MODEL[name])
    return tuple(part for part in PARTS if view.given(f"{part}.weight_dtype"))


def weights(view: View) -> dict[str, tuple[str, Setting | None]]:
    """The weight dtype of each part of the model, adapters and embeddings included, and what decided it."""
    found = {}
    for part in parts(view):
        key = f"{part}.weight_dtype"
        if view.at(key, "NONE") or (view.given(key) is None and part != "vae"):
            key = "weight_dtype"
        found[part] = (str(view.get(key)), view.given(key))
    if view.text("training_method") == "lora":
        found["lora"] = (str(view.get("lora_weight_dtype")), view.given("lora_weight_dtype"))
    if embeddings(view):
        found["embedding"] = (str(view.get("embedding_weight_dtype")), view.given("embedding_weight_dtype"))
    return found


def embeddings(view: View) -> bool:
    """Whether embeddings are trained: `TrainConfig.train_any_embedding`."""
    additional = any(
        entry.path.startswith("additional_embeddings.") and entry.path.endswith(".train") and entry.value is True
        for document in view.documents
        for entry in document.entries
    )
    return view.text("training_method") == "embedding" or view.on("embedding.train") or additional


def uniform(view: View) -> str:
    """The one dtype of all weights and of training, which switches autocast off; empty if there are several."""
    found = {value for value, _ in weights(view).values()} - {"NONE"}
    return found.pop() if len(found) == 1 and found == {str(view.get("train_dtype"))} else ""


def trains(view: View, part: str) -> bool:
    """Whether a part of the model is trained."""
    method = view.text("training_method")
    if part in ("lora", "embedding"):
        return True
    return method in ("fine_tune", "fine_tune_vae") and view.on(f"{part}.train")


def _fallback(view: View) -> Cell:
    """The dtype in which modules run that overflow in float16."""
    setting = view.given("fallback_train_dtype")
    return Cell(value=dtype(view.get("fallback_train_dtype")), by=setting, why="fallback of FLOAT_16")


def effective(view: View, run: Run) -> Iterator[Component]:
    """One row per component; autocast is off if every dtype is the same."""
    setting = view.given("train_dtype")
    train = Cell(value=dtype(view.get("train_dtype")), by=setting, why="" if setting else "default of OneTrainer")
    off = Cell(value="off", by=setting, why="all dtypes are the same")
    autocast = off if uniform(view) else train
    found = weights(view)
    masters = {value for part, (value, _) in found.items() if trains(view, part)}
    tf32 = Cell(value="on" if "TFLOAT_32" in (view.get("train_dtype"), *masters) else "off", by=setting)
    scaled = train.value == "float16" and masters <= {"FLOAT_32"}
    scaling = Cell(value="dynamic" if scaled else "off", by=setting, why="only if every trained weight is FLOAT_32")
    for part, (value, by) in found.items():
        own = Cell(value=dtype(value), by=by, why="" if by else "default of OneTrainer")
        inside = _fallback(view) if part == "vae" and autocast.value == "float16" else autocast
        if trains(view, part):
            yield trained(part, weights=own, autocast=autocast, scaling=scaling, tf32=tf32)
        else:
            yield frozen(part, weights=own, autocast=inside, tf32=tf32)


SYSTEM = System(
    name="onetrainer",
    title="OneTrainer",
    version="2024-08 to 2025-12",
    source=f"{_SOURCE}, {_DTYPES}; flat names (unet_weight_dtype) until 2024",
    keys=KEYS,
    marks=(
        ("train_dtype", "output_dtype"),
        ("train_dtype", "weight_dtype"),
        ("train_dtype", "unet.weight_dtype"),
        ("train_dtype", "prior.weight_dtype"),
        ("train_dtype", "transformer.weight_dtype"),
        ("train_dtype", "model_type"),
        ("training_method", "weight_dtype"),
        ("training_method", "unet.weight_dtype"),
        ("training_method", "model_type"),
    ),
    programs=("scripts/train.py",),
    effective=effective,
)
