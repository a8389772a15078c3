"""LLaMA-Factory: a YAML or JSON for `llamafactory-cli train`, or its arguments."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ...core.regex import regex
from ..checkpoint import checkpoint
from ..conflict import Conflict
from ..deciding import allowed_by
from ..facts import Halves
from ..messages import SCALER, UNSCALE
from ..parts import stepped
from ..prepared import prepared
from ..run import Run
from ..sharding import has_engine
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, frozen
from ..view import View
from . import transformers

_PARSER = "llamafactory/hparams/parser.py"
_LACKS = ("half_precision_backend", "torch_dtype", "attn_implementation", "load_in_4bit", "load_in_8bit",
          "bnb_4bit_compute_dtype", "use_peft", "fsdp_config.mixed_precision")  # fmt: skip

KEYS = (
    Switch(name="pure_bf16", source="llamafactory/hparams/finetuning_args.py",
           means="bfloat16 weights without autocast"),
    Switch(name="fp8", source="llamafactory/hparams/training_args.py"),
    Switch(name="fp8_enable_fsdp_float8_all_gather", source=_PARSER),
    Number(name="quantization_bit", source="llamafactory/hparams/model_args.py"),
    Text(name="quantization_method", default="bnb", source="llamafactory/hparams/model_args.py"),
    Key(name="infer_dtype", allowed=("auto", "float16", "bfloat16", "float32"), default="auto",
        rejects="{value!r} is not one of auto, float16, bfloat16, float32", source="llamafactory/hparams/model_args.py",
        makes=True),
    Text(name="finetuning_type", default="lora", source="llamafactory/hparams/finetuning_args.py"),
    Text(name="stage", default="sft", source="llamafactory/hparams/finetuning_args.py"),
    Switch(name="do_train", source="transformers"),
    Switch(name="upcast_layernorm", source="llamafactory/hparams/model_args.py"),
    Text(name="flash_attn", default="auto", source="llamafactory/hparams/model_args.py"),
    Switch(name="use_dora", source="llamafactory/hparams/finetuning_args.py"),
    Text(name="image_dir", aliases=("media_dir",), source="llamafactory/hparams/data_args.py"),
)
_OTHERS = frozenset(
    "dataset template cutoff_len overwrite_cache preprocessing_num_workers lora_rank lora_target lora_alpha "
    "trust_remote_code plot_loss val_size max_samples image_max_pixels freeze_vision_tower adapter_name_or_path "
    "double_quantization quantization_type pref_beta pref_loss export_dir export_size infer_backend".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, or an adapter and its base; weights are always loaded in the checkpoint's dtype."""
    why = "the dtype of the checkpoint (model/loader.py: torch_dtype is auto)"
    loaded = checkpoint(view, "model_name_or_path", by=None, why=why)
    raised = Cell(value="float32", why="trainable parameters are raised, unless pure_bf16")
    whole = view.text("finetuning_type") == "full" and not view.on("pure_bf16")
    autocast = transformers.mixed(view, run)
    flags = {"attention": transformers.attention(view, "flash_attn"), "tf32": allowed_by(view, "tf32")}
    if view.text("finetuning_type") not in ("lora", "oft"):
        held = stepped(view, "optim", prepared(run, raised if whole else loaded, autocast))
        yield held.component("model", **flags)
        return
    own = Cell(value="float32", why="peft raises half-precision adapters (autocast_adapter_dtype)")
    held = stepped(view, "optim", prepared(run, own, autocast))
    yield held.component("adapter", **flags)
    bits = view.given("quantization_bit")
    base = Cell(value=f"{bits.entry.text}-bit", by=bits) if bits else loaded
    yield frozen("base model", weights=base, autocast=held.autocast, **flags)


def halves(view: View) -> Halves:
    """Return the Trainer's `fp16` and `bf16`; none for fp8, which uses accelerate and a JSON with both off."""
    return {} if view.on("fp8") else transformers.halves(view)


