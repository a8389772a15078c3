"""Errors that state of two things what each is, and leave it to the reader that these should be the same."""

from __future__ import annotations

from ..pattern import OpClue, Pattern
from .refusals import NO_DTYPES

_ARE = "[is|are|has|have|was|were|in|be|type|dtype|types|dtypes|precision|expects|uses|using]"
_OF = "[|dtype |in |of dtype |of type |type |kept in |stored in |stored as |loaded in |loaded as |torch dtype |a |in dtype ]"
_CONTRAST = "[but|while|whereas|instead of|rather than|where|versus|against|and not|although|yet]"

PATTERNS = (
    Pattern(
        name="two-dtypes-stated",
        category="dtype-mismatch",
        texts=(
            f"{_ARE} {_OF}{{a:plain}} {{..}}{_ARE} {_OF}{{b:plain}}",
            ("[activation|activations|input|inputs|weight|weights|lhs|query|q|a|x|src|source|grad|gradient] {a:plain} {.}"
            "[weight|weights|input|inputs|rhs|key|k|b|y|dst|destination|bias|param|parameter|output] {b:plain}"),
            "block {a:plain} {..}block {b:plain}",
            f"{{a:plain}} {{.}}{_CONTRAST} {{.}}{{b:plain}}",
            "{a:plain} {.}[vs|vs.|versus] {.}{b:plain}",
            "{.}dtype != {.}dtype {..}{a:plain} {..}{b:plain}",
            "[assign|assigning|copy|copying|load|loading|write|store|insert|merge] {.}{a:plain} {..}[to|into|in] {.}{b:plain}",
        ),
        op_clues=(OpClue(place="calls"),),
        library="",
        spoken=True,
        faint=True,
        differ=True,
        unless=NO_DTYPES,
        examples=("ValueError: LoRA weights are torch.float32; base model weights are torch.bfloat16.",),
    ),
    Pattern(
        name="two-devices-stated",
        category="device-mismatch",
        texts=(
            "[on|at|in] [|device ]{a:place} {..}[while|but|whereas|and|vs] {..}[on|at|in] [|device ]{b:place}",
            "device {..}{a:place} {.}[does not match|doesn't match|differs from|is not|mismatches|is different from|disagrees with|!=|vs] {..}{b:place}",
            "{a:place} {.}[does not match|doesn't match|differs from|is different from] {.}device {b:place}",
            "device type {a:place} {.}to {..}device type {b:place}",
            "{a:place} [!=|vs|vs.] {.}{b:place}",
            "expected {a:place} {.}[got|but got|found|received] {.}{b:place}",
            "[got|found|received] [|a |an ]{a:place} [tensor|tensors|input] {.}{b:place} {.}[expected|required|needed|wanted]",
            "on both [|the ]{a:place} and [|the ]{b:place}",
            "[live|reside|lie|sit|stay|remain] on [|the |a |one ][same|single|one] [device|GPU]",
            "[live|reside|lie|sit|stay|remain] on one [device|GPU]",
        ),
        op_clues=(OpClue(place="calls"),),
        library="",
        spoken=True,
        unless=(*NO_DTYPES, "rank", "outofmemory", "driver"),
        examples=("ValueError: generator device cuda does not match tensor device cpu",),
    ),
    Pattern(
        name="expression-asserted",
        category="dtype-mismatch",
        texts=(
            "[AssertionError|RuntimeError|assertion failed]: {a:name}.dtype[()|] [==|!=|in|is] {...}",
            "AssertionError] assert {...}dtype [==|is|in] {expected}",
            "AssertionError: assert {...}dtype [==|is|in] {expected}",
            "assert {...}.dtype [==|is|in] torch.{expected}{...}error",
        ),
        op_clues=(OpClue(place="calls"),),
        library="",
        faint=True,
        examples=("AssertionError: query.dtype == key.dtype == value.dtype",),
    ),
    Pattern(
        name="two-precisions-asked",
        category="precision-config",
        texts=(
            "{a:plain} {.}[and|with] {.}{b:plain} {.}[both|simultaneously|together|at once|mutually exclusive|at the same time|exclude each other]",
            "[cannot|can't|can not|not|only one of|more than one of] {.}both {.}{a:plain} and {.}{b:plain}",
            "{a:plain} {.}[conflicts|conflict|clashes|contradicts] with {..}{b:plain}",
        ),
        op_clues=(OpClue(op="DeepSpeed config", place="message", words=("deepspeed", "ds_config")),),
        library="",
        spoken=True,
        faint=True,
        differ=True,
        unless=NO_DTYPES,
        implies=("settings-disagree",),
        examples=("ValueError: bf16=True and fp16=True were both passed",),
    ),
)
