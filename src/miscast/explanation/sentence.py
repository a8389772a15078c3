r"""Match an error in ordinary words, word by word, for messages of no known origin.

    >>> sentence = Sentence("[must|should] be {expected:exact}[, |, but ]got {found:exact}")
    >>> match = sentence.match(spoken("ValueError: the mask must be torch.bool, but got `torch.float16`"))
    >>> match.values["found"].dtype
    'float16'

The language is that of `template.py`, but nothing is squashed: a word is a word, so "on" is not found in "position",
and alternatives may be many. A text is reduced to words in lower case; each dtype becomes one sign, each device
another; what is left is one regular expression whose gaps are bounded. Searched from the name of the exception on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from ..core.frozen import dataclass
from ..core.regex import regex
from .spelling import DEVICES, Value, elements, read_device, read_dtype
from .squash import Normalized
from .template import Match

_DTYPE, _DEVICE, _FORMAT = "\x01", "\x02", "\x03"
_SIGNS = {"exact": f"[{_DTYPE}{_FORMAT}]", "plain": _DTYPE, "place": _DEVICE}
"""A dtype or a format, a dtype only, a device."""
_ANY = frozenset((_DTYPE, _DEVICE, _FORMAT))
_LONGEST = 1500
"""No more of what stands behind the name of the exception is read."""
_GOES_ON = regex(r"\. (?=(?:[Gg]ot|[Ff]ound|[Rr]eceived|[Bb]ut got)\b)|(?<=\bvs)\. ")
"""A full stop behind which the sentence goes on: "must be float. Got …"."""
_WORD = regex(
    r"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::)[A-Za-z_][A-Za-z0-9_]*)*(?::\d{1,3}(?!\d))?|\d+(?:\.(?:\d+|x\b))*|!=|==|\S"
)
_IS = frozenset({"is", "are", "was", "were"})
_FORM = regex(r"\[[^\]]*\]|\{[^}]*\}|[^\[{]+")
_RAISED = regex(
    r"[Ee]rror|ERROR|[Ee]xception|[Aa]ssert|Warning|WARNING"
    r"|\.(?:cpp|cc|cu|h|hpp|cuh|mm):\d{1,6}[\]:]|\[E\]|Check '|what\(\):|[Ff]ail(?:ed|s)\b|FATAL"
    r"|\[(?:[Bb][Uu][Gg]|BUG|[Ii]ssue|FIXED)\]|\bE(?:[A-Z]|RR\d)\d{4}\b|报错|错误"
)
"""The prefix of an error: an exception's name, or C++'s log format ("[method.cpp:825] Input 0 has …")."""
_MILD = regex(r"\[[WIV]\]")
"""Engines' marks, before the file name, of log lines that are no errors."""
_BEGIN = regex("")
_PYTHON = frozenset({
    "float", "int", "bool", "char", "byte", "short", "long", "complex", "half",
    "double", "boolean", "integer", "number",
})  # fmt: skip
_NARROW = frozenset({
    "fp8", "float8", "fp4", "nf4", "int4", "uint4", "mxfp4", "mxfp8", "nvfp4", "fp6",
    "bfp4_b", "bfp8_b", "bfp4", "bfp8",
    "mxfp6", "mx_fp4", "mx_fp8", "nv_fp4",
})  # fmt: skip
"""Names of formats, not of one dtype of torch."""
_BEFORE = frozenset(
    {"type", "types", "dtype", "dtypes", "support", "supports", "tensor"}
)
_BEHIND = frozenset({"dtype", "dtypes"})
"""Words that follow only a dtype: "double dtype"."""
_FOLLOWING = frozenset(
    {"precision", "is", "are", "dtype", "tensor", "tensors", "types", "did"}
)
"""Words that may follow a dtype at a sentence's start."""
_PRECISIONS = {"half": "float16", "single": "float32", "double": "float64"}
_SILENT = frozenset("\"'`*\u201c\u201d\u2018\u2019()[]{}<>,;:=\u2502|~\\/-?")
_PLACES = frozenset((*DEVICES, "gpu"))
_ALSO = {
    "gpus": "gpu", "rocm": "hip", "tpu": "xla", "tpus": "xla", "sycl": "xpu", "xpus": "xpu", "npus": "npu",
    "ascend": "npu", "gaudi": "hpu", "habana": "hpu", "neuron": "xla",
}  # fmt: skip
"""Other names for devices in sentences."""
_NAMED = regex(r"\{([^{}:]+):")
_NOT_BETWEEN = (
    "shape|shapes|size|sizes|dim|dims|dimension|dimensions|rank|ndim|length|stride|strides|layout|contiguous|"
    "divisible|multiple|multiples|aligned|alignment|elements|bytes|rows|columns|version|installed|install|package|"
    "module|built|compiled|missing|checkpoint|file|path|column-major|row-major|specified|provided|positive|even|"
    "for|when|if|unless|because|since|than|during|names|keys|not|variable"
)
"""Words across which a dtype is not what is demanded: "FP8 tensors must have dims divisible by 16"."""
_KERNEL_OF = (
    r"bf16|f16|fp16|f32|fp32|f64|fp64|fp8|e4m3\w*?|e5m2\w*?|[us]?int(?:8|16|32|64)|[ui](?:8|16|32|64)|half|bfloat16|"
    r"float16|float32|nvfp4|mxfp4|mxfp8"
)
_GAPS = {
    "kernel": rf" (?=[a-z]\w*_|(?:{_KERNEL_OF})_)\w*?(?<![a-z0-9])(?:{_KERNEL_OF})(?=[_ ])\w*",
    "gpu": (
        r" (?:sm_?\d[\dx]{1,2}[a-z]?|sm \d+|gfx\w+|compute_\d\w*|(?:compute |device |cuda )?capability(?: \d+)?|"
        r"gpu arch\w*|cuda arch\w*|hopper|blackwell|ada|ampere|turing|volta|pascal|maxwell|kepler|rubin|[cr]dna ?\d?|"
        r"[abhlv]\d{2,3}|gb\d{3}|mi\d{3}\w*|gaudi\d|ascend\d\w*|trn\d|inf\d)"
    ),
    "plain": r"(?! (?:\d|version|toolkit|driver|graph|graphs|stream|streams|ipc|\d+\.\d+|memory|capability|arch))",
    "end": r"(?= (?:$| |!))",
    ".": rf"(?: (?!(?:{_NOT_BETWEEN})(?= ))\S+){{0,4}}?",
    "..": r"(?: \S+){0,8}?",
    "...": r"(?: \S+){0,40}?",
}
_MISSPELT = {
    "surpported": "supported", "suported": "supported", "supportted": "supported", "surported": "supported",
    "supporte": "supported", "unsupport": "unsupported", "unsuported": "unsupported", "unsurported": "unsupported",
    "unsupportted": "unsupported", "nyi": "unsupported", "unimplemented": "unsupported", "dose": "does",
    "expeced": "expected", "mis-match": "mismatch", "miss-match": "mismatch", "mismatched": "mismatch",
    "mismatches": "mismatch", "mismatching": "mismatch", "incompatibility": "incompatible", "recieved": "received",
}  # fmt: skip
"""Misspellings by kernel authors, and words with equal meaning."""
_CONSTANT = regex(r"(?:at::|c10::|torch::)?k([A-Z]\w{1,20})")
"""ATen's C++ constants for a dtype or a device: "the weight's type is not kInt"."""
_COMPOUND = ("_dtype", ".dtype", "scalar_type", "scalartype", "data_type", "datatype")


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """The words of an error, and what its dtypes and devices are."""

    text: str
    """" unsupported dtype \x01": every word behind one blank."""
    values: tuple[Value, ...]
    start: int
    end: int
    """The range of the words in the squashed message."""


