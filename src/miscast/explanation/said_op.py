"""The op that a sentence speaks of, or that speaks in it: "… in layer norm", "moe_gemm only supports …"."""

from __future__ import annotations

import re

from ..ops import NAMES, by
from ..regex import regex
from .operation import named
from .recognise import Recognised

_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]{3,40}")
_TWO_WORDS = regex(
    r"\b(flash|layer|group|batch|rms|cross|grid|masked|index|sparse|fused)[ -]?(attention|norm|normalization|entropy|"
    r"sample|fill|select|scatter|gather|linear|softmax)\b",
    re.IGNORECASE,
)
"""An op's name in two words: "Layer Norm", "cross entropy"."""
_FLASH = regex(r"\bflash[ _-]?att(?:entio)?n", re.IGNORECASE)
_SPOKEN = by(lambda op: op.spoken)
_SUBJECT = regex(
    r"(?:rror|xception|ailed|\d): ?.{0,40}?`?\b_?([a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6})(?:\(\)|`)?"
    r"(?: ?: |:? (?:only |currently |kernels? ){0,2}"
    r"(?:supports?|does|do|did|requires?|expects?|expected|assumes|needs|takes|"
    r"(?:is )?not (?:implemented|supported))\b)"
)
"""The function that an extension's message is of: "fp8_marlin_gemm only supports …", "moe_gemm: scales must be …"."""
_NO_SUBJECTS = regex(
    r"(?:_?d?type|_states|_device|_config|_size|_precision|_method|_bias|_weights?|_args|_kwargs|_ptr)$"
)


def spoken_of(found: Recognised) -> str:
    """An op that the message speaks of by its name in torch: "layer_norm", "cross_entropy()"."""
    message = found.message
    text = message.original(found.match.start, found.match.end) or message.source
    if _FLASH.search(text):
        return "flash_attn"
    words = (
        word
        for word in (*_NAME.findall(text), *map("_".join, _TWO_WORDS.findall(text)))
        if ("_" in word.strip("_") and not _NO_SUBJECTS.search(word))
        or word.lower() in _SPOKEN
    )
    return next(
        (
            named(word)
            for word in words
            if named(word) in NAMES or word.lower() in _SPOKEN
        ),
        "",
    )


def subject(found: Recognised) -> str:
    """The function that speaks in a message of no known origin, "" where none does."""
    if not found.pattern.spoken:
        return ""
    speaks = _SUBJECT.search(found.message.source)
    return named(speaks[1]) if speaks and not _NO_SUBJECTS.search(speaks[1]) else ""
