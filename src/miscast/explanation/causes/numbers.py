"""Why numbers are no longer finite: reduced precision only where something speaks for it."""

from __future__ import annotations

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
        name="probabilities-in-half",
        text="probabilities that were computed in half precision do not add up to 1 within 1e-6, as it is checked",
        needs=("pattern:probabilities-in-half",),
        weight=0.8,
        help=("Categorical(logits=logits.float()), or probs = logits.float().softmax(-1)",),
    ),
    Cause(
        name="half-range-exceeded",
        text="gradients or losses left float16's range (65504): the run diverges, or a constant or large activation "
        "overflows",
        needs=("overflow-nan",),
        weight=0.0,
        clues=(
            Clue(weight=0.3, facts=_HALF, says="it is of half precision"),
            Clue(weight=0.7, words=_REDUCED),
            Clue(weight=-0.6, facts=("pattern:numpy-cast-overflow|pattern:value-overflows",)),
        ),
        help=(
            (
                "use bfloat16 where the GPU has it; lower the learning rate, clip gradients; find the first layer whose "
                "output is inf in float16 and keep it in float32"
            ),
        ),
    ),
    Cause(
        name="loss-scale-settles",
        text="the loss scale begins above what float16 holds and is halved until the gradients fit: skipped steps at the "
        "start are normal, if they end",
        needs=("pattern:skipped-step", "scale-beyond-half"),
        weight=2.0,
        help=("wait until no step is skipped, or begin with a lower scale: DeepSpeed's initial_scale_power is its exponent",),
    ),
    Cause(
        name="run-diverges",
        text="the run diverges, or its data is at fault: too high a learning rate, a division by or the log of zero, "
        "values that are NaN when they are read. Nothing here speaks of reduced precision",
        needs=(
            "pattern:loss-is-nan|pattern:losses-printed-nan|pattern:gradient-not-finite|pattern:values-not-finite|pattern:distribution-nan",
        ),
        weight=0.5,
        clues=(Clue(weight=-0.4, words=_REDUCED),),
        help=(
            "torch.autograd.set_detect_anomaly(True) for one run names the op; check the batch with torch.isfinite",
            "lower the learning rate and clip gradients",
        ),
    ),
    Cause(
        name="derivative-undefined",
        text="the derivative of {op} is not finite at the values it got (sqrt, norm or a power at 0, log of 0, 0/0), or "
        "the gradient that came to it was NaN or inf already",
        needs=("pattern:nan-in-backward",),
        weight=0.6,
        clues=(Clue(weight=-0.2, words=_REDUCED),),
        help=(
            "look at the forward line that anomaly mode prints; keep its input away from the edge: x.clamp_min(eps), + eps",
        ),
    ),
    Cause(
        name="activations-overflowed",
        text="activations became inf or NaN, in half precision often in the VAE, in attention or in the logits; it is "
        "worth one run in float32 to tell precision from the model",
        needs=("overflow-nan", "op:multinomial|op:NaN check|pattern:image-cast-invalid"),
        weight=0.4,
        help=("run once in float32 or bfloat16; if it stays, the weights or inputs are at fault, not the dtype",),
    ),
    Cause(
        name="logits-not-finite",
        text="the logits are NaN or inf already, or a mask and the sampler's bounds leave no token of a row. Nothing here "
        "speaks of reduced precision",
        needs=("pattern:probabilities-not-finite",),
        weight=0.1,
        help=(
            "torch.isfinite(logits).any(-1) of the row, before the softmax; then the same of the weights and the inputs",
        ),
    ),
    Cause(
        name="value-past-dtype",
        text="a value is larger than the dtype that the array is cast to can hold: float16 ends at 65504, float32 at 3.4e38",
        needs=("pattern:numpy-cast-overflow",),
        weight=0.4,
        help=("cast to float32 instead, or np.clip(x, np.finfo(dtype).min, np.finfo(dtype).max) first",),
    ),
    Cause(
        name="constant-outside-range",
        text="a constant (-1e10, finfo(float32).min) does not fit the tensor's dtype: float16 ends at 65504",
        needs=("pattern:value-overflows",),
        weight=0.5,
        help=("torch.finfo(x.dtype).min instead of the number",),
    ),
)