SYSTEM = System(
    name="llamafactory", title="LLaMA-Factory", version="0.9.5",
    source=f"{_PARSER}, llamafactory/hparams/*_args.py",
    based_on=transformers.SYSTEM,
    lacks=_LACKS,
    keys=KEYS,
    others=_OTHERS,
    marks=(("finetuning_type", "stage"), ("finetuning_type", "template"), ("finetuning_type", "model_name_or_path"),
           ("model_name_or_path", "template"), ("stage", "model_name_or_path"), ("pure_bf16",),
           ("model_name_or_path", "cutoff_len")),
    unless=("dataset_text_field",),
    programs=("llamafactory-cli train", "llamafactory-cli", "src/train.py", "src/train_bash.py"),
    effective=effective,
    facts=replace(transformers.SYSTEM.facts, own_program=True, halves=halves,
                  raises_trained=lambda view: not view.on("pure_bf16")),
)  # fmt: skip


_VISION = (
    "_vl", "llava", "pixtral", "internvl", "intern_vl", "minicpm_v", "mllama", "paligemma", "gemma3", "qwen2_omni",
)  # fmt: skip


def _has_images(view: View) -> bool:
    """Check whether the template is a vision model's."""
    entries = (entry for document in view.documents for entry in document.entries if entry.path == "template")
    named = next((entry.value for entry in entries if isinstance(entry.value, str)), "")
    return any(vision in named for vision in _VISION)


def _sharded(view: View, run: Run) -> bool:
    return transformers.zero3(view, run) or run.view("accelerate").at("distributed_type", "FSDP")


_PACKED = regex(r"-(?:awq|gptq)(?:$|[-_/])")
"""The end of the name of a checkpoint with integer weights; float8 and mxfp4 are accepted."""


def _packed_sharded(view: View, run: Run) -> bool:
    """Check whether a checkpoint has integer weights, by its name, and something shards them."""
    return bool(_PACKED.search(view.text("model_name_or_path"))) and _sharded(view, run)


_STAGE = "deepspeed:zero_optimization.stage"


