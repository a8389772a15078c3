"""What a policy does, case by case; `test_agreement` holds the same functions against torch."""

import pytest

from miscast.torch_facts.autocast import (
    FORBIDDEN_TEXT,
    UNEXPECTED_TEXT,
    RefusedError,
    casts,
    eligible,
    output_dtype,
)
from sweep import sweep

HERE, ELSEWHERE = True, False


@sweep(
    ("policy", "operands", "target"),
    [
        ("lower_precision", [("float32", HERE)], "float16"),
        ("lower_precision", [], "float16"),
        ("float32", [("float16", HERE)], "float32"),
        ("float32_set_opt_dtype", [("float16", HERE)], None),
        ("float32_append_dtype", [("float16", HERE)], None),
        ("promote", [("float16", HERE), ("float16", HERE)], "float16"),
        ("promote", [("float16", HERE), ("float32", HERE)], "float32"),
        ("promote", [("float32", HERE), ("bfloat16", HERE)], "float32"),
        ("promote", [("float64", HERE), ("float16", HERE)], "float16"),
        ("promote", [("int64", HERE), ("float16", HERE)], "float16"),
        ("promote", [("float32", ELSEWHERE), ("float16", HERE)], "float16"),
        ("promote", [("bfloat16", ELSEWHERE)], "float16"),
    ],
)
def test_target(policy, operands, target):
    assert casts(policy, operands, "float16") == target


@pytest.mark.parametrize(
    ("operands", "odd"),
    [
        ([("float16", HERE), ("bfloat16", HERE)], 1),
        ([("bfloat16", HERE), ("float32", HERE)], 0),
        ([("int64", HERE), ("float16", HERE), ("float8_e4m3fn", HERE)], 2),
    ],
)
def test_widest_of_two_halves_is_refused(operands, odd):
    with pytest.raises(RefusedError, match=UNEXPECTED_TEXT) as raised:
        casts("promote", operands, "float16")
    assert (raised.value.odd, raised.value.instead) == (odd, "float32")


def test_forbidden_op_is_refused():
    with pytest.raises(RefusedError) as raised:
        casts("forbidden", [("float16", HERE)], "float16")
    assert (str(raised.value), raised.value.odd) == (FORBIDDEN_TEXT, None)


@sweep(
    ("policy", "first", "given", "chosen"),
    [
        ("float32_set_opt_dtype", ("float16", HERE), None, "float32"),
        ("float32_set_opt_dtype", ("float16", HERE), "float64", "float64"),
        ("float32_set_opt_dtype", ("float64", HERE), None, None),
        ("float32_set_opt_dtype", ("int64", HERE), None, None),
        ("float32_set_opt_dtype", ("float16", ELSEWHERE), None, None),
        ("float32_append_dtype", ("bfloat16", HERE), None, "float32"),
        ("float32_append_dtype", ("float64", HERE), None, "float64"),
        ("lower_precision", ("float16", HERE), "float64", "float64"),
    ],
)
def test_output_dtype(policy, first, given, chosen):
    assert output_dtype(policy, first, given=given) == chosen


def test_eligible():
    assert eligible("float8_e4m3fn", on_device=True)
    assert not eligible("float64", on_device=True)
    assert not eligible("complex64", on_device=True)
    assert not eligible("float32", on_device=False)
