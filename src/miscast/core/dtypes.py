"""Every spelling of a dtype -> one canonical name; what a dtype can hold; how dtypes promote. No torch.

    >>> parse("struct c10::Half"), parse("torch.cuda.HalfTensor"), parse("FLOAT_16"), parse("fp16")
    ('float16', 'float16', 'float16', 'float16')
    >>> scalar_name("float16"), cpp_name("float16"), short("float16"), facts("float16").max
    ('Half', 'c10::Half', 'f16', 65504.0)
    >>> promote("float16", "bfloat16")
    'float32'

Sources: IEEE 754 (float16/32/64), the OCP 8-bit and MX formats (float8_e4m3fn, float8_e5m2, float8_e8m0fnu,
float4_e2m1fn_x2), arXiv 2206.02915 (the `fnuz` kinds), torch/headeronly/core/ScalarType.h (names, torch 2.13).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from .frozen import dataclass
from .regex import regex

__all__ = [
    "DTYPES", "DType", "can_cast", "category", "counterpart", "cpp_name", "facts", "is_floating_point",
    "parse", "promote", "scalar_name", "short",
]  # fmt: skip

Kind = Literal["float", "int", "bool", "complex", "quantized", "bits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DType:
    """One dtype: its names in torch's messages, and what it can hold.

    `max`, `min`, `tiny`, `eps` and `mantissa` are of the real part for complex dtypes, and zero for bit patterns.
    """

    name: str
    """The canonical name: what follows "torch." in `str(dtype)`."""
    kind: Kind
    bits: int
    """Bits of one element as stored (float4_e2m1fn_x2 stores two numbers in its 8)."""
    scalar: str
    """The text that `c10::toString(ScalarType)` prints: "Half"."""
    cpp: str
    """The text that `caffe2::TypeMeta::name` prints in a Linux build: "c10::Half", "float", "long int"."""
    short: str
    """The abbreviation of torch's own tools: "f16" (torch/utils/_dtype_abbrs.py)."""
    max: float | int = 0
    """The largest finite value."""
    min: float | int = 0
    """The lowest finite value."""
    tiny: float = 0.0
    """The smallest positive normal value, where there are fractions."""
    mantissa: int = 0
    """Explicit bits of the fraction."""
    aliases: tuple[str, ...] = ()
    """Further spellings, lower case, without spaces and underscores."""

    @property
    def eps(self) -> float:
        """The step from 1.0 to the next value; 0.0 for dtypes without fractions."""
        return 2.0**-self.mantissa if self.tiny else 0.0


HALVES = frozenset({"float16", "bfloat16"})


def _float(  # noqa: PLR0913 - a row of a table
    name: str,
    bits: int,
    scalar: str,
    cpp: str,
    short: str,
    mantissa: int,
    tiny: float,
    top: float,
    *aliases: str,
) -> DType:
    # e8m0fnu has no sign: powers of two only
    low = tiny if name == "float8_e8m0fnu" else -top
    kind: Kind = "complex" if "complex" in name else "float"
    return DType(
        name=name,
        kind=kind,
        bits=bits,
        scalar=scalar,
        cpp=cpp,
        short=short,
        mantissa=mantissa,
        tiny=tiny,
        max=top,
        min=low,
        aliases=aliases,
    )


def _int(name: str, scalar: str, cpp: str, *aliases: str) -> DType:
    signed, bits = not name.startswith("u"), int(name.lstrip("uint"))
    short = f"{'i' if signed else 'u'}{bits}"
    top = 2 ** (bits - signed) - 1
    size = max(bits, 8)  # int1 … uint7 are stored one to a byte
    return DType(
        name=name,
        kind="int",
        bits=size,
        scalar=scalar,
        cpp=cpp,
        short=short,
        max=top,
        min=-top - 1 if signed else 0,
        aliases=aliases,
    )


