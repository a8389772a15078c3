"""OneTrainer's training configuration (JSON): a dtype per component, a training dtype, and a fallback."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.frozen import dataclass, replace
from ...deciding import chosen
from ...facts import PLAIN_ADAM, Facts, Updates
from ...parts import clip, eight_bit, normed, quantized
from ...run import Run
from ...system import Key, Number, Setting, Switch, System, Text
from ...table import UNKNOWN, Cell, Component, dtype, frozen, trained
from ...view import View

_SOURCE = "OneTrainer modules/util/config/TrainConfig.py"
_DTYPES = "OneTrainer modules/util/dtype_util.py create_autocast_context, enable_grad_scaling"
HALF = ("FLOAT_16", "BFLOAT_16")
_VALUES = (
    "NONE", "FLOAT_8", "FLOAT_16", "FLOAT_32", "BFLOAT_16", "TFLOAT_32", "INT_8", "NFLOAT_4", "FLOAT_W8A8", "INT_W8A8",
    "FLOAT_W8A8_COMPRESSED", "INT_W8A8_COMPRESSED", "GGUF", "GGUF_A8_FLOAT", "GGUF_A8_INT",
)  # fmt: skip
_REJECTS = "ValueError or KeyError: {value!r} is not a DataType"
PARTS = (
    "unet", "prior", "transformer", "text_encoder", "text_encoder_2", "text_encoder_3",
    "text_encoder_4", "vae", "effnet_encoder", "decoder", "decoder_text_encoder",
    "decoder_vqgan",
)  # fmt: skip
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
"""ModelType.model_parts, 2025-12: the parts whose dtypes matter, even if a file does not have them."""

_AUTOCAST = {"FLOAT_16": "float16", "BFLOAT_16": "bfloat16", "FLOAT_32": "float32", "TFLOAT_32": "float32"}
"""The compute dtype of each name."""
_F8 = "float8_e4m3fn"
_PACKED = {"FLOAT_8": _F8, "INT_8": "int8", "NFLOAT_4": "uint8", "FLOAT_W8A8": _F8, "INT_W8A8": "int8"}
"""The dtype that stores a quantized layer's weights."""
_PLAIN = ("ADAM", "ADAMW", "LION", "SGD", "PRODIGY")
"""Optimizers whose states have their parameter's dtype."""

