"""Text -> the pattern it is an instance of. Of several, the one that spells most of the message wins."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from operator import methodcaller

from ..core.frozen import dataclass
from ..core.regex import regex
from .pattern import Pattern, patterns
from .sentence import spoken
from .squash import Normalized, squash
from .template import Match, Template

_LETTERS = 4
"""So many letters of a literal are looked up before it is looked for."""
RAISED = ("rror:", "xception:", "warning:", "assert")
"""The prefixes of nearly every message."""
_BRIEF = 110
"""Letters of the first sentence of what was logged as an error and names no exception: longer ones are prose."""
_STOP = regex(r"(?<!\bvs)[.!?](?=\s+[A-Z])")
_MUSED = regex(
    r"\b[Ii] (?:think|guess|believe|wonder)\b|\b(?:[Cc]ould|[Cc]an|[Dd]o) you\b|\b[Mm]aybe\b"
    r"|^\W{0,3}(?:[Ww]hy|[Hh]ow|[Ww]hat|[Ww]hich|[Ii]s|[Aa]re|[Dd]oes|[Cc]an|[Ss]hould)\b[^?]*\?\s*$"
)
"""Phrases of people, not of programs."""
ENGINES = (
    "tensorrt", "[trt]", "openvino", "executorch", "et_metal", "directml", "rknn", "qnn", "hailo", "neuron",
    "ncc_", "opconversion",
)  # fmt: skip
"""Words of what runs torch's models elsewhere, whose messages name no exception."""
# fmt: off
_OURS = (
    "fp8", "float8", "bf16", "bfloat16", "nvfp4", "mxfp4", "nf4", "torch", "triton", "vllm", "sglang",
    "yourgpu", "thisgpu", "npu", "xpu", "deepspeed", "autocast", "onnx", "coreml", "bitsandbytes",
    "tritonclient", *ENGINES,
)
# fmt: on
# fmt: off
ANCHORS = (
    *RAISED, "type", "support", "expect", "device", "tensor", "implemented", "overflow", "nan", "finit",
    "is inf", "inf value", "inf check", "scale", "must", "invalid", "cast", "precision", "fp16", "f16",
    "gpus", "kernel", "operator found", "quantization method", "compiled with", "nvidia driver",
    "arguments from the", "compatible with", "element type", "cuda setup", "executionprovider",
    "onnxruntime_providers", "driver version", "can't load c++", "capability", "gpu arch", "is too old",
    "init: failed", "gpu found", "libcuda", "amdgpu", "cuda binary", "tensilelibrary", "xla configuration",
    "initialization fail", "cuda runtime error", "cuda unknown", "cuda initialization", "cuda arch",
    "without aten_cuda", "without cuda", "without gpu", "dummy base class", "no attribute",
    "restore data location", "libbitsandbytes", "accelerator", "use gpu", "is_available()", "gpu is ",
    "'gpu-name'", "recognized processor", ".target sm_", "unknown error", "usable gpu", "visible gpus",
    "this version of pytorch", "compatible gpu", "initialized on gpu", "shaderinfo", "v cache", "loss: inf",
    "loss=inf", "load_in_", "merge lora",
)
# fmt: on
"""Words in lower case.

A line without any of them matches no pattern, which a test checks for every template; a few that never occur without
the exception's name have none. At most 128: with more, ahocorasick-rs does not look at many bytes at once, and a log
takes twice as long.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A pattern, and where and how it matched."""

    pattern: Pattern
    match: Match
    message: Normalized


@lru_cache(maxsize=2048)
def recognise(text: str, *, logged: bool = False) -> Recognised | None:
    """Return the pattern that a text is an instance of, or None. At most `squash.LONGEST` characters are read.

    Of a text that was `logged` as an error sentences are read, too, that stand behind no exception's name.
    Logs repeat themselves: what was asked lately is remembered.
    """
    message = squash(text)
    best = _by_templates(message)
    if best is None or not (best.pattern.library or best.match.values):
        # of a message of no known origin, what says more of its operands
        by_words = _by_sentences(message, logged=logged)
        if (
            by_words
            and _tells_more(by_words, best)
            and (not best or _claimed(by_words))
        ):
            best = by_words
    return best if best and _claimed(best) else None


