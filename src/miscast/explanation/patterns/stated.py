"""Errors that state of two things what each is, and leave it to the reader that these should be the same."""

from ..pattern import Pattern
from .refusals import NO_DTYPES

_ARE = "[is|are|has|have|was|were|in|be|type|dtype|types|dtypes|precision|expects|uses|using]"
_OF = "[|dtype |in |of dtype |of type |type |kept in |stored in |stored as |loaded in |loaded as |torch dtype |a |in dtype ]"
_CONTRAST = "[but|while|whereas|instead of|rather than|where|versus|against|and not|although|yet]"

PATTERNS = (
    Pattern(
        name="two-dtypes-stated", category="dtype-mismatch", library="", faint=True, spoken=True, differ=True,
        texts=(
            f"{_ARE} {_OF}{{a:plain}} {{..}}{_ARE} {_OF}{{b:plain}}",
            f"{{a:plain}} {{.}}{_CONTRAST} {{.}}{{b:plain}}",
            "{a:plain} {.}[vs|vs.|versus] {.}{b:plain}",
        ),
        unless=NO_DTYPES,
    ),
    Pattern(
        name="expression-asserted", category="dtype-mismatch", library="", faint=True,
        texts=(
            "[AssertionError|RuntimeError|assertion failed]: {a:name}.dtype[()|] [==|!=|in|is] {...}",
            "AssertionError] assert {...}dtype [==|is|in] {expected}",
            "assert {...}.dtype [==|is|in] torch.{expected}{...}error",
        ),
        examples=("AssertionError: query.dtype == key.dtype == value.dtype",),
    ),
)