KEYS = (
    Key(name="train_dtype", allowed=_VALUES, default="FLOAT_16", rejects=_REJECTS, source=f"{_SOURCE}; {_DTYPES}",
        means="the dtype of autocast"),
    Key(name="fallback_train_dtype", allowed=_VALUES, default="BFLOAT_16", rejects=_REJECTS, source=_SOURCE,
        means="autocast of modules that overflow in float16"),
    Key(name="weight_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE,
        means="the weights of every component with NONE (format of 2024)"),
    Key(name="output_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE,
        means="the saved model"),
    Key(name="lora_weight_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE),
    Key(name="embedding_weight_dtype", allowed=_VALUES, default="FLOAT_32", rejects=_REJECTS, source=_SOURCE),
    *(
        Key(name=f"{part}.weight_dtype", aliases=(f"{part}_weight_dtype",), allowed=_VALUES,
            default="FLOAT_32" if part == "vae" else "NONE", rejects=_REJECTS, source=_SOURCE,
            means=f"the weights of {part}")
        for part in PARTS
    ),
    *(
        Switch(name=f"{part}.train", aliases=(f"train_{part}",),
               default=part.startswith(("unet", "prior", "transformer", "text_encoder")), source=_SOURCE)
        for part in PARTS
    ),
    Text(name="vae.model_name", source=_SOURCE, means="another VAE, for example a repaired one"),
    Text(name="model_type", default="STABLE_DIFFUSION_15", source=_SOURCE),
    Text(name="training_method", default="FINE_TUNE", source=_SOURCE),
    Switch(name="masked_training", source=_SOURCE,
           means="loss weighted by masks; without a mask file, a float32 mask of ones is created"),
    Number(name="unmasked_probability", default=0.1, source=_SOURCE),
    Text(name="peft_type", default="LORA", source=_SOURCE),
    Switch(name="lora_decompose", source=_SOURCE, means="DoRA"),
    Switch(name="debug_mode", source=_SOURCE),
    Switch(name="embedding.train", source=_SOURCE),
    Switch(name="embedding.is_output_embedding", source=_SOURCE),
    Text(name="train_device", default="cuda", source=_SOURCE),
    Text(name="temp_device", default="cpu", source=_SOURCE),
    Switch(name="latent_caching", default=True, source=_SOURCE),
    Switch(name="optimizer.block_wise", source=_SOURCE, means="8-bit states by blocks, the only kernels for bfloat16"),
    Text(name="optimizer.optimizer", aliases=("optimizer",), default="ADAMW", source=_SOURCE),
    Switch(name="optimizer.stochastic_rounding", source=_SOURCE),
    Number(name="learning_rate", default=3e-6, source=_SOURCE),
    Text(name="ema", default="OFF", source=_SOURCE),
    Text(name="gradient_checkpointing", default="ON", source=_SOURCE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A component of the model, an adapter or an embedding: its weight dtype, and the setting that decided it."""

    name: str
    dtype: str
    by: Setting | None
    trained: bool

    @property
    def half(self) -> bool:
        """True if its weights are float16 or bfloat16."""
        return self.dtype in HALF


def parts(view: View) -> tuple[Part, ...]:
    """Return everything with weights: the model's components, then the trained adapter and embeddings."""
    method = view.text("training_method")
    keys = {name: _weight_key(view, name) for name in _components(view)}
    trained = {name for name in keys if method in ("fine_tune", "fine_tune_vae") and view.on(f"{name}.train")}
    extras = {"lora": method == "lora", "embedding": embeddings(view)}
    for name in (name for name, there in extras.items() if there):
        keys[name] = f"{name}_weight_dtype"
        trained.add(name)
    return tuple(
        Part(name=name, dtype=str(view.get(key)), by=view.given(key), trained=name in trained)
        for name, key in keys.items()
    )


def _components(view: View) -> tuple[str, ...]:
    """Return the components of the model: by its type, else those with a dtype in the file.

    Until 2025 the denoiser of transformer models was called prior.
    """
    kind = view.text("model_type").upper()
    name = max((name for name in _OF_MODEL if kind.startswith(name)), key=len, default="")
    if not name:
        return tuple(part for part in PARTS if view.given(f"{part}.weight_dtype"))
    old = view.given("prior.weight_dtype") and not view.given("transformer.weight_dtype")
    return tuple("prior" if old and part == "transformer" else part for part in _OF_MODEL[name])


def _weight_key(view: View, part: str) -> str:
    """Return the key that decides a component's weights: its own, else the common one."""
    key = f"{part}.weight_dtype"
    return "weight_dtype" if view.at(key, "NONE") or (view.given(key) is None and part != "vae") else key


def embeddings(view: View) -> bool:
    """Check whether embeddings are trained: `TrainConfig.train_any_embedding`."""
    additional = any(
        entry.path.startswith("additional_embeddings.") and entry.path.endswith(".train") and entry.value is True
        for document in view.documents
        for entry in document.entries
    )
    return view.text("training_method") == "embedding" or view.on("embedding.train") or additional


UNTIL = " (before July 2026; since OneTrainer#1481 autocast stays on)"


def uniform(view: View) -> str:
    """Return the common dtype of all weights and train_dtype, which older versions train without autocast; else ""."""
    found = {part.dtype for part in parts(view)} - {"NONE"}
    return found.pop() if len(found) == 1 and found == {str(view.get("train_dtype"))} else ""


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield one row per component; all run under autocast to train_dtype."""
    train = replace(chosen(view, "train_dtype"), value=_AUTOCAST.get(str(view.get("train_dtype")), "unknown"))
    autocast = _on_device(run, train)
    trained_dtypes = {part.dtype for part in parts(view) if part.trained}
    tf32 = Cell(value="on" if view.get("train_dtype") == "TFLOAT_32" else "off", by=train.by)
    dynamic = train.value == "float16" and trained_dtypes <= {"FLOAT_32", "TFLOAT_32"}
    needs = "dynamic only if every trained weight is FLOAT_32"
    scaling = Cell(value="dynamic" if dynamic else "off", by=train.by, why=needs)
    for part in parts(view):
        why = "" if part.by else "default of OneTrainer"
        own = Cell(value=_AUTOCAST.get(part.dtype, dtype(part.dtype)), by=part.by, why=why)
        packed = _PACKED.get(part.dtype)
        if part.trained:
            held = train if packed else own  # in a quantized part, the other weights are trained
            kept = _states(view)
            row = trained(part.name, weights=held, autocast=autocast, scaling=scaling, tf32=tf32, states=kept)
        else:
            row = frozen(part.name, weights=own, autocast=_without_overflow(view, part, autocast), tf32=tf32)
        yield _encoder(view, quantized(row, packed, train, part.by) if packed else row)


def _on_device(run: Run, train: Cell) -> Cell:
    """Return autocast on the device: only CUDA has it in float32."""
    if train.value == "float32" and run.off_device("cuda"):
        return Cell(value="off", by=train.by, why="only CUDA's autocast takes float32")
    return train


def _encoder(view: View, row: Component) -> Component:
    """Return a row with details of Stable Diffusion's text encoders; token embeddings may have their own dtype."""
    if not row.name.startswith("text_encoder") or not view.text("model_type").startswith("stable_diffusion"):
        return row
    row = normed(row) if row.name == "text_encoder" else clip(row)
    embedded = _AUTOCAST.get(str(view.get("embedding_weight_dtype")), "unknown")
    if not embeddings(view) or embedded == row.parameters.value:
        return row
    both, own = ", ".join(sorted({row.parameters.value, embedded})), view.given("embedding_weight_dtype")
    return replace(row, parameters=Cell(value=both, by=own, why="token embeddings have embedding_weight_dtype"))


def _states(view: View) -> Cell | None:
    """Return the optimizer's states; None if they have the weights' dtype."""
    name = str(view.get("optimizer.optimizer"))
    if name.endswith("_8BIT"):
        return eight_bit(view.given("optimizer.optimizer"))
    return None if name in _PLAIN else UNKNOWN


def _without_overflow(view: View, part: Part, autocast: Cell) -> Cell:
    """Return autocast of a component: the VAEs of SDXL and Sana use the fallback dtype instead of float16."""
    overflows = view.text("model_type").startswith(("stable_diffusion_xl", "sana"))
    if part.name != "vae" or autocast.value != "float16" or not overflows:
        return autocast
    fallback = chosen(view, "fallback_train_dtype")
    value = _AUTOCAST.get(str(view.get("fallback_train_dtype")), "unknown")
    return replace(fallback, value=value, why="fallback for FLOAT_16")


def bfloat16_without_masters(view: View) -> Updates | None:
    """Return the settings of bfloat16 fine-tuning by a plain Adam, with stochastic rounding explicitly off.

    A preset may leave the rounding out.
    """
    says_off = view.given("optimizer.stochastic_rounding") is not None and view.off("optimizer.stochastic_rounding")
    plain = view.given("optimizer.optimizer") is not None and view.text("optimizer.optimizer") in PLAIN_ADAM
    if not says_off or not plain or view.text("training_method") != "fine_tune":
        return None
    dtypes = (part.by for part in parts(view) if part.trained and part.dtype == "BFLOAT_16")
    return next((Updates(dtype=by, rate=view.given("learning_rate")) for by in dtypes), None)


SYSTEM = System(
    name="onetrainer", title="OneTrainer", version="2024-08 to 2026-08",
    source=f"{_SOURCE}, {_DTYPES}; flat names (unet_weight_dtype) until 2024", keys=KEYS,
    marks=(("train_dtype", "output_dtype"), ("train_dtype", "weight_dtype"), ("train_dtype", "unet.weight_dtype"),
           ("train_dtype", "prior.weight_dtype"), ("train_dtype", "transformer.weight_dtype"),
           ("train_dtype", "model_type"), ("training_method", "weight_dtype"), ("training_method", "unet.weight_dtype"),
           ("training_method", "model_type")),
    programs=("scripts/train.py",), effective=effective, facts=Facts(bfloat16_without_masters=bfloat16_without_masters),
)