def _tells_more(by_words: Recognised, best: Recognised | None) -> bool:
    """Check whether a sentence says more than the template of no known origin that fits, if one does."""
    if best is None or best.pattern.faint:
        return True
    return bool(by_words.match.values) and not by_words.pattern.faint


def _claimed(found: Recognised) -> bool:
    """Check whether a pattern that fits is what the message means."""
    if any(word in found.message.text for word in found.pattern.unless):
        return False
    read = {value.dtype for value in found.match.values.values()}
    return not found.pattern.differ or len(read) > 1


def _by_templates(message: Normalized) -> Recognised | None:
    """Return the template that spells most of the message, of equal ones the first."""
    templates, beginnings = _index()
    text = message.text
    there = {"", *(text[at : at + _LETTERS] for at in range(len(text)))}
    literals = chain.from_iterable(
        beginnings[beginning] for beginning in there & beginnings.keys()
    )
    tried = sorted(
        chain.from_iterable(numbers for literal, numbers in literals if literal in text)
    )
    matches = (
        (templates[number][0], templates[number][1].match(message))
        for number in dict.fromkeys(tried)
    )
    fits = (
        Recognised(pattern=pattern, match=match, message=message)
        for pattern, match in matches
        if match
    )
    return max(
        fits, key=lambda fit: (not fit.pattern.faint, fit.match.said), default=None
    )


def _by_sentences(message: Normalized, *, logged: bool) -> Recognised | None:
    """Return the sentence that fits best.

    No faint one, then the one with the most dtypes or devices, then the longest.
    """
    words = raised = spoken(message)
    opening = _opening(message) if logged and raised is None else ""
    if opening:
        words = spoken(opening, logged=True)
    if words is None:
        return None
    ours = raised or any(map(_squashed(opening).__contains__, _OURS))
    fits = (
        Recognised(pattern=pattern, match=match, message=message)
        for pattern in patterns()
        for match in filter(None, map(methodcaller("match", words), pattern.sentences))
        if ours or _is_refused(pattern, match)
    )
    return max(
        filter(_claimed, fits),
        key=lambda fit: (not fit.pattern.faint, len(fit.match.values), fit.match.said),
        default=None,
    )


def _is_refused(pattern: Pattern, match: Match) -> bool:
    """Check whether it says that a dtype is refused: of what names no exception nothing else is believed."""
    return (
        pattern.category == "unsupported-dtype"
        and not pattern.faint
        and bool(match.values)
    )


def _opening(message: Normalized) -> str:
    """Return the first sentence of a text without an exception, if it is short; "" for prose."""
    if _MUSED.search(message.source):
        return ""
    ends = _STOP.search(message.source)
    opening = message.source[: ends.start()] if ends else message.source
    return opening if len(_squashed(opening)) <= _BRIEF else ""


def _squashed(text: str) -> str:
    return squash(text).text


@cache
def _index() -> tuple[
    tuple[tuple[Pattern, Template], ...],
    Mapping[str, Sequence[tuple[str, Sequence[int]]]],
]:
    """Return every template, and the literals of which one must occur in a text before its template is tried.

    The literals are kept by how they begin, for a text has fewer beginnings than there are literals.
    """
    templates = tuple(
        (pattern, template) for pattern in patterns() for template in pattern.templates
    )
    known = _literals()
    numbers: dict[str, list[int]] = {}
    for number, (_, template) in enumerate(templates):
        for literal in known.get(template.text) or template.literals:
            numbers.setdefault(literal, []).append(number)
    beginnings: dict[str, list[tuple[str, list[int]]]] = {}
    for literal, found in numbers.items():
        beginning = literal[:_LETTERS] if len(literal) >= _LETTERS else ""
        beginnings.setdefault(beginning, []).append((literal, found))
    return templates, beginnings


def _literals() -> Mapping[str, Sequence[str]]:
    """Return the literals by the text of a template, where the build wrote them: reading takes a tenth of finding."""
    try:
        written = pkgutil.get_data(__package__, "literals.json")
    except FileNotFoundError:
        written = None
    read: dict[str, list[str]] = json.loads(written or b"{}")
    return read
