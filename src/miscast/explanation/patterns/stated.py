"""Errors that state of two things what each is, and leave it to the reader that these should be the same."""

from __future__ import annotations

from ..pattern import OpClue, Pattern
from .refusals import NO_DTYPES

_ARE = "[is|are|has|have|was|were|in|be|type|dtype|types|dtypes|precision|expects|uses|using]"
_OF = "[|dtype |in |of dtype |of type |type |kept in |stored in |stored as |loaded in |loaded as |torch dtype |a |in dtype ]"

PATTERNS = (
    Pattern(
        name="two-dtypes-stated",
        category="dtype-mismatch",
        texts=(
            f"{_ARE} {_OF}{{a:plain}} {{..}}{_ARE} {_OF}{{b:plain}}",
            ("[activation|activations|input|inputs|weight|weights|lhs|query|q|a|x|src|source|grad|gradient] {a:plain} {.}"
            "[weight|weights|input|inputs|rhs|key|k|b|y|dst|destination|bias|param|parameter|output] {b:plain}"),
            "block {a:plain} {..}block {b:plain}",
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
        texts=("[AssertionError|assertion failed]: {a:name}.dtype[()|] [==|!=|in|is] {...}",),
        op_clues=(OpClue(place="calls"),),
        library="",
        faint=True,
        examples=("AssertionError: query.dtype == key.dtype == value.dtype",),
    ),
)
