"""Numbers that are no longer finite: what torch, trainers and NumPy say of them, mostly without a word of the dtype."""

from ..pattern import OpClue, Pattern

_BECOMES = (
    "[|:|=|is|are|was|of|becomes|become|became|turns|turned|turns to|turn to|turned to|turns into|turned into|goes to|goes|went|"
    "went to|to|as|value is|values are|suddenly becomes|suddenly became|always|gets|got|keeps|stays|shows|showing|becoming|"
    "returns|being|s are|es are|es become|es became]"
)
_LOW = "fp16|bf16|float16|bfloat16|half precision|mixed precision|fp8|autocast"
_NONE = ("nonan", "avoidnan", "avoidsnan", "preventnan", "preventsnan", "withoutnan", "withoutanynan", "found0nan", "ifnan", "notnan")
"""No NaN at all."""
_NOT_A_LOSS = (
    "nanm", "nans(", "nansum", "nan_", "nanom", "nanos", "loss:nan-", "val_loss:nan", "val_loss=nan", "valloss:nan", "valloss=nan",
    "valid_loss:nan", "validationloss:nan", "eval_loss:nan", "eval_loss=nan", "evalloss:nan", "test_loss:nan", "test_loss=nan",
    "ifloss", "loss:info", "loss:infer", "nanloss=", "nanloss:true", "nanloss:false", "nanloss(", "nanloss_", "vallossnan", "vallossisnan",
    "validlossnan", "validationlossnan", "evallossnan", "testlossnan", *_NONE,
)  # fmt: skip
"""Code, options, and losses of what was not measured: there may be no validation set."""

