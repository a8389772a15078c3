"""Dtypes and devices read off the front of a squashed text, in every spelling of torch's messages since 0.4.

    >>> read_dtype("structc10::halfandfloat", 0)
    (Value(dtype='float16', device=None), 16)
    >>> read_dtype("torch.cuda.halftensor)", 0)
    (Value(dtype='float16', device='cuda'), 21)
    >>> read_device("cuda:0andcpu", 0)
    (Value(dtype=None, device='cuda:0'), 6)

Squashed (`squash.py`): lower case, without blanks and quotes. A reader takes the longest spelling that stands there.
"""

from __future__ import annotations

import re
from functools import cache

from ..core.dtypes import DTYPES
from ..core.frozen import dataclass
from ..core.regex import regex

DEVICES = (
    "cuda", "cpu", "mps", "xpu", "npu", "hpu", "meta", "xla", "hip", "mtia", "ipu",
    "mlu", "musa", "vulkan", "privateuseone", "lazy",
)  # fmt: skip
_DEVICE = regex(
    rf"({'|'.join((*DEVICES, 'gpu'))})(?:(?:,index=|:|(?<=gpu))([0-9]{{1,12}}))?"
)
_ORDINAL = regex(r"[0-9]{1,3}(?![0-9])")
_BACKENDS = (*DEVICES, "mkldnn", "sparse", "quantized")
_NAMESPACES = (
    "<class", "class", "struct", "dtype(", "dtype=", "tensor(", "c10::", "at::",
    "torch::", "torch.", "numpy.", "np.", "jnp.", "jax.numpy.", "tl.",
    "triton.language.", "variable", "dt_", "cuda_r_", "hip_r_", "scalartype::",
    "nvinfer1::", "datatype::", "datatype.", "::onnx_namespace::", "onnx_namespace::",
    "tensorproto::", "tensorproto.", "ov::", "element::", "ggml_type_", "acl_", "ge::",
    "mpsdatatype", "qnn_datatype_", "dml_tensor_data_type_", "xla::", "primitivetype::",
    "dnnl::memory::", "data_type::", "ttnn.", "thunder.dtypes.", "nccl", "hccl_data_type_", "dtype.", "type_",
)  # fmt: skip
_SHAPED = regex(
    r"!?(?:torch\.)?(?:tensor|vtensor|memref|vector)"
    r"(?:<x?(?:[0-9?]{1,9}x){0,9}|[<(]?(?:[0-9?]{1,9}[,)]){1,9},?)"
)
"""The squashed prefix of the element in a type with a shape: MLIR's, torch-mlir's, TVM's, Core ML's."""
_PRINTED = regex(
    r"!?(?:torch\.)?(?:[Tt]ensor|vtensor|memref|vector) ?[<\[(]{1,2}"
    r"(?:[0-9?*]{1,9}[x,)\] ]{1,3}){0,9}([a-zA-Z]{1,8}[0-9]{1,2}\w{0,12})\b[^<>\[\]]{0,80}?[>\]]"
)
_END_OF_TYPE = regex(r"[^<>]{0,80}>|\)")
_BIT_WIDTHS = {"": (8, 16, 32, 64), "u": (8, 16, 32, 64)}
_INTEGERS = {
    f"{spelled}{bits}": f"{sign}int{bits}"
    for sign, widths in _BIT_WIDTHS.items()
    for spelled in (("u", "ui") if sign else ("i", "s", "si"))
    for bits in widths
}
"""Compilers' integers. They are too short to be looked for: "mips64 is not supported"."""
_ELEMENTS = {**_INTEGERS, "i1": "bool"}
_SHORT = frozenset({"f16", "f32", "f64"})
_OTHERS = {
    "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "fp8e4b8": "float8_e4m3fnuz",
    "fp8e5b16": "float8_e5m2fnuz", "fp8_e4m3": "float8_e4m3fn", "fp8_e5m2": "float8_e5m2",
    "f8e4m3fn": "float8_e4m3fn", "f8e4m3nv": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2": "float8_e5m2", "f8_e4m3": "float8_e4m3fn", "f8_e5m2": "float8_e5m2", "f16": "float16",
    "f32": "float32", "f64": "float64", "16f": "float16", "32f": "float32", "16bf": "bfloat16",
    "fp8_e4m3fn": "float8_e4m3fn", "fp8_e4m3fnuz": "float8_e4m3fnuz", "fp8_e5m2fnuz": "float8_e5m2fnuz",
    "fp8_e8m0": "float8_e8m0fnu", "ue8m0": "float8_e8m0fnu", "floattensor": "float32", "__int64": "int64",
    "intc": "int32", "bool_": "bool", "bfloat": "bfloat16", "longlong": "int64",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A tensor's properties at one place of a message: its dtype, its device, or, in old type names, both."""

    dtype: str | None = None
    device: str | None = None

    def filled(self, other: Value) -> Value:
        """Return this value, with missing parts taken from the other."""
        return Value(
            dtype=self.dtype or other.dtype, device=self.device or other.device
        )


@cache
def _words() -> tuple[dict[str, str], int]:
    words = {}
    # the common ones last, so that they win
    for name, facts in reversed(list(DTYPES.items())):
        for word in (
            name,
            facts.scalar,
            facts.cpp.removeprefix("c10::"),
            *facts.aliases,
        ):
            words["".join(word.split()).lower()] = name
    # numpy's "<U32" is text
    told = {word: name for word, name in _INTEGERS.items() if len(word) > 2}
    words |= _OTHERS | {
        word: name for word, name in told.items() if word[1:2] == "i" or word[0] != "u"
    }
    return words, max(map(len, words))


@cache
def _bare() -> tuple[dict[str, str], int]:
    """Return the same words without underscores, as rarely written: float8e4m3fn."""
    words, _ = _words()
    spelled = {**{word.replace("_", ""): name for word, name in words.items()}, **words}
    return spelled, max(map(len, spelled))


def read_dtype(text: str, at: int) -> tuple[Value, int] | None:
    """Return the dtype at `at`, with its device in names like "torch.cuda.HalfTensor", and where it ends."""
    shaped = _SHAPED.match(text, at)
    if shaped is not None:
        return _element(text, shaped.end())
    start = _skip(text, at, _NAMESPACES)
    opened = text.count("(", at, start)
    found = _word(text, start)
    if found is not None and not text.startswith("type", found[1]):
        name, end = found
        return Value(
            dtype=name, device="cpu" if _tensor(text, start, end) else None
        ), _close(text, end, opened)
    device, start = _backend(text, start)
    found = _word(text, _skip(text, start, ("k",)) if device is None else start)
    if found is None:
        return None
    name, end = found
    return Value(dtype=name, device=_mapped(device)), _close(text, end, opened)


def _element(text: str, at: int) -> tuple[Value, int] | None:
    """Return the dtype of a type with a shape, from `at` after the shape, and the end of the type."""
    short = next((word for word in _ELEMENTS if text.startswith(word, at)), None)
    found = _word(text, at) or (short and (_ELEMENTS[short], at + len(short)))
    if not found:
        return None
    name, end = found
    close = _END_OF_TYPE.match(text, end)
    return Value(dtype=name), close.end() if close else end


def elements(text: str) -> str:
    """Return a text in which each type with a shape is only its dtype: "tensor<4x8xf16>" is "torch.float16"."""
    return _PRINTED.sub(_printed, text)


def _printed(found: re.Match[str]) -> str:
    low = found[1].lower()
    word = _word(low, 0)
    name = word[0] if word and word[1] == len(low) else _ELEMENTS.get(low)
    return f" torch.{name} " if name else found[0]


def find_dtype(text: str, at: int, stop: int) -> int | None:
    """Return the first place from `at` to `stop` where a dtype of at least four letters, or "f16", starts."""
    for start in range(at, min(stop, len(text))):
        read = read_dtype(text, start)
        if read is not None and (
            read[1] - start >= 4 or text[start : read[1]] in _SHORT
        ):
            return start
    return None


def find_device(text: str, at: int, stop: int) -> int | None:
    """Return the first place from `at` to `stop` where a device is named in letters."""
    places = [text.find(word, at, stop) for word in (*DEVICES, "gpu")]
    return min((place for place in places if place >= 0), default=None)


def read_dtype_before(text: str, end: int) -> tuple[Value, int] | None:
    """Return the longest dtype that ends at `end`, and where it starts."""
    for start in range(max(0, end - 40), end - 1):
        read = read_dtype(text, start)
        if read and read[1] == end and text[start:end] not in _INTEGERS:
            return read[0], start
    return None


def read_device(text: str, at: int) -> tuple[Value, int] | None:
    """Return the device that starts at `at`, with its number where it has one, and where it ends."""
    at = _skip(text, at, ("torch.", "device(type=", "device(", "device:", "device="))
    found = _DEVICE.match(text, at)
    if found:
        name = "cuda" if found[1] in ("gpu", "hip") else found[1]
        return Value(device=f"{name}:{found[2]}" if found[2] else name), found.end()
    number = _ORDINAL.match(text, at)
    return (Value(device=f"cuda:{number[0]}"), number.end()) if number else None


def _word(text: str, at: int) -> tuple[str, int] | None:
    words, longest = _bare()
    for length in range(min(longest, len(text) - at), 1, -1):
        name = words.get(text[at : at + length])
        if name is not None:
            return name, at + length
    return None


def _tensor(text: str, start: int, end: int) -> bool:
    """Check whether the word is an old CPU type: torch.FloatTensor."""
    return text.startswith("tensor", end) or text.startswith(
        "tensor", end - 6 if end - 6 > start else end
    )


def _backend(text: str, at: int) -> tuple[str | None, int]:
    """Return the old type's backend, "cuda" of torch.cuda.HalfTensor or of CUDAHalfType."""
    device = None
    for _ in range(3):
        word = next((word for word in _BACKENDS if text.startswith(word, at)), None)
        if word is None:
            break
        device = word if word in DEVICES else device
        at += len(word)
        at += text.startswith(".", at)
    return device, at


def _mapped(device: str | None) -> str | None:
    return "cuda" if device == "hip" else device


def _close(text: str, end: int, opened: int) -> int:
    """Return the end of the spelling, after "Tensor", "Type", and closing brackets that its namespace opened."""
    word = next((word for word in ("tensor", "type") if text.startswith(word, end)), "")
    end += len(word)
    while opened and text.startswith(")", end):
        opened, end = opened - 1, end + 1
    return end


def _skip(text: str, at: int, words: tuple[str, ...]) -> int:
    for _ in range(4):
        word = next((word for word in words if text.startswith(word, at)), None)
        if word is None:
            return at
        at += len(word)
    return at
