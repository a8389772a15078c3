"""Gradient scalers, settings, and distributed dtypes."""

from ..cause import Cause, Clue

CAUSES = (
    Cause(
        name="half-parameters-under-scaler", weight=0.45,
        text="the trainable parameters themselves are float16; a gradient scaler needs float32 parameters, and autocast makes the half-precision copies",
        needs=("grad-scaler|precision-config", "pattern:unscale-fp16-gradients|pattern:apex-param-type"),
        clues=(Clue(weight=0.05, words=("lora", "peft", "dreambooth", "resume")),),
        help=(
            ("convert trained parameters to float32 before creating the optimizer: `for p in filter(lambda p: p.requires_grad, model.parameters()): p.data = p.data.float()`"),
            "load with torch_dtype=torch.float32; or bf16, which needs no scaler",
        ),
    ),
    Cause(
        name="optimizer-without-gradients", weight=0.5,
        text="none of this optimizer's parameters got a gradient: they are frozen, unused, do not contribute to the loss, or the step was skipped",
        needs=("pattern:no-inf-checks",),
        help=("step an optimizer only if its parameters received gradients in backward; check requires_grad",),
    ),
    Cause(
        name="scaler-order", weight=0.1,
        text="scale, unscale_, step and update are called out of order, or twice, for one optimizer",
        needs=("grad-scaler",), help=("per step: scale(loss).backward(); unscale_(opt); clip; step(opt); update()",),
    ),
    Cause(
        name="stage-lacks-precision", weight=0.7,
        text="this version does not support this precision with this ZeRO stage",
        needs=("pattern:stage-lacks-precision",),
        help=("choose a stage that the message names, or the other 16-bit mode; newer versions support more combinations",),
    ),
    Cause(
        name="scaled-training-elsewhere", weight=0.7,
        text="this version supports fp16 with a gradient scaler on CUDA only; train in float32 on this device, or in bf16 if torch supports it",
        needs=("pattern:fp16-needs-cuda",),
        help=("mixed_precision='no', or 'bf16' with a version of torch that supports autocast on this device",),
    ),
    Cause(
        name="settings-disagree", weight=0.25,
        text="the precision is set in two places that disagree: the launcher, the DeepSpeed file, the trainer's arguments or the checkpoint",
        needs=("precision-config",),
        clues=(Clue(weight=-0.5, facts=("pattern:quantized-model-cast|pattern:stage-lacks-precision",)),),
        help=('set it in one place; "auto" in the DeepSpeed file adopts the trainer\'s setting',),
    ),
    Cause(
        name="quantized-model-moved", weight=0.5,
        text="a quantized model is cast or moved after loading, but its dtype and device are fixed when it is loaded",
        needs=("pattern:quantized-model-cast",),
        help=("remove .to(), .half() and .cuda(); pass device_map and torch_dtype to from_pretrained instead",),
    ),
    Cause(
        name="version-lacks-option", weight=0.4, text="this version does not know the precision name that was passed",
        needs=("precision-config", "pattern:lightning-precision|pattern:composer-precision|pattern:mixed-precision-choice|pattern:dtype-string"),
        help=("use a name of the installed version ('bf16' before Lightning 2.0, 'bf16-mixed' since), or update",),
    ),
    Cause(
        name="dtype-as-text", weight=0.5,
        text='a dtype\'s name is passed where a dtype is expected, or vice versa: configuration files and JSON contain "float16", torch expects torch.float16',
        needs=("pattern:no-dtype-given",),
        help=('from the name: getattr(torch, "float16")', 'to the name: str(dtype).removeprefix("torch.")'),
    ),
    Cause(
        name="torch-spells-amp-otherwise", weight=0.5,
        text="the mixed-precision API differs in this version of torch: autocast has `dtype` since 1.10; torch.amp.GradScaler came with 2.3, torch.amp.custom_fwd and is_autocast_enabled(device_type) with 2.4; torch.autocast requires a device_type",
        needs=("pattern:autocast-argument",),
        help=(
            "torch.autocast('cuda', dtype=torch.bfloat16) and torch.amp.GradScaler('cuda'), since 2.3",
            "before that: torch.cuda.amp.autocast() and torch.cuda.amp.GradScaler()",
        ),
    ),
    Cause(
        name="int8-product-in-float16", weight=0.7,
        text="bitsandbytes' LLM.int8() computes in float16: an activation of another dtype is cast to float16, and the result is cast back",
        needs=("pattern:bitsandbytes-cast",),
        help=("no action needed; float16 activations (torch_dtype=torch.float16) save the two casts",),
    ),
    Cause(
        name="model-loaded-in-float32", weight=0.3,
        text="the model was loaded in float32, the default of from_pretrained",
        needs=("precision-config", "has:float32"), help=("from_pretrained(…, torch_dtype=torch.bfloat16)",),
    ),
    Cause(
        name="optimizer-wants-dtype", weight=0.4,
        text="this optimizer accepts parameters of one dtype only and got another (LoRA weights are often float32)",
        needs=("precision-config", "op:optimizer.step"),
        help=("use another optimizer, or cast the trained parameters to the dtype it expects",),
    ),
    Cause(
        name="mixed-parameters-flattened", weight=0.5,
        text="FSDP flattens the parameters of a module into one tensor, but they have different dtypes: a half-precision base model with float32 adapters, norms or new layers",
        needs=("pattern:fsdp-flatten|pattern:fsdp2-uniform",),
        help=("cast the model to one dtype before it is wrapped, or wrap modules of another dtype separately",),
    ),
    Cause(
        name="mixed-parameters-gathered", weight=0.35,
        text="dtypes differ between ranks or between parameters that are gathered together: part of the model has another dtype than the engine",
        needs=("distributed-dtype",), clues=(Clue(weight=0.1, words=("deepspeed", "zero")),),
        help=("load every part with the engine's dtype (torch_dtype as in fp16/bf16 of the config)",),
    ),
    Cause(
        name="backend-cannot-reduce", weight=0.3, text="the collective backend does not support this dtype",
        needs=("distributed-dtype", "pattern:nccl-dtype"),
        help=("cast before the collective: all_reduce(x.float()), or update NCCL and torch",),
    ),
)