def spoken(message: Normalized | str, *, logged: bool = False) -> Phrase | None:
    """Return the words after an exception's first name or, if `logged` as an error, all words; None for neither."""
    source = message if isinstance(message, str) else message.source
    raised = _RAISED.search(source) or (_BEGIN.match(source) if logged else None)
    if raised is None or _is_source(source, raised.end()):
        return None
    if _MILD.search(source, 0, raised.start()):
        return None
    said = source[raised.end() : raised.end() + _LONGEST]
    tokens = ["", "", "", *_tokens(elements(said)), ""]
    known = "half" in tokens or _DTYPE in map(_sign, tokens[3:-1])
    words: list[str] = []
    values: list[Value] = []
    for index in range(3, len(tokens) - 1):
        value, sign = _read(tokens[index - 3 : index + 2], known=known)
        if value is None:
            words += _plain(tokens[index])
        else:
            words.append(sign)
            values.append(value)
    before = len("".join(source[: raised.end()].split()))
    return Phrase(
        text=" " + " ".join(words) + " ",
        values=tuple(values),
        start=before,
        end=min(before + _LONGEST, len(source)),
    )


def _is_source(text: str, behind: int) -> bool:
    """Check whether a text begins with the line that raises; its message, filled in, is below it."""
    return text.lstrip("+-| \t").startswith(
        ("assert ", "raise ", "return ")
    ) or text.startswith(('(f"', "(f'"), behind)


def _tokens(text: str) -> list[str]:
    # a full stop ends a sentence, and no sentence of ours goes on behind it
    found = _WORD.findall(_GOES_ON.sub(" ", text))
    return [token for token in found if token not in _SILENT]


