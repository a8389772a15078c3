"""Trained half parameters meet a grad scaler.

## What
The weights are loaded in float16 or bfloat16 and `fp16` is on: `torch_dtype: float16` with the Trainer, `fp16: true`
of axolotl, which loads a whole model in it, `from_pretrained(…, torch_dtype=torch.float16)` with a script that trains
all parameters, or with `modules_to_save` of an adapter; `pure_bf16` of LLaMA-Factory beside `fp16`.

## Why
fp16 makes a grad scaler, which refuses to unscale float16 gradients and has no kernel for bfloat16 ones. Adapters of
peft are float32 and not concerned; the modules that it trains whole (`modules_to_save`) keep the dtype of the base.
DeepSpeed scales by itself, over float32 masters; what FSDP shards, accelerate raises to float32.

## Example
    fp16: true
    torch_dtype: float16

## Use instead
    fp16: true
    torch_dtype: float32

## Fix safety
Safe: float32 holds every half number; it needs twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import adapted, calls, loaded
from ..conflict import Conflict, When
from ..contradiction import Contradiction
from ..run import Run
from ..setting import named_dtype
from ..sharding import sharded
from ..system import Setting
from ..systems import accelerate, axolotl, deepspeed, diffusers, simpletuner
from ..view import View

_EFFECTS = {
    "float16": "ValueError: Attempting to unscale FP16 gradients.",
    "bfloat16": "RuntimeError: \"_amp_foreach_non_finite_check_and_unscale_cuda\" not implemented for 'BFloat16'",
}
_SCALER = "torch/amp/grad_scaler.py _unscale_grads_, 2.13.0"


def _engine(view: View, run: Run) -> bool:
    return bool(run.view("deepspeed")) or (
        "deepspeed" in view.system.by_name and view.filled("deepspeed")
    )


def _full(half: str) -> When:
    def when(view: View, run: Run) -> bool:
        quantized = view.on("load_in_4bit") or view.on("load_in_8bit")
        raised = _engine(view, run) or sharded(run) is not None
        whole = view.off("use_peft") and not quantized and not raised
        return (
            view.on("fp16") and whole and named_dtype(view.get("torch_dtype")) == half
        )

    return when


def _axolotl(view: View, run: Run) -> bool:
    """A whole model that it loads in float16, with a scaler: neither an engine nor FSDP raises what is trained."""
    raised = _engine(view, run) or sharded(run) is not None or view.given("adapter")
    half = (
        axolotl.mixed(view, run).value == "float16"
        and axolotl.weights(view, run).value == "float16"
    )
    return half and not raised and not run.on_device("cpu")


def _simpletuner(view: View, run: Run) -> bool:
    """What it trains is cast to float16; another rule tells of the optimizer that wants bfloat16."""
    engine = bool(run.view("deepspeed")) or sharded(run) is not None
    half = view.at("mixed_precision", "fp16") and not simpletuner.quantized(view)
    named = view.given("optimizer") is not None
    other = named and not view.at("optimizer", "adamw_bf16", "adam_bfloat16")
    return half and other and not engine and not run.off_device("cuda")


def _launched_only(view: View, run: Run) -> bool:
    """The precision reaches accelerate, and not the script, which raises its LoRA only where its own option is fp16."""
    lora = all(
        "lora" in document.name and view.system.has_program(document.name)
        for document in view.documents
    )
    asked = accelerate.mixed(run.view("accelerate"), run)
    unset = view.get("mixed_precision") is None and asked.by is not None
    return lora and unset and asked.value == "float16" and not run.view("deepspeed")


CONFLICTS = (
    Conflict(
        system="diffusers",
        keys=("mixed_precision",),
        when=lambda s, _: (
            diffusers.started(s, "textual_inversion_sdxl.py")
            and s.at("mixed_precision", "fp16")
        ),
        says="the second text encoder is cast to fp16, and its new embeddings are trained under a grad scaler",
        effect=_EFFECTS["float16"],
        help="train in bf16, or without mixed precision",
        source="diffusers examples/textual_inversion/textual_inversion_sdxl.py: text_encoder_2.to(dtype=weight_dtype), "
        "0.42",
    ),
    Conflict(
        system="diffusers",
        keys=("accelerate:mixed_precision", "environment:ACCELERATE_MIXED_PRECISION"),
        when=_launched_only,
        says="the launcher says fp16, the script is given no mixed_precision: its LoRA stays float16",
        effect=_EFFECTS["float16"],
        help="give it to the script, too: --mixed_precision fp16",
        source="diffusers examples train_*lora*.py: cast_training_params if args.mixed_precision == 'fp16', 0.42; "
        "diffusers#6363",
    ),
    *(
        Conflict(
            system=system,
            keys=("torch_dtype", "fp16"),
            when=_full(half),
            says=f"the weights are {half}, and fp16 makes a grad scaler",
            effect=effect,
            help="load the weights in float32: fp16 computes in float16 anyway",
            source=_SCALER,
        )
        for system in ("transformers", "trl")
        for half, effect in _EFFECTS.items()
    ),
    Conflict(
        system="simpletuner",
        keys=("mixed_precision",),
        when=_simpletuner,
        says="what is trained is cast to fp16, and fp16 makes a grad scaler",
        effect=_EFFECTS["float16"],
        help="train in bf16, or without mixed precision",
        source=f"SimpleTuner helpers/training/trainer.py move_models, 3.1.6; {_SCALER}",
    ),
    Conflict(
        system="axolotl",
        keys=("fp16", "bf16"),
        when=_axolotl,
        says="the weights are loaded in float16, and fp16 makes a grad scaler",
        effect=_EFFECTS["float16"],
        help="use bf16: true, an adapter, FSDP or DeepSpeed: they keep float32 of what is trained",
        source=f"axolotl/utils/config/__init__.py resolve_dtype, 0.19.0; {_SCALER}",
    ),
    Conflict(
        system="axolotl",
        keys=("lora_modules_to_save", "fp16"),
        when=lambda s, run: (
            s.on("fp16") and s.filled("lora_modules_to_save") and not _engine(s, run)
        ),
        says="lora_modules_to_save trains modules of a float16 base, and fp16 makes a grad scaler",
        effect=_EFFECTS["float16"],
        help="use bf16: true, or torch_dtype: float32",
        source=f"peft 0.21.2: ModulesToSaveWrapper keeps the base's dtype; {_SCALER}",
    ),
    Conflict(
        system="llamafactory",
        keys=("pure_bf16", "fp16"),
        when=lambda s, run: s.on("pure_bf16") and s.on("fp16") and not _engine(s, run),
        says="pure_bf16 trains bfloat16 weights, and fp16 makes a grad scaler",
        effect=_EFFECTS["bfloat16"],
        help="drop fp16, or use bf16: true instead of pure_bf16",
        source=f"llamafactory/hparams/parser.py: pure_bf16 sets the compute dtype, 0.9.3; {_SCALER}",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """from_pretrained(torch_dtype=torch.float16) in a program whose Trainer or Accelerator has fp16 on."""
    setting, scaler, saved = loaded(run), _scaler(run), _saved(run)
    half = named_dtype(setting.value) if setting else ""
    if (
        setting is None
        or scaler is None
        or half not in _EFFECTS
        or (saved is None and adapted(run))
    ):
        return
    raised = deepspeed.stage(run) is not None or sharded(run)
    launched = scaler.document in run.view("accelerate").documents
    one = launched or setting.document.file == scaler.document.file
    if one and not raised and not run.on_device("cpu"):
        what = (
            f"modules_to_save of a {half} model are trained"
            if saved
            else f"the model is loaded in {half}"
        )
        yield Contradiction(
            says=f"{what}, and fp16 makes a grad scaler",
            settings=(setting, scaler, saved),
            effect=_EFFECTS[half],
            help="load it in float32: fp16 computes in float16 anyway",
        )


def _saved(run: Run) -> Setting | None:
    """The modules that an adapter trains whole."""
    kept = run.view("torch").given("modules_to_save")
    return kept if kept is not None and kept.value is not None else None


def _scaler(run: Run) -> Setting | None:
    """The setting of a call that makes a grad scaler."""
    launcher = run.view("accelerate")
    setting = accelerate.mixed(launcher, run).by
    calls_it = any(document.origin == "call" for document in launcher.documents)
    trains = setting and (
        setting.document.origin == "call" or any(calls(run, "backward"))
    )
    if setting and setting.value == "fp16" and calls_it and trains:
        return setting
    trainers = [
        view for view in run.family("transformers") if "use_peft" in view.system.by_name
    ]
    return next(
        (
            view.given("fp16")
            for view in trainers
            if view.on("fp16") and view.off("use_peft")
        ),
        None,
    )