def _small(bits: int, sign: str) -> DType:
    return _int(
        f"{sign}int{bits}",
        f"{sign.upper()}Int{bits}",
        f"c10::dummy_{sign}int1_7_t<{bits}>",
    )


def _quantized(name: str, scalar: str, low: int, top: int) -> DType:
    bits = 32 if name == "qint32" else 8
    return DType(
        name=name,
        kind="quantized",
        bits=bits,
        scalar=scalar,
        cpp=f"c10::{name}",
        short=name,
        min=low,
        max=top,
    )


def _bits(name: str, short: str) -> DType:
    bits = 16 if name == "bits16" else 8
    return DType(
        name=name,
        kind="bits",
        bits=bits,
        scalar=name.capitalize(),
        cpp=f"c10::{name}",
        short=short,
    )


_F16 = (10, 2.0**-14, 65504.0)
_BF16 = (7, 2.0**-126, (2 - 2.0**-7) * 2.0**127)
_F32 = (23, 2.0**-126, (2 - 2.0**-23) * 2.0**127)
_F64 = (52, 2.0**-1022, (2 - 2.0**-52) * 2.0**1023)
_TABLE = (
    _float("float64", 64, "Double", "double", "f64", *_F64, "double", "fp64", "f64"),
    _float("float32", 32, "Float", "float", "f32", *_F32, "float", "fp32", "f32"),
    _float("float16", 16, "Half", "c10::Half", "f16", *_F16, "half", "fp16", "f16"),
    _float("bfloat16", 16, "BFloat16", "c10::BFloat16", "bf16", *_BF16, "bf16"),
    _float("float8_e4m3fn", 8, "Float8_e4m3fn", "c10::Float8_e4m3fn", "f8e4m3fn", 3, 2.0**-6, 448.0,
           "fp8e4m3fn", "fp8e4m3", "f8e4m3", "e4m3fn", "e4m3", "float8e4m3"),
    _float("float8_e5m2", 8, "Float8_e5m2", "c10::Float8_e5m2", "f8e5m2", 2, 2.0**-14, 57344.0, "fp8e5m2", "e5m2"),
    _float("float8_e4m3fnuz", 8, "Float8_e4m3fnuz", "c10::Float8_e4m3fnuz", "f8e4m3fnuz", 3, 2.0**-7, 240.0,
           "fp8e4m3fnuz", "e4m3fnuz"),
    _float("float8_e5m2fnuz", 8, "Float8_e5m2fnuz", "c10::Float8_e5m2fnuz", "f8e5m2fnuz", 2, 2.0**-15, 57344.0,
           "fp8e5m2fnuz", "e5m2fnuz"),
    _float("float8_e8m0fnu", 8, "Float8_e8m0fnu", "c10::Float8_e8m0fnu", "f8e8m0fnu", 0, 2.0**-127, 2.0**127,
           "fp8e8m0fnu", "e8m0fnu", "f8e8m0"),
    _float("float4_e2m1fn_x2", 8, "Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2", "f4e2m1fnx2", 1, 1.0, 6.0),
    _float("complex128", 128, "ComplexDouble", "c10::complex<double>", "c128", *_F64, "cdouble", "complexdouble"),
    _float("complex64", 64, "ComplexFloat", "c10::complex<float>", "c64", *_F32, "cfloat", "complexfloat"),
    _float("complex32", 32, "ComplexHalf", "c10::complex<c10::Half>", "c32", *_F16, "chalf", "complexhalf"),
    _float("bcomplex32", 32, "BComplex32", "c10::complex<c10::BFloat16>", "bc32", *_BF16),
    _int("int64", "Long", "long int", "long", "longint", "longlong", "longlongint", "int64t", "i64"),
    _int("int32", "Int", "int", "int", "int32t", "i32"),
    _int("int16", "Short", "short int", "short", "shortint", "int16t", "i16"),
    _int("int8", "Char", "signed char", "char", "signedchar", "int8t", "i8"),
    _int("uint8", "Byte", "unsigned char", "byte", "unsignedchar", "uint8t", "u8"),
    _int("uint16", "UInt16", "short unsigned int", "shortunsignedint", "unsignedshort", "uint16t"),
    _int("uint32", "UInt32", "unsigned int", "unsignedint", "uint32t"),
    _int("uint64", "UInt64", "long unsigned int", "longunsignedint", "unsignedlong", "uint64t"),
    DType(name="bool", kind="bool", bits=8, scalar="Bool", cpp="bool", short="b8", max=1, aliases=("boolean",)),
    *(_small(bits, sign) for sign in ("", "u") for bits in range(1, 8)),
    _quantized("qint8", "QInt8", -128, 127), _quantized("quint8", "QUInt8", 0, 255),
    _quantized("qint32", "QInt32", -(2**31), 2**31 - 1), _quantized("quint4x2", "QUInt4x2", 0, 15),
    _quantized("quint2x4", "QUInt2x4", 0, 3),
    _bits("bits8", "b8x1"), _bits("bits16", "b16x1"), _bits("bits1x8", "b1x8"), _bits("bits2x4", "b2x4"),
    _bits("bits4x2", "b4x2"),
)  # fmt: skip