CONFLICTS = (
    Conflict(
        rule="bf16-on-cpu", keys=("pure_bf16",), when=lambda s, run: s.on("pure_bf16") and run.on_device("cpu"),
        says="pure_bf16 on a machine without a GPU", effect="ValueError: This device does not support `pure_bf16`.",
        help="drop pure_bf16", source=f"{_PARSER}, 0.9.5",
    ),
    Conflict(
        rule="half-parameters-under-grad-scaler", keys=("pure_bf16", "fp16"),
        when=lambda s, run: s.on("pure_bf16") and s.on("fp16") and not has_engine(run, s),
        says="pure_bf16 trains bfloat16 weights, and fp16 uses a grad scaler", effect=UNSCALE["bfloat16"],
        help="drop fp16, or use bf16: true instead of pure_bf16",
        source=f"{_PARSER}: pure_bf16 sets the compute dtype, 0.9.3; {SCALER}",
    ),
    Conflict(
        rule="quantization-excludes", keys=("quantization_bit", "finetuning_type"),
        when=lambda s, _: s.number("quantization_bit") is not None and s.at("finetuning_type", "full", "freeze"),
        says="finetuning_type {1} with a {0}-bit base",
        effect="ValueError: Quantization is only compatible with the LoRA method.",
        help="set finetuning_type: lora, or drop quantization_bit", source=f"{_PARSER} _verify_model_args, 0.9.3",
    ),
    Conflict(
        rule="quantization-excludes", keys=("quantization_bit", "deepspeed"),
        when=lambda s, run: (
            s.number("quantization_bit") == 8
            and s.at("quantization_method", "bnb", "bitsandbytes")
            and _sharded(s, run)
        ),
        says="an 8-bit base under ZeRO-3 or FSDP",
        effect="ValueError: Only 4-bit quantized model can use fsdp+qlora or auto device map.",
        help="set quantization_bit: 4, or use ZeRO-2", source="llamafactory/model/model_utils/quantization.py, 0.9.3",
    ),
    Conflict(
        rule="quantization-excludes", keys=("model_name_or_path", "deepspeed"), when=_packed_sharded,
        says="{0} has quantized weights, under ZeRO-3 or FSDP",
        effect="ValueError: DeepSpeed ZeRO-3 or FSDP is incompatible with PTQ-quantized models.",
        help="use ZeRO-2, or the model in half precision with quantization_bit: 4",
        source="llamafactory/model/model_utils/quantization.py, main of 2026-08; LlamaFactory#6898",
    ),
    Conflict(
        rule="quantized-base-compute-dtype", keys=("fp8", "quantization_bit"),
        when=lambda s, _: s.on("fp8") and s.number("quantization_bit") is not None, says="fp8 with a {1}-bit base",
        effect="ValueError: FP8 training is not compatible with quantization. Please disable one of them.",
        help="drop one of them", source=f"{_PARSER}, 0.9.5",
    ),
    Conflict(
        rule="quantized-base-compute-dtype", severity="hint", keys=("quantization_bit", "quantization_method", "bf16"),
        when=lambda s, _: s.on("bf16") and s.number("quantization_bit") == 8 and s.at("quantization_method", "bnb"),
        says="the 8-bit base takes float16 inputs, training is in bfloat16",
        effect="UserWarning: MatMul8bitLt: inputs will be cast from torch.bfloat16 to float16 during quantization; "
        "values above 65504 become nan",
        help="set fp16: true, or quantization_bit: 4",
        source="LlamaFactory#2132; bitsandbytes/autograd/_functions.py MatMul8bitLt, 0.50.2",
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("infer_dtype", "do_train"),
        when=lambda s, _: s.on("do_train") and s.given("infer_dtype") is not None and not s.at("infer_dtype", "auto"),
        says="infer_dtype is {0}, in training", effect="silent: it is for inference; bf16, fp16 and pure_bf16 decide",
        help="drop infer_dtype, and set bf16 or fp16",
        source=f"{_PARSER} get_train_args sets compute_dtype from bf16 and fp16, 0.9.5",
    ),
    Conflict(
        rule="training-in-full-precision", severity="hint", keys=("do_train",),
        when=lambda s, _: (
            s.on("do_train")
            and all(s.off(key) for key in ("bf16", "fp16", "pure_bf16", "fp8", "use_cpu"))
            and not any(s.below(key) for key in ("use_badam", "use_galore", "use_apollo", "tokenized_path"))
        ),
        says="training with neither bf16 nor fp16", effect="silent: float32; LLaMA-Factory recommends mixed precision",
        help="set bf16: true on Ampere and later, fp16: true on older GPUs", source=f"{_PARSER}, 0.9.5",
    ),
    Conflict(
        rule="upcast-without-autocast", severity="warning", keys=("upcast_layernorm", "pure_bf16"),
        when=lambda s, _: s.on("pure_bf16") and s.on("upcast_layernorm") and s.off("bf16"),
        says="upcast_layernorm with pure_bf16, for a checkpoint in bfloat16",
        effect="RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16",
        help="use bf16: true instead of pure_bf16",
        source="llamafactory/model/model_utils/checkpointing.py prepare_model_for_training, 0.9.5",
    ),
    Conflict(
        rule="upcast-without-autocast", severity="warning", keys=("pure_bf16", "stage"),
        when=lambda s, _: (
            s.on("pure_bf16")
            and s.off("bf16")
            and s.at("stage", "dpo")
            and s.at("finetuning_type", "lora")
            and _has_images(s)
        ),
        says="pure_bf16 with images: the vision tower is bfloat16, pixel_values are float32",
        effect="RuntimeError: Input type (float) and bias type (c10::BFloat16) should be the same",
        help="use bf16: true, whose autocast converts them", source="LLaMA-Factory, DPO LoRA of vision models",
    ),
    Conflict(
        rule="zero3-excludes", keys=("pure_bf16", "deepspeed", _STAGE),
        when=lambda s, run: s.on("pure_bf16") and transformers.zero3(s, run), says="pure_bf16 under ZeRO-3",
        effect="ValueError: `pure_bf16` is incompatible with DeepSpeed ZeRO-3.",
        help="use bf16: true instead of pure_bf16, or ZeRO-2", source=_PARSER,
    ),
)
