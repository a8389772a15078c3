"""A call of each rule about numbers that were lost, with what the rule says of it and what it advises."""

from __future__ import annotations

import traces
from miscast.core.event import Violation
from traces import at, call, operand


def _lost(rule, op, name, dtype, wanted, figures, code, form=""):
    broken = Violation(kind="lossy", odd=(name,), expected=wanted, argument=rule, value=figures, form=form)
    origin = traces.HALF if dtype == "float16" else None
    return call(op, [operand(name, dtype, origin)], broken, at(8, code))


LOSSY = {
    "angle-rounds": (
        _lost(
            "angle-rounds",
            "cos",
            "self",
            "float16",
            "float32",
            "angles go up to 999 rad, where neighbouring float16 numbers are 0.5 rad apart",
            "table = angle.cos()",
        ),
        "cos takes rounded angles: angles go up to 999 rad, where neighbouring float16 numbers are 0.5 rad apart",
        "compute the angles in float32, at train.py:8, and cast the sine and cosine",
    ),
    "autocast-keeps-old-weights": (
        _lost(
            "autocast-keeps-old-weights",
            "linear",
            "weight",
            "float32",
            "",
            "autocast's cached copy is older than the last update of this tensor",
            "loss = net(x).mean()",
        ),
        "linear computes with old weights: autocast's cached copy is older than the last update of this tensor",
        "wrap only the forward pass and the loss in autocast, so that the region ends before the update",
        "clear the cached copies after each update: `torch.clear_autocast_cache()`",
    ),
    "choice-by-rounding": (
        _lost(
            "choice-by-rounding",
            "topk",
            "self",
            "bfloat16",
            "float32",
            "79 different numbers are equal in bfloat16, and the choice falls among them",
            "best = low.topk(10).indices",
        ),
        ("topk is decided by rounding: 79 different numbers are equal in bfloat16, and the choice falls among them"),
        "choose first, then cast the result: `x.topk(2).values.half()`",
    ),
    "constant-vanishes": (
        _lost(
            "constant-vanishes",
            "add",
            "self",
            "float16",
            "float32",
            "1e-8 is 0 in float16, whose smallest number is 6e-8",
            "unit = x / (x.norm() + 1e-8)",
            form="eps",
        ),
        "add: 1e-8 is 0 in float16, whose smallest number is 6e-8",
        "cast `self` before add at train.py:8: .to(torch.float32)",
        "use an eps that float16 can represent, at train.py:8: `1e-4`, or `torch.finfo(x.dtype).tiny`",
    ),
    "difference-cancels": (
        _lost(
            "difference-cancels",
            "sub",
            "self",
            "bfloat16",
            "float32",
            "numbers around 1 cancel to 0.00124, and bfloat16 has rounded each by up to 0.00391",
            "kl = 1 + logvar - logvar.exp()",
        ),
        ("sub leaves mostly rounding error: numbers around 1 cancel to 0.00124, and bfloat16 has rounded each "
        "by up to 0.00391"),
        "compute the terms in float32, before train.py:8",
    ),
    "fraction-cut-off": (
        _lost(
            "fraction-cut-off",
            "to",
            "self",
            "float32",
            "float32",
            "numbers between 0 and 1 become 0 or 1 in uint8",
            "pixels = (image / 255).to(torch.uint8)",
        ),
        "to truncates fractions: numbers between 0 and 1 become 0 or 1 in uint8",
        "keep float32, at train.py:8, or scale to the integer range first: `(x * 255).round()`",
    ),
    "half-parameters-without-master": (
        _lost(
            "half-parameters-without-master",
            "AdamW",
            "param",
            "bfloat16",
            "float32",
            "a step of about 1e-5 is below half of bfloat16's spacing at 0.0361, 0.000122",
            "net = net.bfloat16()",
        ),
        ("AdamW: updates too small to change the weights: a step of about 1e-5 is below half of bfloat16's "
        "spacing at 0.0361, 0.000122"),
        "keep trained parameters in float32, at train.py:8, and compute under torch.autocast",
        "keep float32 master weights, or use an optimizer with stochastic rounding",
    ),
    "integer-rounds": (
        _lost(
            "integer-rounds",
            "to",
            "self",
            "int64",
            "float32",
            "1000 distinct numbers become 507, up to 999: bfloat16 represents whole numbers exactly only up to 256",
            "t = timesteps.to(torch.bfloat16)",
        ),
        ("to rounds whole numbers: 1000 distinct numbers become 507, up to 999: bfloat16 represents whole "
        "numbers exactly only up to 256"),
        "keep them in float32, at train.py:8, and cast later results",
    ),
    "integer-wraps": (
        _lost(
            "integer-wraps",
            "sub",
            "self",
            "uint8",
            "int32",
            "numbers reach -255, below 0: uint8 wraps around",
            "difference = first - second",
        ),
        "sub wraps around: numbers reach -255, below 0: uint8 wraps around",
        "cast `self` before sub at train.py:8: .to(torch.int32)",
    ),
    "loss-rounds": (
        _lost(
            "loss-rounds",
            "cross_entropy_loss",
            "self",
            "bfloat16",
            "float32",
            "the loss is a bfloat16 number, of two to three digits",
            "loss = F.cross_entropy(logits, target)",
        ),
        "cross_entropy_loss in half precision: the loss is a bfloat16 number, of two to three digits",
        "cast `self` before cross_entropy_loss at train.py:8: .to(torch.float32)",
    ),
    "nan-appears": (
        _lost(
            "nan-appears",
            "mul",
            "self",
            "float32",
            "",
            "4 of 6 numbers are 0 * inf",
            'bias = (1 - keep) * float("-inf")',
            form="product",
        ),
        "mul produces NaN: 4 of 6 numbers are 0 * inf",
        "mask the numbers instead of multiplying by 0, at train.py:8: `x.masked_fill(mask, 0)`",
        "write p * log(p) as one function, at train.py:8: `torch.xlogy(p, p)`",
    ),
    "number-overflows": (
        _lost(
            "number-overflows",
            "pow",
            "self",
            "float16",
            "float32",
            "numbers reach 1.6e5, but float16 ends at 65504",
            "variance = x.pow(2).mean(-1)",
        ),
        "pow overflows: numbers reach 1.6e5, but float16 ends at 65504",
        "cast `self` before pow at train.py:8: .to(torch.float32)",
    ),
    "number-underflows": (
        _lost(
            "number-underflows",
            "prod",
            "self",
            "float16",
            "float32",
            "all 6 numbers become 0, the largest would be 1e-12",
            "likelihood = chances.prod(-1)",
            form="product",
        ),
        "prod underflows: all 6 numbers become 0, the largest would be 1e-12",
        "sum logarithms, at train.py:8: `p.log().sum(dim)`",
    ),
    "row-masked-whole": (
        _lost(
            "row-masked-whole",
            "softmax",
            "self",
            "float32",
            "",
            "1 of 8 rows are entirely -inf",
            "weights = scores.softmax(-1)",
        ),
        "softmax gives NaN: 1 of 8 rows are entirely -inf",
        "mask with a finite number instead of -inf, before train.py:8: `torch.finfo(x.dtype).min`",
        "drop rows that are fully masked",
    ),
    "probabilities-in-half": (
        _lost(
            "probabilities-in-half",
            "Categorical",
            "probs",
            "float16",
            "float32",
            "float16 probabilities add up to 1 within 0.001; torch.distributions rejects a sum that is off by 1e-6",
            "pi = Categorical(probs=probs)",
        ),
        ("Categorical: float16 probabilities add up to 1 within 0.001; torch.distributions rejects a sum that "
            "is off by 1e-6"),
        "pass float32 logits, at train.py:8: `torch.distributions.Categorical(logits=x.float())`",
    ),
    "precision-not-held": (
        _lost(
            "precision-not-held",
            "autocast",
            "",
            "float32",
            "bfloat16",
            'autocast("cpu") asks for bfloat16, but no matrix product runs in half precision: 2 ran in float32 on cuda',
            'with torch.autocast("cpu"):',
            form="region",
        ),
        'autocast("cpu") asks for bfloat16, but no matrix product runs in half precision: 2 ran in float32 on cuda',
        "pass torch.autocast the device type of the tensors, at train.py:8: `x.device.type`",
    ),
    "unstable-formula": (
        _lost(
            "unstable-formula",
            "log",
            "self",
            "float32",
            "",
            "the logarithm of sigmoid(x) is -inf where x is below -104",
            "loss = -(y * h.log()).mean()",
            form="log sigmoid",
        ),
        "log: the logarithm of sigmoid(x) is -inf where x is below -104",
        "use `F.logsigmoid(x)` on the input of the sigmoid, or `F.binary_cross_entropy_with_logits`",
    ),
    "scaler-misused": (
        _lost(
            "scaler-misused",
            "clip_grad_norm_",
            "param",
            "float32",
            "",
            "gradients are clipped while they are scaled: call unscale_ first",
            "clip_grad_norm_(net.parameters(), 1.0)",
        ),
        "gradients are clipped while they are scaled: call unscale_ first",
        "call scaler.unscale_(optimizer) once, between backward and train.py:8: scaler.step will not unscale again",
    ),
    "state-in-half": (
        _lost(
            "state-in-half",
            "AdamW",
            "param",
            "bfloat16",
            "float32",
            "exp_avg_sq is bfloat16, like the parameters: a factor of 0.999 changes none of its numbers, so it "
            "never decreases",
            "optimizer = AdamW(net.parameters())",
            form="factor",
        ),
        ("AdamW: exp_avg_sq is bfloat16, like the parameters: a factor of 0.999 changes none of its numbers,"
        " so it never decreases"),
        "keep trained parameters in float32, and compute under torch.autocast",
        "use a factor that bfloat16 can represent: beta2=0.95",
    ),
    "sum-stalls": (
        _lost(
            "sum-stalls",
            "cumprod",
            "self",
            "bfloat16",
            "float32",
            "1000 factors one after another in bfloat16, each rounded to one part in 256",
            "alphas_cumprod = alphas.cumprod(0)",
        ),
        ("cumprod accumulates in too coarse a dtype: 1000 factors one after another in bfloat16, each rounded "
        "to one part in 256"),
        "accumulate in float32, at train.py:8: `x.float().cumprod(dim)`",
    ),
    "update-absorbed": (
        _lost(
            "update-absorbed",
            "lerp_",
            "self",
            "bfloat16",
            "float32",
            "a step of 1e-4 of the difference is below half of bfloat16's spacing, 0.00391 of the value",
            "average.lerp_(weight, 1e-4)",
            form="average",
        ),
        ("lerp_ changes nothing: a step of 1e-4 of the difference is below half of bfloat16's spacing, 0.00391 "
        "of the value"),
        "keep the average in float32: create it as `x.detach().float().clone()` of each parameter",
    ),
    "widened-by-one-number": (
        _lost(
            "widened-by-one-number",
            "mul",
            "other",
            "float32",
            "bfloat16",
            "128 KiB of bfloat16 become float32 (128 KiB more) because of a tensor with 1 element",
            "x = x * scale",
        ),
        "mul widens its result: 128 KiB of bfloat16 become float32 (128 KiB more) because of a tensor with 1 element",
        "create `other` in bfloat16, or give it no dimension",
        "cast the result back, after train.py:8: .to(torch.bfloat16)",
    ),
}  # fmt: skip