DTYPES: Mapping[str, DType] = {dtype.name: dtype for dtype in _TABLE}
"""Every dtype of torch 2.13, by canonical name."""


def _squash(text: str) -> str:
    return re.sub(r"[\s_]+", "", text).casefold()


_SPELLED: Mapping[str, str] = {
    _squash(word): dtype.name
    for dtype in reversed(_TABLE)  # the common ones last, so that they win
    for word in (
        dtype.name,
        dtype.scalar,
        dtype.cpp.removeprefix("c10::"),
        dtype.short,
        *dtype.aliases,
    )
}
_PREFIX = regex(r"(?:(?:class|struct|c10::|at::|torch\.|numpy\.|np\.|jnp\.|tl\.)\s*)*")
_BACKENDS = r"cpu|cuda|xpu|hip|mps|mtia|npu|hpu|xla|meta|privateuseone"
_TENSOR = regex(rf"(?:(?:sparse|quantized|{_BACKENDS})\.)*(\w+)tensor", re.IGNORECASE)
_TYPE = regex(
    rf"(?:variable\[)?(?:sparse|quantized)?(?:{_BACKENDS})(\w+)type\]?", re.IGNORECASE
)
_NO_DTYPE = {
    "tf32": "a float32 matmul mode, not a dtype",
    "tfloat32": "a float32 matmul mode, not a dtype",
    "fp8": "a family of dtypes: use float8_e4m3fn or float8_e5m2",
    "float8": "a family of dtypes: use float8_e4m3fn or float8_e5m2",
    "fp4": "a family of packed formats",
    "nf4": "a quantization scheme, not a dtype",
    "auto": "a choice made by the library, not a dtype",
}


@lru_cache(maxsize=4096)
def parse(text: str) -> str:
    """Return the canonical name of a dtype in any spelling of torch, C++ or a config ("c10::Half", "bf16").

    Raises ValueError, with one line that says what is wrong, if the text names no dtype, or more than one.
    """
    words = _PREFIX.sub("", text[:80].strip(), count=1)
    legacy = _TENSOR.fullmatch(words) or _TYPE.fullmatch(words)
    squashed = _squash(legacy[1] if legacy else words)
    if squashed in _SPELLED and len(text) <= 80:
        return _SPELLED[squashed]
    quoted = repr(text if len(text) <= 40 else text[:40] + "…")
    if squashed in _NO_DTYPE:
        raise ValueError(f"{quoted} is {_NO_DTYPE[squashed]}")
    import difflib  # hardly ever needed, and imported by whatever starts

    near = difflib.get_close_matches(squashed, _SPELLED, n=1, cutoff=0.8)
    hint = "known dtypes are float16, bfloat16, float32, float8_e4m3fn, …"
    if near:
        hint = f"did you mean {_SPELLED[near[0]]}?"
    raise ValueError(f"{quoted} is not a dtype: {hint}")


