"""A call of each rule about numbers that were lost, with what the rule says of it and what it advises."""

from __future__ import annotations

import traces
from miscast.event import Violation
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
            "angles go up to 999 rad, where neighbours in float16 are 0.5 rad apart",
            "table = angle.cos()",
        ),
        "cos takes rounded angles: angles go up to 999 rad, where neighbours in float16 are 0.5 rad apart",
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
        "open the region of autocast around the forward pass and the loss only, so that it ends before the update",
        "forget the copies after each update: `torch.clear_autocast_cache()`",
    ),
    "choice-by-rounding": (
        _lost(
            "choice-by-rounding",
            "topk",
            "self",
            "bfloat16",
            "float32",
            "79 numbers that differ are equal in bfloat16, and the choice falls among them",
            "best = low.topk(10).indices",
        ),
        ("topk chooses by rounding: 79 numbers that differ are equal in bfloat16, and the choice falls among them"),
        "choose first, and cast what was chosen: `x.topk(2).values.half()`",
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
        "cast `self` before add, at train.py:8: .to(torch.float32)",
        "use an eps that float16 holds, at train.py:8: `1e-4`, or `torch.finfo(x.dtype).tiny`",
    ),
    "difference-cancels": (
        _lost(
            "difference-cancels",
            "sub",
            "self",
            "bfloat16",
            "float32",
            "numbers of 1 leave 0.00124, and bfloat16 has rounded each by up to 0.00391",
            "kl = 1 + logvar - logvar.exp()",
        ),
        "sub leaves mostly rounding: numbers of 1 leave 0.00124, and bfloat16 has rounded each by up to 0.00391",
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
        "to cuts fractions off: numbers between 0 and 1 become 0 or 1 in uint8",
        "keep float32, at train.py:8, or scale to the integers first: `(x * 255).round()`",
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
        ("AdamW: weights that do not feel their updates: a step of about 1e-5 is below half of bfloat16's "
        "spacing at 0.0361, 0.000122"),
        "keep what is trained in float32, at train.py:8, and compute under torch.autocast",
        "keep float32 masters, or an optimizer that rounds stochastically",
    ),
    "integer-rounds": (
        _lost(
            "integer-rounds",
            "to",
            "self",
            "int64",
            "float32",
            "1000 distinct numbers become 507, up to 999: bfloat16 has every whole number up to 256",
            "t = timesteps.to(torch.bfloat16)",
        ),
        ("to rounds whole numbers: 1000 distinct numbers become 507, up to 999: bfloat16 has every whole "
        "number up to 256"),
        "keep them in float32, at train.py:8, and cast what is computed of them",
    ),
    "integer-wraps": (
        _lost(
            "integer-wraps",
            "sub",
            "self",
            "uint8",
            "int32",
            "numbers reach -255, below 0, where uint8 begins anew",
            "difference = first - second",
        ),
        "sub wraps around: numbers reach -255, below 0, where uint8 begins anew",
        "cast `self` before sub, at train.py:8: .to(torch.int32)",
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
        "cross_entropy_loss in a half dtype: the loss is a bfloat16 number, of two to three digits",
        "cast `self` before cross_entropy_loss, at train.py:8: .to(torch.float32)",
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
        "mul makes nan: 4 of 6 numbers are 0 * inf",
        "leave the numbers out instead of multiplying by 0, at train.py:8: `x.masked_fill(mask, 0)`",
        "write p * log(p) as one function, at train.py:8: `torch.xlogy(p, p)`",
    ),
    "number-overflows": (
        _lost(
            "number-overflows",
            "pow",
            "self",
            "float16",
            "float32",
            "numbers reach 1.6e5, float16 ends at 65504",
            "variance = x.pow(2).mean(-1)",
        ),
        "pow overflows: numbers reach 1.6e5, float16 ends at 65504",
        "cast `self` before pow, at train.py:8: .to(torch.float32)",
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
        "add up logarithms, at train.py:8: `p.log().sum(dim)`",
    ),
    "row-masked-whole": (
        _lost(
            "row-masked-whole",
            "softmax",
            "self",
            "float32",
            "",
            "1 of 8 rows are -inf throughout",
            "weights = scores.softmax(-1)",
        ),
        "softmax gives nan: 1 of 8 rows are -inf throughout",
        "mask with a finite number instead of -inf, before train.py:8: `torch.finfo(x.dtype).min`",
        "leave out the rows that have nothing",
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
        "Categorical: float16 probabilities add up to 1 within 0.001; torch.distributions rejects a sum that is off by 1e-6",
        "give it logits in float32, at train.py:8: `torch.distributions.Categorical(logits=x.float())`",
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
        "give torch.autocast the type of device that the tensors are on, at train.py:8: `x.device.type`",
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
        "`F.logsigmoid(x)` of what the sigmoid is given, or `F.binary_cross_entropy_with_logits`",
    ),
    "scaler-misused": (
        _lost(
            "scaler-misused",
            "clip_grad_norm_",
            "param",
            "float32",
            "",
            "gradients are clipped while they are scaled: unscale_ comes first",
            "clip_grad_norm_(net.parameters(), 1.0)",
        ),
        "gradients are clipped while they are scaled: unscale_ comes first",
        "call scaler.unscale_(optimizer) once, between backward and train.py:8: scaler.step knows",
    ),
    "state-in-half": (
        _lost(
            "state-in-half",
            "AdamW",
            "param",
            "bfloat16",
            "float32",
            "exp_avg_sq is bfloat16, as the parameters are: a factor of 0.999 changes none of its numbers, so it "
            "never falls",
            "optimizer = AdamW(net.parameters())",
            form="factor",
        ),
        ("AdamW: exp_avg_sq is bfloat16, as the parameters are: a factor of 0.999 changes none of its numbers,"
        " so it never falls"),
        "keep what is trained in float32, and compute under torch.autocast",
        "use a factor that bfloat16 holds: a beta2 of 0.95",
    ),
    "sum-stalls": (
        _lost(
            "sum-stalls",
            "cumprod",
            "self",
            "bfloat16",
            "float32",
            "1000 factors one after the other in bfloat16, which has 256 steps between a number and its double",
            "alphas_cumprod = alphas.cumprod(0)",
        ),
        ("cumprod accumulates too coarsely: 1000 factors one after the other in bfloat16, which has 256 "
        "steps between a number and its double"),
        "accumulate in float32, at train.py:8: `x.float().cumprod(dim)`",
    ),
    "update-absorbed": (
        _lost(
            "update-absorbed",
            "lerp_",
            "self",
            "bfloat16",
            "float32",
            "a step of 1e-4 of the way is below half of bfloat16's spacing, 0.00391 of a number",
            "average.lerp_(weight, 1e-4)",
            form="average",
        ),
        "lerp_ changes nothing: a step of 1e-4 of the way is below half of bfloat16's spacing, 0.00391 of a number",
        "keep the average in float32, where it is made: `x.detach().float().clone()`",
    ),
    "widened-by-one-number": (
        _lost(
            "widened-by-one-number",
            "mul",
            "other",
            "float32",
            "bfloat16",
            "bfloat16 of 128 KiB becomes float32, 128 KiB more, by a tensor of 1 element",
            "x = x * scale",
        ),
        "mul widens its result: bfloat16 of 128 KiB becomes float32, 128 KiB more, by a tensor of 1 element",
        "give `other` the dtype of the other, where it is made, or no dimension",
        "cast the result back, after train.py:8: .to(torch.bfloat16)",
    ),
}  # fmt: skip
