"""Gradient scalers, loss scales, and numbers that left the range."""

from __future__ import annotations

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="unscale-fp16-gradients",
        category="grad-scaler",
        texts=("[Attempting|Attemting|Attemping] to unscale FP16 gradients",),
        op="GradScaler.unscale_",
        since="1.6",
        operands=(("gradient", "float16", ""),),
        implies=("half-parameters-under-scaler",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True, dtype=torch.float16)\np.grad = torch.ones_like(p)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.unscale_(torch.optim.SGD([p], lr=1.0))"
        ),
    ),
    Pattern(
        name="no-inf-checks",
        category="grad-scaler",
        texts=("No inf checks were recorded for this optimizer", "No inf checks were recorded prior to update"),
        op="GradScaler.step",
        since="1.6",
        implies=("optimizer-without-gradients",),
        raised_by=(
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\n"
            "s.step(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0))"
        ),
    ),
    Pattern(
        name="unscale-twice",
        category="grad-scaler",
        texts=(
            "unscale_() has already been called on this optimizer since the last update()",
            "unscale_() is being called after step()",
        ),
        op="GradScaler.unscale_",
        since="1.6",
        implies=("scaler-order",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\no = torch.optim.SGD([p], lr=1.0)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.unscale_(o)\ns.unscale_(o)"
        ),
    ),
    Pattern(
        name="step-twice",
        category="grad-scaler",
        texts=("step() has already been called since the last update()",),
        op="GradScaler.step",
        since="1.6",
        implies=("scaler-order",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\no = torch.optim.SGD([p], lr=1.0)\n"
            "s = torch.amp.GradScaler('cpu')\ns.scale(torch.ones(()))\ns.step(o)\ns.step(o)"
        ),
    ),
    Pattern(
        name="scale-missing",
        category="grad-scaler",
        texts=("Attempted {op:name} but _scale is None",),
        op="GradScaler.step",
        since="1.6",
        implies=("scaler-order",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.ones(2)\n"
            "torch.amp.GradScaler('cpu').unscale_(torch.optim.SGD([p], lr=1.0))"
        ),
    ),
    Pattern(
        name="scaler-disabled",
        category="grad-scaler",
        texts=("GradScaler is enabled, but {...} is not available. Disabling",),
        op="GradScaler",
        implies=("cpu-only-build",),
        since="1.6",
        examples=("UserWarning: torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",),
    ),
    Pattern(
        name="scaler-closure",
        category="grad-scaler",
        texts=(
            "Closure use is not currently supported if GradScaler is enabled",
            "AMP and the LBFGS optimizer are not compatible",
            "amp and the LBFGS optimizer are not compatible",
        ),
        op="GradScaler.step",
        implies=("scaler-order",),
        raised_by=(
            "s = torch.amp.GradScaler('cpu')\n"
            "s.step(torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0), closure=lambda: None)"
        ),
    ),
    Pattern(
        name="scaler-scale-device",
        category="grad-scaler",
        texts=(
            "Attempting to unscale {found} gradients",
            "outputs.is_cuda or outputs.device.type == xla",
            "GradScaler{...}expects {...} tensors on {expected:device}",
        ),
        op="GradScaler.scale",
        examples=("ValueError: Attempting to unscale BF16 gradients.",),
    ),
    Pattern(
        name="assigned-gradient-dtype",
        category="dtype-mismatch",
        texts=(
            "assigned grad has data of a different type",
            "attempting to assign a gradient with dtype {gradient} to a tensor with [grad_|]dtype {parameter}",
            "attempting to assign a gradient of {...}dtype {gradient}{...}dtype {parameter}",
        ),
        op="tensor.grad",
        raised_by="torch.ones(2, requires_grad=True).grad = torch.ones(2).half()",
        examples=("RuntimeError: assigned grad has data of a different type",),
    ),
    Pattern(
        name="minimum-loss-scale",
        category="overflow-nan",
        texts=(
            "Minimum loss scale reached",
            "Current loss scale already at minimum - cannot decrease scale anymore",
            "Loss scale has reached {...} minimum",
            "loss scale is too small",
        ),
        op="loss scaler",
        operands=(("gradients", "float16", ""),),
        library="fairseq or deepspeed",
        implies=("half-range-exceeded",),
        examples=(
            "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding.",
            "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        ),
    ),
    Pattern(
        name="skipped-step",
        category="overflow-nan",
        texts=(
            "OVERFLOW! [Rank {n:int} |]Skipping step",
            "Gradient overflow. Skipping step, loss scaler",
            "[Grad|Gradient] overflow on iteration",
            "Overflow detected. Skipping step",
            "overflow detected, [setting loss scale to|reducing loss scale]",
        ),
        op="loss scaler",
        operands=(("gradients", "float16", ""),),
        library="apex or deepspeed",
        implies=("half-range-exceeded",),
        examples=(
            "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
            "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
        ),
    ),
    Pattern(
        name="probabilities-not-finite",
        category="overflow-nan",
        texts=(
            "probability tensor contains either inf, nan or element < 0",
            "probability tensor contains either inf, nan or",
            "invalid multinomial distribution (encountering probability entry < 0)",
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
        ),
        op="multinomial",
        implies=("activations-overflowed",),
        raised_by="torch.multinomial(torch.tensor([float('nan'), 1.0]), 1)",
    ),
    Pattern(
        name="nans-in-unet",
        category="overflow-nan",
        texts=(
            "A tensor with [all |]NaNs was produced in [the |]{where:name}",
            "NansException: A tensor with",
        ),
        op="NaN check",
        library="stable-diffusion-webui",
        implies=("activations-overflowed",),
        examples=("NansException: A tensor with all NaNs was produced in Unet.",),
    ),
    Pattern(
        name="loss-is-nan",
        category="overflow-nan",
        texts=(
            "[Error: |]Loss is [nan|inf|NaN], stopping training",
            "loss is [nan|inf|NaN or Inf|nan or inf|not finite]",
            "[NaN|nan|Nan] loss [detected|encountered|found|with shape]",
            "[NaN|nan|Nan|NaNs] [or|and|/] [Inf|inf|infinite]{...} [found|detected|encountered] in",
            "NaN or Inf found in input tensor",
            "found {...}nan{...}loss",
            "Detected [inf|nan] or [nan|inf] values in",
            "Nan detected in {where:name}",
            "[NaN|nan|Infinity|inf|infinite] [value|values] [detected|found|encountered|in loss]",
            "[non-finite|Non-finite|nonfinite] [loss|gradient|gradients|values]",
            "gradient norm is [nan|inf|NaN]",
            "Loss became infinite or NaN at iteration",
            "contain Inf/NaN. Training has diverged",
            "Function {op:name} returned nan values in its {n:int}th output{...}[Half|float16|autocast|bf16]",
            "The total norm of order {...} for gradients from `parameters` is non-finite",
        ),
        op="loss",
        library="",
        implies=("half-range-exceeded",),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.tensor([float('nan'), 1.0])\n"
            "torch.nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)"
        ),
        examples=("Loss is nan, stopping training", "WARNING: NaN or Inf found in input tensor."),
    ),
    Pattern(
        name="image-cast-invalid",
        category="overflow-nan",
        texts=("RuntimeWarning: invalid value encountered in cast",),
        op="astype",
        library="numpy",
        implies=("activations-overflowed",),
        examples=(
            'RuntimeWarning: invalid value encountered in cast\n  images = (images * 255).round().astype("uint8")',
        ),
    ),
    Pattern(
        name="distribution-nan",
        category="overflow-nan",
        texts=(
            "of distribution {...} to satisfy the constraint {...} but found invalid values: tensor({...}nan",
            "The parameter {arg:name} has invalid values{...}nan",
        ),
        op="distribution",
        implies=("half-range-exceeded",),
        unless=("float64",),
        raised_by="torch.distributions.Normal(torch.tensor([float('nan')]), torch.ones(1))",
    ),
)