PATTERNS = (
    Pattern(
        name="nan-in-backward", category="overflow-nan",
        texts=(
            "Function [|']{op:name}[|'] returned nan values in its {n:int}[th|st|nd|rd] output",
            "{op:name} nan values in its {n:int}[th|st|nd|rd] output",
            "function [|']{op:name}[|'] [returning|returned|returns] nan",
        ),
        raised_by="with torch.autograd.detect_anomaly():\n    torch.sqrt(torch.zeros(1, requires_grad=True)).mul(0.0).sum().backward()",
    ),
    Pattern(
        name="loss-is-nan", category="overflow-nan", op="loss", library="",
        texts=(
            "[Error: |]Loss is [nan|inf|NaN], stopping training",
            "loss is [nan|inf|NaN or Inf|nan or inf|not finite]",
            "The loss returned in {...} is [nan|inf]",
            "found [NaN|Inf] in local forward loss",
            "Loss became infinite or NaN at iteration",
            f"loss[|_step|_epoch|_total]{_BECOMES}[nan|NaN's]",
            "[function|policy|critic|actor|surrogate|total|train|training] loss[:|=] [inf|infinity]",
            "[NaN|nan|NANs] [loss|losses]",
            "[loss|losses]{...}[becomes|become|turns to|turns into|turned to|turned into|goes to|always|all|went|still|explodes to] nan",
            "[loss|损失]{...}[变为|变成|变成了|出现|为|成了|成] nan",
            f"[{_LOW}] [causes|gives|returns|produces|leads to|results in|yields|outputs] [|all |only ]nan",
        ),
        unless=_NOT_A_LOSS,
        examples=(
            "Loss is nan, stopping training",
            "ValueError: The loss returned in `training_step` is nan or inf.",
            "Unexpected result nan (message='found NaN in local forward loss calculation')",
        ),
    ),
    Pattern(
        name="losses-printed-nan", category="overflow-nan", op="loss", library="",
        texts=(
            "losses[:|=] nan",
            "[rewards/chosen|rewards/rejected|rewards/margins|logps/chosen|logps/rejected|logits/chosen|logits/rejected]: nan",
        ),
        unless=("val_loss", "valloss", "eval_loss", "test_loss", "valid_loss", *_NONE),
        part_of=("loss became", "loss is"),
    ),
    Pattern(
        name="gradient-not-finite", category="overflow-nan", op="clip_grad_norm_", library="",
        texts=(
            "gradient norm is [nan|inf|NaN]",
            "[grad_norm|grad norm|gradient_norm]: [nan|inf|NaN],",
            "[grad_norm|grad norm|gradient norm|gnorm][:|=| =| is| of] [nan|inf]",
            "found [NaN|Inf] in local grad norm",
            "The total norm of order {...} for gradients from `parameters` is non-finite",
        ),
        raised_by=(
            "p = torch.ones(2, requires_grad=True)\np.grad = torch.tensor([float('nan'), 1.0])\n"
            "torch.nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)"
        ),
        examples=(
            "FloatingPointError: gradient norm is nan",
            "The run ends with a 'grad_norm' of NaN under fp16",
            "AssertionError: Rank 3: found NaN in local grad norm in backward pass before data-parallel communication",
        ),
    ),
    Pattern(
        name="values-not-finite", category="overflow-nan", op="loss", library="",
        texts=(
            "[NaN|nan|Nan|NaNs] [or|and|/] [Inf|inf|infinite]{...} [found|detected|encountered] in",
            "NaN or Inf found in input tensor",
            "Detected [inf|nan] [or|and/or] [nan|inf] values in",
            "Detected [inf|nan|inf/nan] [values in|during batch_number]",
            "inf/nan detected, aborting as there is no point running further",
            "[non-finite|Non-finite|nonfinite] values",
            "tensor([nan, nan, nan",
            "found [nan|inf] in [observations|rewards|actions]",
            "[NaN/Inf|Inf/NaN|NaN or Inf|Inf or NaN] in [|the |predicted ][output|grad|gradient|loss|hidden|logit|dq|dk|dv|wgrad|activation|weight|box]",
            "NaN [found|detected|encountered] in {where:name}",
            "[Error|Exception]: [NaN|nan|NaNs|Inf|inf] in {where:name}",
            f"nan [output|outputs|values|results] [in|with] [{_LOW}]",
        ),
        op_clues=(OpClue(place="calls"),), part_of=("but found invalid values",),
        unless=("inputxcontains", "inputcontains", "column", "dataframe", "csv", *_NONE),
        examples=(
            "Detected inf/nan during batch_number=0",
            "ValueError: DebugUnderflowOverflow: inf/nan detected, aborting as there is no point running further.",
            "Detected nan and/or inf values in `layer.weight`. Check your forward pass for numerically unstable operations.",
        ),
    ),
    Pattern(
        name="finite-asserted", category="overflow-nan", op="NaN check", library="",
        texts=(
            "assert not [|(|torch.any(|torch.all(]torch.[isnan|isinf]({...}AssertionError",
            "assert [|(|torch.all(]torch.isfinite({...}AssertionError",
            "assert [|(]torch.[isnan|isinf]({...})[.sum()|.any()|.sum().item()|.any().item()|.long().sum()] [==|is] [0|False]{...}AssertionError",
        ),
        examples=(
            "    assert torch.isnan(scores).sum() == 0\nAssertionError",
            "    assert torch.isfinite(loss).all(), step\n           ^^^^^^^^^^^^^^^^^\nAssertionError: 12",
            "    assert not torch.isnan(hidden).any()\nAssertionError",
        ),
    ),
    Pattern(
        name="probabilities-not-finite", category="overflow-nan", op="multinomial",
        texts=(
            "probability tensor contains either inf, nan or[ element < 0|]",
            "invalid multinomial distribution (encountering probability entry [< 0|= infinity or NaN])",
        ),
        implies=("logits-not-finite",), raised_by="torch.multinomial(torch.tensor([float('nan'), 1.0]), 1)",
    ),
    Pattern(
        name="deviation-not-positive", category="overflow-nan", op="normal",
        texts=("normal expects all elements of std >= 0.0",), implies=("run-diverges",),
        raised_by="torch.normal(torch.zeros(1), torch.full((1,), float('nan')))",
    ),
    Pattern(
        name="nans-in-unet", category="overflow-nan", op="NaN check", library="stable-diffusion-webui",
        texts=("tensor with [all |]NaNs was produced in [the |]{where:name}",), implies=("activations-overflowed",),
    ),
    Pattern(
        name="image-cast-invalid", category="overflow-nan", op="astype", library="numpy",
        texts=("invalid value encountered in cast images",), implies=("activations-overflowed",),
    ),
    Pattern(
        name="numpy-cast-overflow", category="overflow-nan", op="astype", library="numpy",
        texts=("RuntimeWarning: overflow encountered in cast",), implies=("value-past-dtype",),
    ),
    Pattern(
        name="probabilities-in-half", category="overflow-nan", op="distribution",
        texts=("to satisfy the constraint Simplex(), but found invalid values: tensor({...}dtype=torch.[bfloat16|float16]",),
        unless=("nan", "inf"),
        raised_by="torch.distributions.Categorical(probs=torch.full((2, 7), 0.17, dtype=torch.bfloat16))",
    ),
    Pattern(
        name="distribution-nan", category="overflow-nan", op="distribution",
        texts=(
            "of distribution {op:name}({...} to satisfy the constraint {...} but found invalid values: tensor({...}nan",
            "The parameter {arg:name} has invalid values",
            "of the distribution {op:name}({...} but found invalid values:{...}nan",
        ),
        unless=("float64",), raised_by="torch.distributions.Normal(torch.tensor([float('nan')]), torch.ones(1))",
    ),
)
