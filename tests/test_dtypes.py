"""Names, facts and promotion of every dtype, held against torch."""

import itertools
import warnings

import pytest
import torch
from torch.utils._dtype_abbrs import dtype_abbrs

from miscast.core import dtypes
from sweep import sweep

ALL = {str(d)[6:]: d for d in vars(torch).values() if isinstance(d, torch.dtype)}


def test_all_of_torch():
    assert set(dtypes.DTYPES) - {"bcomplex32"} == set(ALL) - {"bcomplex32"}  # since torch 2.14


@sweep(
    ("text", "name"),
    [
        ("torch.float16", "float16"), ("Half", "float16"), ("half", "float16"), ("c10::Half", "float16"),
        ("struct c10::Half", "float16"), ("at::Half", "float16"), ("fp16", "float16"), ("f16", "float16"),
        ("FLOAT_16", "float16"), ("CUDAHalfType", "float16"), ("torch.cuda.HalfTensor", "float16"),
        ("torch.HalfTensor", "float16"), ("CPUBFloat16Type", "bfloat16"), ("Variable[CPUFloatType]", "float32"),
        ("torch.cuda.sparse.FloatTensor", "float32"), ("BFLOAT_16", "bfloat16"), ("bf16", "bfloat16"),
        ("BF16", "bfloat16"), ("Float", "float32"), ("float", "float32"), ("fp32", "float32"),
        ("np.float32", "float32"), ("double", "float64"), ("Double", "float64"), ("long int", "int64"),
        ("Long", "int64"), ("long", "int64"), ("int64_t", "int64"), ("int", "int32"), ("unsigned char", "uint8"),
        ("Byte", "uint8"), ("Bool", "bool"), ("ComplexFloat", "complex64"), ("c10::complex<float>", "complex64"),
        ("c10::Float8_e4m3fn", "float8_e4m3fn"), ("F8_E4M3", "float8_e4m3fn"), ("F8_E5M2", "float8_e5m2"),
        (" float16 ", "float16"),
    ],
)  # fmt: skip
def test_parse(text, name):
    assert dtypes.parse(text) == name


@sweep(
    ("text", "says"),
    [
        ("16-mixed", "'16-mixed' is not a dtype"), ("float61", "did you mean float64?"), ("", "'' is not a dtype"),
        ("tf32", "not a dtype"), ("FLOAT_8", ("a family of dtypes: use float8_e4m3fn or "
            "float8_e5m2")), ("nf4", "quantization scheme"),
        ("c10::" * 1000 + "Half", "is not a dtype"), ("(" * 5000, "is not a dtype"), ("no", "is not a dtype"),
    ],
)  # fmt: skip
def test_parse_refuses(text, says):
    with pytest.raises(ValueError, match=r".") as raised:
        dtypes.parse(text)
    assert says in str(raised.value)
    assert len(str(raised.value)) < 200


@sweep("name", sorted(ALL))
def test_names_are_torchs(name):
    dtype = dtypes.DTYPES[name]
    assert dtypes.short(name) == dtype_abbrs.get(ALL[name], dtype.short)
    for spelling in (name, f"torch.{name}", dtype.scalar, dtype.short):
        assert dtypes.parse(spelling) == name
    if dtype.kind != "quantized" and "complex32" not in name:  # torch warns of the one, lacks the others on meta
        empty = torch.empty(1, dtype=ALL[name], device="meta")
        assert empty.type().endswith(f".{dtype.scalar}Tensor")
        assert dtypes.parse(dtype.cpp) == name or dtype.cpp.startswith("c10::dummy")


@sweep("name", sorted({n for n in ALL if dtypes.DTYPES[n].kind != "quantized"} - {"float32"}))
def test_cpp_name_stands_in_messages(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex32 is experimental
        end = torch.empty(1, dtype=ALL[name])
    with pytest.raises(RuntimeError) as raised:
        torch.lerp(torch.ones(1), end, 0.5)
    assert str(raised.value) == f"expected dtype float for `end` but got dtype {dtypes.cpp_name(name)}"


@sweep("name", sorted(n for n in ALL if dtypes.DTYPES[n].kind in ("float", "complex")))
def test_floating_facts(name):
    ours, kind = dtypes.DTYPES[name], ALL[name]
    assert ours.bits == kind.itemsize * 8
    assert dtypes.is_floating_point(name) == kind.is_floating_point
    if name == "float4_e2m1fn_x2":
        return  # torch.finfo does not know it
    theirs = torch.finfo(kind)
    assert (ours.max, ours.min, ours.tiny) == (theirs.max, theirs.min, theirs.tiny)
    if name != "float8_e5m2fnuz":  # torch 2.13 says 0.125, but the number after 1.0 is 1.25
        assert ours.eps == theirs.eps


def test_step_after_one_of_float8_e5m2fnuz():
    following = torch.tensor([0x41], dtype=torch.uint8).view(torch.float8_e5m2fnuz).float().item()
    one = torch.tensor([0x40], dtype=torch.uint8).view(torch.float8_e5m2fnuz).float().item()
    assert (one, following - one) == (1.0, dtypes.DTYPES["float8_e5m2fnuz"].eps)


@sweep(
    "name", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "qint8", "quint8", "qint32"]
)
def test_integer_facts(name):
    ours, theirs = dtypes.DTYPES[name], torch.iinfo(ALL[name])
    assert (ours.bits, ours.max, ours.min, ours.eps) == (theirs.bits, theirs.max, theirs.min, 0)


def test_promote_all_pairs():
    for a, b in itertools.product(ALL, ALL):
        theirs, ours = _tried(torch.promote_types, ALL[a], ALL[b]), _tried(dtypes.promote, a, b)
        if "INTERNAL ASSERT" in theirs:
            theirs = f"Promotion from {dtypes.scalar_name(a)} and {dtypes.scalar_name(b)} is unsupported."
        assert ours == theirs.removeprefix("torch."), (a, b)


def _tried(promote, a, b):
    try:
        return str(promote(a, b))
    except (TypeError, RuntimeError) as error:
        return str(error)


def test_can_cast_all_pairs():
    for a, b in itertools.product(ALL, ALL):
        assert dtypes.can_cast(a, b) == torch.can_cast(ALL[a], ALL[b]), (a, b)


def test_category():
    names = ("bool", "uint8", "int64", "float8_e5m2", "bfloat16", "complex64")
    assert [dtypes.category(name) for name in names] == [0, 1, 1, 2, 2, 3]
