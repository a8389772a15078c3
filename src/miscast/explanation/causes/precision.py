"""Gradient scalers, settings, and distributed dtypes."""

from __future__ import annotations

from ..cause import Cause, Clue

CAUSES = (
    Cause(
        name="half-parameters-under-scaler",
        text="the trainable parameters themselves are float16; a gradient scaler needs float32 parameters, autocast "
        "makes the half copies",
        needs=(
            "grad-scaler|precision-config",
            "pattern:unscale-fp16-gradients|pattern:apex-param-type",
        ),
        weight=0.45,
        clues=(Clue(weight=0.05, words=("lora", "peft", "dreambooth", "resume")),),
        help=(
            ("make what is trained float32, before the optimizer is made: `for p in filter(lambda p: p.requires_grad, "
            "model.parameters()): p.data = p.data.float()`"),
            "load with torch_dtype=torch.float32; or bf16, which needs no scaler",
        ),
    ),
    Cause(
        name="optimizer-without-gradients",
        text="none of this optimizer's parameters got a gradient: they are frozen, unused, not the ones of the loss, or "
        "the step was skipped",
        needs=("pattern:no-inf-checks",),
        weight=0.5,
        help=("step an optimizer only where its parameters took part in backward; check requires_grad",),
    ),
    Cause(
        name="scaler-order",
        text="scale, unscale_, step and update are called out of order, or twice, for one optimizer",
        needs=("grad-scaler",),
        weight=0.1,
        help=("per step: scale(loss).backward(); unscale_(opt); clip; step(opt); update()",),
    ),
    Cause(
        name="stage-lacks-precision",
        text="this precision and this ZeRO stage do not go together in this version",
        needs=("pattern:stage-lacks-precision",),
        weight=0.7,
        help=("choose a stage that the message names, or the other 16-bit mode; a newer version has more of them",),
    ),
    Cause(
        name="scaled-training-elsewhere",
        text="fp16 with a gradient scaler is for CUDA in this version; this device trains in float32, or in bf16 where torch "
        "has it",
        needs=("pattern:fp16-needs-cuda",),
        weight=0.7,
        help=("mixed_precision='no', or 'bf16' with a torch that has autocast for this device",),
    ),
    Cause(
        name="settings-disagree",
        text="two places set the precision, and they do not agree: the launcher, the DeepSpeed file, the trainer's "
        "arguments, the checkpoint",
        needs=("precision-config",),
        weight=0.25,
        clues=(Clue(weight=-0.5, facts=("pattern:quantized-model-cast|pattern:stage-lacks-precision",)),),
        help=('set it in one place; "auto" in the DeepSpeed file takes over the trainer\'s',),
    ),
    Cause(
        name="quantized-model-moved",
        text="a model that was loaded quantized is cast or moved afterwards: its dtype and its device were chosen when it "
        "was loaded",
        needs=("pattern:quantized-model-cast",),
        weight=0.5,
        help=("leave out .to(), .half() and .cuda(); give from_pretrained the device_map and torch_dtype instead",),
    ),
    Cause(
        name="version-lacks-option",
        text="this version does not know the precision name that it is given",
        needs=("precision-config", "pattern:lightning-precision|pattern:composer-precision|pattern:mixed-precision-choice|pattern:dtype-string"),
        weight=0.4,
        help=("use a name of the installed version ('bf16' before Lightning 2.0, 'bf16-mixed' since), or update",),
    ),

    Cause(
        name="dtype-as-text",
        text="the dtype's name is where the dtype belongs, or the other way round: a configuration file and JSON have "
        '"float16", torch takes torch.float16',
        needs=("pattern:no-dtype-given",),
        weight=0.5,
        help=(
            'from the name: getattr(torch, "float16")',
            'to the name: str(dtype).removeprefix("torch.")',
        ),
    ),
    Cause(
        name="torch-spells-amp-otherwise",
        text="this version of torch spells mixed precision otherwise: autocast has `dtype` since 1.10; "
        "torch.amp.GradScaler came with 2.3, torch.amp.custom_fwd and is_autocast_enabled(device_type) with 2.4; "
        "torch.autocast wants a device_type",
        needs=("pattern:autocast-argument",),
        weight=0.5,
        help=(
            "torch.autocast('cuda', dtype=torch.bfloat16) and torch.amp.GradScaler('cuda'), since 2.3",
            "before that: torch.cuda.amp.autocast() and torch.cuda.amp.GradScaler()",
        ),
    ),
    Cause(
        name="int8-product-in-float16",
        text="bitsandbytes' LLM.int8() computes in float16: an activation of another dtype is cast, and the result back",
        needs=("pattern:bitsandbytes-cast",),
        weight=0.7,
        help=("nothing has to be done; float16 activations (torch_dtype=torch.float16) save the two casts",),
    ),
    Cause(
        name="model-loaded-in-float32",
        text="the model was loaded in float32, as from_pretrained does when no dtype is given",
        needs=("precision-config", "has:float32"),
        weight=0.3,
        help=("from_pretrained(…, torch_dtype=torch.bfloat16)",),
    ),
    Cause(
        name="optimizer-wants-dtype",
        text="this optimizer takes parameters of one dtype only, and gets others (LoRA weights are often float32)",
        needs=("precision-config", "op:optimizer.step"),
        weight=0.4,
        help=("another optimizer, or cast the trained parameters to the dtype it wants",),
    ),
    Cause(
        name="mixed-parameters-flattened",
        text="FSDP flattens the parameters of a module into one tensor, and they have different dtypes: a half base "
        "model with float32 adapters, norms or new layers",
        needs=("pattern:fsdp-flatten|pattern:fsdp2-uniform",),
        weight=0.5,
        help=("cast the model to one dtype before it is wrapped, or wrap the odd modules separately",),
    ),
    Cause(
        name="mixed-parameters-gathered",
        text="ranks, or the parameters gathered together, have different dtypes: part of the model is in another dtype "
        "than the engine's",
        needs=("distributed-dtype",),
        weight=0.35,
        clues=(Clue(weight=0.1, words=("deepspeed", "zero")),),
        help=("load every part with the engine's dtype (torch_dtype as in fp16/bf16 of the config)",),
    ),
    Cause(
        name="backend-cannot-reduce",
        text="the collective backend cannot carry this dtype",
        needs=("distributed-dtype", "pattern:nccl-dtype"),
        weight=0.3,
        help=("cast for the collective: all_reduce(x.float()), or update NCCL and torch",),
    ),
)
