"""Contradictions of OneTrainer's dtypes."""

from __future__ import annotations

from collections.abc import Iterator

from ...conflict import Check, Conflict
from ...contradiction import Contradiction, replaced
from ...deciding import on
from ...messages import AVERAGE, UNSCALED, VAE
from ...run import FLOAT8, Run
from ...system import Setting
from ...view import View
from . import HALF, UNTIL, Part, embeddings, parts, uniform

_ENCODERS = ("text_encoder", "text_encoder_2", "text_encoder_3", "text_encoder_4")
_DENOISERS = ("unet", "prior", "transformer")
_DTYPES = "OneTrainer modules/util/dtype_util.py"
_FULL = '"FLOAT_32"'


def _torch_name(dtype: str) -> str:
    return "Half" if dtype == "FLOAT_16" else "BFloat16"


def _average(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a moving average of half-precision weights."""
    trained = [part for part in parts(view) if part.trained and part.half]
    for part in trained[:1] if view.text("ema") not in ("off", "") else ():
        yield Contradiction(
            says=f"ema averages {part.name}, whose weights are {part.dtype}", settings=(view.given("ema"), part.by),
            severity="warning", effect=AVERAGE, help=f"set the weight dtype of {part.name} to {_FULL}",
        )


def _dora(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield DoRA without autocast, and on a float8 base."""
    if not view.on("lora_decompose") or view.text("training_method") != "lora":
        return
    dora, lora, dtype = view.given("lora_decompose"), view.given("lora_weight_dtype"), uniform(view)
    if dtype in HALF:
        yield Contradiction(
            says=f"lora_decompose (DoRA) with every dtype {dtype}: autocast may be off",
            settings=(dora, view.given("train_dtype"), lora), severity="warning",
            effect="RuntimeError: self and mat2 must have the same dtype, but got "
            f"{_torch_name(dtype)} and Float{UNTIL}",
            help=f"set lora_weight_dtype to {_FULL}", edit=replaced(lora, _FULL), safe=True,
        )
    for part in parts(view):
        if part.dtype == "FLOAT_8" and part.name in _DENOISERS:
            yield Contradiction(
                says=f"lora_decompose (DoRA) with {part.name} in FLOAT_8", settings=(dora, part.by),
                effect="RuntimeError: Promotion for Float8 Types is not supported",
                help=f'set {part.name}.weight_dtype to "BFLOAT_16", or lora_decompose to false',
            )


def _embedding(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield an output embedding whose text encoder has another floating dtype."""
    output = _output(view) if embeddings(view) else None
    own = str(view.get("embedding_weight_dtype"))
    if output is None or own == "NONE":
        return
    others = {*HALF, "FLOAT_32"} - {own}
    unlike = [part for part in parts(view) if part.name in _ENCODERS and part.dtype in others]
    for part in unlike[:1]:
        yield Contradiction(
            says=f"the output embedding is {own}, its {part.name} is {part.dtype}",
            settings=(view.given("embedding_weight_dtype"), part.by, output),
            effect="RuntimeError: expected scalar type Float but found Half (the encoder's layer norm, run outside "
            "autocast while the model is set up)",
            help=f'set {part.name}.weight_dtype to "{own}"',
            edit=replaced(part.by, f'"{own}"') if own == "FLOAT_32" else None,
        )


def _output(view: View) -> Setting | None:
    """Return the setting that adds an output embedding."""
    name = "embedding.is_output_embedding"
    if view.on(name):
        return view.given(name)
    additional = (
        Setting(key=view.system.by_name[name], entry=entry, document=document)
        for document in view.documents
        for entry in document.entries
        if entry.key[0] == "additional_embeddings" and entry.key[-1] == "is_output_embedding" and entry.value is True
    )
    return next(additional, None)


def _unscaled(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield trained FLOAT_16 weights: a grad scaler needs every trained weight in float32."""
    scaled = view.open or not view.at("train_dtype", "FLOAT_16")
    halves = [part for part in parts(view) if part.trained and part.dtype == "FLOAT_16"]
    for part in () if scaled else halves[:1]:
        yield Contradiction(
            says=f"train_dtype is FLOAT_16 and the trained {part.name} is {part.dtype}, so there is no grad scaler",
            settings=(view.given("train_dtype"), part.by), otherwise=view.place, severity="warning", effect=UNSCALED,
            help=f"set the weight dtype of {part.name} to {_FULL}",
        )


def _autocast_to_float32(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield half-precision weights under an autocast to float32, which only CUDA has."""
    off_cuda = not view.text("train_device").startswith("cuda") or run.off_device("cuda")
    if not view.at("train_dtype", "FLOAT_32", "TFLOAT_32") or not off_cuda:
        return
    for part in [part for part in parts(view) if part.half][:1]:
        yield Contradiction(
            says=f"train_dtype is {view.get('train_dtype')} and {part.name} is {part.dtype}, without CUDA",
            settings=(view.given("train_dtype"), part.by, view.given("train_device")),
            effect="autocast to float32 disables itself there: RuntimeError: mat1 and mat2 must have the same dtype, "
            "but got Float and Half",
            help="set the weights to FLOAT_32, or train_dtype to the weights' dtype",
        )


def _float8_products(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield parts whose linear layers multiply in float8, on a machine that cannot."""
    for part in parts(view) if run.lacks(*FLOAT8) else ():
        if part.dtype.startswith("FLOAT_W8A8"):
            yield Contradiction(
                says=f"{part.name} is {part.dtype} on a machine without float8 products", settings=(part.by,),
                otherwise=view.place,
                effect="RuntimeError: torch._scaled_mm is only supported on CUDA devices with compute capability "
                ">= 9.0 or 8.9, or ROCm MI300+",
                help=f'set {part.name}.weight_dtype to "FLOAT_8", which only stores, or to "INT_W8A8"',
            )


def _mps(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a part whose dtype is not train_dtype, on MPS."""
    train = str(view.get("train_dtype"))
    on_mps = view.text("train_device").startswith("mps") or run.on_device("mps")
    unlike = [part for part in parts(view) if part.dtype not in (train, "NONE")]
    for part in unlike[:1] if on_mps else ():
        yield Contradiction(
            says=f"train_dtype is {train}, {part.name} is {part.dtype}, on MPS",
            settings=(view.given("train_dtype"), part.by, view.given("train_device")), otherwise=view.place,
            severity="warning", effect=f"RuntimeError: macOS needs all dtypes to be the same.{UNTIL}",
            help=f"set every weight_dtype to {train}, or all of them to FLOAT_32",
        )


def _storage(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield quantized types as the dtype of computing or of trained weights (DataType.torch_dtype, 2025-12)."""
    keys = ("train_dtype", "fallback_train_dtype", "lora_weight_dtype", "embedding_weight_dtype")
    computed = ("FLOAT_32", "FLOAT_16", "BFLOAT_16", "TFLOAT_32", "NONE")
    for setting in filter(None, map(view.given, keys)):
        key = setting.key
        if setting.value in key.allowed and setting.value not in computed:
            yield Contradiction(
                says=f"{key.name} is {setting.value}, which only stores weights", settings=(setting,),
                severity="warning",
                effect="silent: autocast gets no dtype, and uses its default: float16 on CUDA"
                if "train" in key.name
                else "silent: `.to(dtype=None)` converts nothing; the weights keep the dtype that they were created in",
                help=f"set {key.name} to {_FULL}", edit=replaced(setting, _FULL),
            )


def _tf32(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield TFLOAT_32 on a machine without TF32."""
    setting, machine = view.given("train_dtype"), run.machine
    if machine and machine.support("tf32") != "native" and setting and setting.value == "TFLOAT_32":
        yield Contradiction(
            says=f"train_dtype is {setting.entry.text}, {machine.name} has no TF32", settings=(setting,),
            severity="warning", effect="silent: it has no effect, products stay in float32", help="switch it off",
            edit=replaced(setting, _FULL if setting.entry.text.startswith('"') else "false"),
        )


_LINEAR = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and {half} (in the UNet's first Linear)"
_EROSION = (
    "RuntimeError: Input type (torch.cuda.{half}Tensor) and weight type (torch.cuda.FloatTensor) should be the same "
    "(the erosion kernel, when sampling)"
)
_DECODER = (
    "RuntimeError: Input type (float) and bias type (c10::{half}) should be the same (the VAE's decoder, when sampling)"
)
_UNIFORM = {
    "masks": (_LINEAR, ", and masked_training creates float32 masks for images without one"),
    "inpainting": (_EROSION, ", and inpainting samples erode the mask in float32"),
    "": (_DECODER, ""),
}
"""The error where a float32 tensor is used with a half-precision weight, and the end of the message."""


def _no_autocast(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield autocast that is off because all dtypes are the same half dtype."""
    dtype = "" if view.open else uniform(view)
    if dtype not in HALF:
        return
    vae, masks = view.given("vae.weight_dtype"), on(view, "masked_training")
    inpainting = view.given("model_type") if "inpaint" in view.text("model_type") else None
    error, why = _UNIFORM["masks" if masks else "inpainting" if inpainting else ""]
    yield Contradiction(
        says=f"every weight and train_dtype are {dtype}, so autocast may be off{why}",
        settings=(view.given("train_dtype"), vae, view.given("weight_dtype"), masks, inpainting), otherwise=view.place,
        severity="warning", effect=error.format(half=_torch_name(dtype)) + UNTIL,
        help=f"set vae.weight_dtype to {_FULL}, which keeps autocast on",
        edit=replaced(vae, _FULL) if vae and vae.entry.text == f'"{dtype}"' else None, safe=True,
    )


def _is_bfloat16(part: Part) -> bool:
    return part.trained and part.dtype == "BFLOAT_16"


def _sdxl(view: View) -> bool:
    """Check whether the model is SDXL, with its own VAE."""
    return "stable_diffusion_xl" in view.text("model_type") and not view.given("vae.model_name")


CONFLICTS = (
    Check(rule="average-in-half", search=_average),
    Check(rule="dora-without-autocast", search=_dora),
    Check(rule="embedding-dtype-unlike-encoder", search=_embedding),
    Check(rule="float16-without-loss-scaling", search=_unscaled, source=f"{_DTYPES} enable_grad_scaling"),
    Check(rule="float32-autocast-is-off", search=_autocast_to_float32),
    Check(rule="fp8-not-available", search=_float8_products),
    Check(rule="mps-needs-one-dtype", search=_mps),
    Check(
        rule="storage-dtype-for-training", search=_storage,
        source="OneTrainer modules/util/enum/DataType.py torch_dtype, 2025-12",
    ),
    Check(rule="tf32-not-on-machine", search=_tf32),
    Check(rule="uniform-half-without-autocast", search=_no_autocast, source=f"{_DTYPES} create_autocast_context"),
    Conflict(
        rule="bfloat16-as-image", keys=("debug_mode", "train_dtype"),
        when=lambda s, _: s.on("debug_mode") and s.at("train_dtype", "BFLOAT_16"),
        says="debug_mode saves images, and train_dtype is BFLOAT_16",
        effect="TypeError: Got unsupported ScalarType BFloat16 (when an image is saved)",
        help="set debug_mode to false, or train_dtype to FLOAT_16 or FLOAT_32",
        source="OneTrainer modelSetup/*: _save_image goes through numpy", fix=("debug_mode", "false"),
    ),
    Conflict(
        rule="optimizer-demands-dtype", keys=("optimizer.block_wise", "optimizer.optimizer"),
        when=lambda s, _: (
            s.text("optimizer.optimizer").endswith(("adam_8bit", "adamw_8bit"))
            and s.off("optimizer.block_wise")
            and any(map(_is_bfloat16, parts(s)))
        ),
        says="{1} with block_wise off, and bfloat16 weights",
        effect="ValueError: Gradient+optimizer bit data type combination not supported: grad torch.bfloat16, "
        "optimizer torch.uint8",
        help="set optimizer.block_wise to true", source="bitsandbytes/functional.py optimizer_update_8bit, 0.49.1",
    ),
    Conflict(
        rule="vae-overflows-in-float16", severity="warning", keys=("fallback_train_dtype", "train_dtype", "model_type"),
        when=lambda s, _: _sdxl(s) and s.at("train_dtype", "FLOAT_16") and s.at("fallback_train_dtype", "FLOAT_16"),
        says="SDXL's VAE computes in FLOAT_16: train_dtype and fallback_train_dtype are both FLOAT_16", effect=VAE,
        help='set fallback_train_dtype to "BFLOAT_16", its default', fix=("fallback_train_dtype", '"BFLOAT_16"'),
        source=f"{_DTYPES} disable_fp16_autocast_context",
    ),
    Conflict(
        rule="vae-overflows-in-float16", severity="warning", keys=("vae.weight_dtype", "model_type"),
        when=lambda s, _: _sdxl(s) and s.at("vae.weight_dtype", "FLOAT_16"), says="SDXL's VAE is FLOAT_16",
        effect=f"{VAE}, wherever it runs outside OneTrainer's fallback to BFLOAT_16",
        help=f"set vae.weight_dtype to {_FULL}", fix=("vae.weight_dtype", _FULL),
        source="huggingface.co/madebyollin/sdxl-vae-fp16-fix",
    ),
)