def facts(name: str) -> DType:
    """Return all that is known of a dtype, by any spelling."""
    return DTYPES.get(name) or DTYPES[parse(name)]


def scalar_name(name: str) -> str:
    """Return the ScalarType in torch's messages: "Half"."""
    return facts(name).scalar


def cpp_name(name: str) -> str:
    """Return the C++ type in torch's messages: "c10::Half", "long int"."""
    return facts(name).cpp


def short(name: str) -> str:
    """Return the abbreviation: "f16"."""
    return facts(name).short


def is_floating_point(name: str) -> bool:
    """Check for a floating-point dtype, as `torch.dtype.is_floating_point`: float8 counts, complex does not."""
    return facts(name).kind == "float"


_CATEGORY = {"bool": 0, "int": 1, "quantized": 1, "bits": 1, "float": 2, "complex": 3}


def category(name: str) -> int:
    """Return 0 bool, 1 integer, 2 floating, 3 complex; an in-place result fits an operand of its own or a later one."""
    return _CATEGORY[facts(name).kind]


def can_cast(source: str, target: str) -> bool:
    """Check whether a result of dtype `source` may be written into a tensor of dtype `target`, as `torch.can_cast`."""
    into = facts(target)
    if into.kind == "bool":
        return source == "bool"
    if facts(source).kind == "complex":
        return into.kind == "complex"
    # int1 … uint7 are no integers to torch here
    whole = into.kind == "int" and not into.cpp.startswith("c10::")
    return not (whole and facts(source).kind == "float")


# bfloat16 beside float16: together they need float32
_FLOATS = ("bfloat16", "float16", "float32", "float64")
REAL = {
    "complex32": "float16", "bcomplex32": "bfloat16", "complex64": "float32", "complex128": "float64",
}  # fmt: skip
"""The dtypes of the parts of complex ones."""
_COMPLEX = {real: name for name, real in REAL.items()}
_INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64")


def counterpart(name: str, like: str) -> str:
    """Return the dtype of the same precision that is complex (real) if `like` is; itself where there is none."""
    if like in REAL:
        return _COMPLEX.get(name, name)
    if like in _COMPLEX:
        return REAL.get(name, name)
    return name


def promote(a: str, b: str) -> str:
    """Return the promoted dtype, as `torch.promote_types`. Raises its TypeError (c10/core/ScalarType.cpp)."""
    if a == b:
        return a
    _refuse(facts(a), facts(b))
    floats = [name for name in (a, b) if category(name) > 1]
    if not floats:
        signs_differ = {a, b} == {"uint8", "int8"}
        return "int16" if signs_differ else max(a, b, key=_INTEGERS.index)
    if len(floats) == 1:
        return floats[0]
    if {a, b} == HALVES:
        return "float32"
    if {a, b}.isdisjoint(REAL):
        return max(a, b, key=_FLOATS.index)
    part = promote(REAL.get(a, a), REAL.get(b, b))
    return _COMPLEX[part]


def _refuse(a: DType, b: DType) -> None:
    kinds, names = {a.kind, b.kind}, (a.name, b.name)
    if "quantized" in kinds:
        raise TypeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, "
            f"offending types: {a.scalar} {b.scalar}"
        )
    if "bits" in kinds:
        raise TypeError(f"Promotion from {a.scalar} and {b.scalar} is unsupported.")
    pair = f"attempted to promote {a.scalar} and {b.scalar}"
    if any(name.startswith("float8") for name in names):
        raise TypeError(f"Promotion for Float8 Types is not supported, {pair}")
    if any(name.startswith("uint") and name != "uint8" for name in names):
        if "float" in kinds:
            return
        raise TypeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, {pair}"
        )
    known = {*_FLOATS, *REAL, *_INTEGERS}
    if not known.issuperset(names):
        raise TypeError(f"Promotion from {a.scalar} and {b.scalar} is unsupported.")
