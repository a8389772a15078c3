"""Causes of numbers that are no longer finite: reduced precision only with evidence for it."""

from ..cause import Cause, Clue

_REDUCED = (
    "fp16", "float16", "bf16", "bfloat16", ".half(", "autocast", "grad_scaler", "gradscaler", "loss_scaler", "/amp/",
    "cuda.amp", "apex", "mixed_precision", "mixed precision", "half precision", "scaler.scale", "scaler.step",
    "deepspeed", "loss scale", "gradient overflow",
)  # fmt: skip
"""Words of a run in reduced precision."""
_HALF = ("has:float16|has:bfloat16|op:loss scaler",)

CAUSES = (
    Cause(
        name="probabilities-in-half", weight=0.8,
        text="probabilities that were computed in half precision do not sum to 1 within the 1e-6 that torch checks",
        needs=("pattern:probabilities-in-half",),
        help=("Categorical(logits=logits.float()), or probs = logits.float().softmax(-1)",),
    ),
    Cause(
        name="half-range-exceeded", weight=0.0,
        text="gradients or losses exceed float16's range (65504): the run diverges, or a constant or a large activation overflows",
        needs=("overflow-nan",),
        clues=(
            Clue(weight=0.3, facts=_HALF, says="the run uses half precision"),
            Clue(weight=0.7, words=_REDUCED),
            Clue(weight=-0.6, facts=("pattern:numpy-cast-overflow|pattern:value-overflows",)),
        ),
        help=(
            "use bfloat16 if the GPU supports it; lower the learning rate, clip gradients; find the first layer whose output is inf in float16 and keep it in float32",
        ),
    ),
    Cause(
        name="loss-scale-settles", weight=2.0,
        text="the initial loss scale exceeds float16's range and is halved until the gradients fit: skipped steps at the start are normal if they stop",
        needs=("pattern:skipped-step", "scale-beyond-half"),
        help=("wait until no more steps are skipped, or start with a lower scale: DeepSpeed's initial_scale_power is its exponent",),
    ),
    Cause(
        name="run-diverges", weight=0.5,
        text="the run diverges (too high a learning rate, a division by zero or log of zero), or the input data contains NaN. Nothing in the text points to reduced precision",
        needs=("pattern:loss-is-nan|pattern:losses-printed-nan|pattern:gradient-not-finite|pattern:values-not-finite|pattern:distribution-nan",),
        clues=(Clue(weight=-0.4, words=_REDUCED),),
        help=(
            "run once with torch.autograd.set_detect_anomaly(True) to find the op; check the batch with torch.isfinite",
            "lower the learning rate and clip gradients",
        ),
    ),
    Cause(
        name="derivative-undefined", weight=0.6,
        text="the derivative of {op} is not finite at the values it got (sqrt, norm or a power at 0, log of 0, 0/0), or its incoming gradient was already NaN or inf",
        needs=("pattern:nan-in-backward",), clues=(Clue(weight=-0.2, words=_REDUCED),),
        help=("look at the forward line that anomaly mode prints; keep its input away from the singularity: x.clamp_min(eps), + eps",),
    ),
    Cause(
        name="activations-overflowed", weight=0.4,
        text="activations became inf or NaN; in half precision this often happens in the VAE, in attention or in the logits. One run in float32 shows whether precision is the cause",
        needs=("overflow-nan", "op:multinomial|op:NaN check|pattern:image-cast-invalid"),
        help=("run once in float32 or bfloat16; if the error remains, the cause is in the weights or inputs, not the dtype",),
    ),
    Cause(
        name="logits-not-finite", weight=0.1,
        text="the logits are already NaN or inf, or a mask and the sampler's limits exclude every token of a row. Nothing in the text points to reduced precision",
        needs=("pattern:probabilities-not-finite",),
        help=("check torch.isfinite(logits).any(-1) for the row before the softmax, then check the weights and the inputs",),
    ),
    Cause(
        name="value-past-dtype", weight=0.4,
        text="a value is too large for the dtype that the array is cast to: float16 ends at 65504, float32 at 3.4e38",
        needs=("pattern:numpy-cast-overflow",),
        help=("cast to float32 instead, or np.clip(x, np.finfo(dtype).min, np.finfo(dtype).max) first",),
    ),
    Cause(
        name="constant-outside-range", weight=0.5,
        text="a constant (-1e10, finfo(float32).min) does not fit the tensor's dtype: float16 ends at 65504",
        needs=("pattern:value-overflows",), help=("torch.finfo(x.dtype).min instead of the number",),
    ),
)