def _read(near: list[str], *, known: bool) -> tuple[Value | None, str]:
    """Return the dtype or device of a token and its sign, from the three tokens before it and the one after it.

    `known` is whether a dtype is named anywhere: then a word that Python has too may be one.
    """
    amount, of, before, token, following = near
    # "Double buffering" is no dtype
    if not before and token.lower() in _PYTHON and following.lower() not in _FOLLOWING:
        return None, ""
    value, sign = _value(token, following)
    if value is not None:
        return value, sign
    of_number = of == "of" and amount[:1].isdigit()  # "1e-07 of type 'float'"
    named = known and not of_number and _names_a_dtype(of.lower(), before.lower())
    if named or _only_a_dtype(before.lower(), following.lower()):
        return _value(token.capitalize(), "")
    return value, sign


def _names_a_dtype(of: str, before: str) -> bool:
    # "its dtype is float rather than Long"
    return before in _BEFORE or (before in _IS and of.endswith("dtype"))


def _only_a_dtype(before: str, following: str) -> bool:
    """Check whether only a dtype fits between two tokens, even Python's word: "with dtype bool", "support double"."""
    supports = before in ("support", "supports") and following in {"", "."}
    return supports or not _BEHIND.isdisjoint((before, following))


def _plain(token: str) -> list[str]:
    """Return a token that is no dtype, as a word; of `q.dtype` and `kv_cache_dtype` also what it is of."""
    word = token.lower().rstrip(".")
    word = _MISSPELT.get(word, word)
    if word in ("scalar_type", "data_type", "element_type"):
        return word.split("_")
    if word.endswith(_COMPOUND) and word not in _COMPOUND:
        return [word, "dtype"]
    return [word]


def _value(token: str, following: str) -> tuple[Value | None, str]:
    """Return a token's dtype or device and its sign.

    Words that Python has too are dtypes where they are capitalised.
    """
    constant = _CONSTANT.fullmatch(token)
    if constant is not None:
        return _value(constant[1], "")
    low = token.lower()
    if low in _NARROW:
        return Value(), _FORMAT
    if low in _PRECISIONS and following.lower().startswith("precision"):
        return Value(dtype=_PRECISIONS[low]), _DTYPE
    if low in _PYTHON and not token[0].isupper():
        return None, ""
    low = _ALSO.get(low, low)
    if low.partition(":")[0] in _PLACES:
        return _whole(low, read_device), _DEVICE
    return _whole(low.removesuffix("_t"), read_dtype) if len(low) > 2 else None, _DTYPE


def _sign(token: str) -> str:
    value, sign = _value(token, "")
    return "" if value is None else sign


def _whole(
    text: str, read: Callable[[str, int], tuple[Value, int] | None]
) -> Value | None:
    """Return what a text is, if it is nothing else beside."""
    found = read(text, 0)
    return found[0] if found and found[1] >= len(text) else None


class Sentence:
    """One way to say it. Compiled where it is first asked: most messages have a template of their own."""

    def __init__(self, text: str) -> None:
        """Take a sentence. If it is malformed, `form` raises ValueError."""
        self.text = text

    @cached_property
    def form(self) -> re.Pattern[str]:
        """The sentence as a regular expression, with a group for each hole."""
        return re.compile(self._expression(self.text))

    def match(self, words: Phrase) -> Match | None:
        """Return the first match in the words of an error."""
        found = self.form.search(words.text)
        if found is None:
            return None
        values = {}
        for number, name in enumerate(_NAMED.findall(self.text), 1):
            if found[number]:
                place = found.start(number)
                signs = sum(char in _ANY for char in words.text[:place])
                values[name] = words.values[signs]
        return Match(
            start=words.start,
            end=words.end,
            values=values,
            words={},
            said=len(found[0]),
        )

    def _expression(self, text: str) -> str:
        """Return the regular expression: every word with the blank before it."""
        parts = (self._part(part) for part in _FORM.findall(text))
        return "".join(parts) + ("(?= )" if text is self.text else "")

    def _part(self, text: str) -> str:
        """Return the expression of alternatives, of a hole, or of plain words."""
        if text.startswith("["):
            return f"(?:{'|'.join(map(self._expression, text[1:-1].split('|')))})"
        if text.startswith("{"):
            return self._hole(text[1:-1])
        return "".join(
            f" {_sign(token) or re.escape(_MISSPELT.get(token.lower(), token.lower()))}"
            for token in _tokens(text)
        )

    def _hole(self, text: str) -> str:
        if text in _GAPS:
            return _GAPS[text]
        _, _, kind = text.partition(":")
        sign = _SIGNS.get(kind)
        if sign is None:
            raise ValueError(f"unknown kind of hole: {{{text}}}")
        return f" ({sign})"
