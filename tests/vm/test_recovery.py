"""How the run goes on behind what torch refuses: what is told of once, what the results are, and of which dtypes."""

from __future__ import annotations

import pytest
import torch

import miscast
from miscast.core.event import Violation
from miscast.core.machines import find
from miscast.vm.call import Call
from miscast.vm.judging.op_errors import mixed_floats, violation_of
from miscast.vm.key import KEYSET, Exclude
from miscast.vm.machine import VirtualMachine

aten = torch.ops.aten


def eye(dtype=torch.float16):
    return torch.eye(3, device="cuda", dtype=dtype)


def checked(program):
    """The findings of a program that goes on to its end, with what it made."""
    made = []
    report = miscast.check(lambda: made.append(program()), machine="v100")
    assert report.ended is None
    return report.findings, made[0]


def written_into():
    into = torch.empty(3, device="cuda").half(), torch.empty(3, 3, device="cuda").half()
    values, vectors = torch.linalg.eigh(eye(), out=into)
    assert values is into[0]
    assert vectors is into[1]
    return values, vectors


LACKS = {
    "a tensor": (lambda: [torch.linalg.inv(eye())], "linalg_inv", [torch.float16]),
    "one of another dtype beside": (
        lambda: torch.linalg.inv_ex(eye()), "linalg_inv_ex", [torch.float16, torch.int32]
    ),
    "several": (lambda: torch.linalg.eigh(eye()), "linalg_eigh", [torch.float16, torch.float16]),
    "several that are written into": (written_into, "linalg_eigh", [torch.float16, torch.float16]),
}  # fmt: skip


@pytest.mark.parametrize("case", LACKS)
def test_what_has_no_kernel_gives_what_a_cast_and_a_cast_back_would(case):
    program, op, dtypes = LACKS[case]
    (finding,), made = checked(program)
    assert finding.message == f"{op} is not implemented for float16 on cuda"
    assert [one.dtype for one in made] == dtypes


def test_several_results_are_still_known_by_name():
    _, made = checked(lambda: torch.linalg.qr(eye()))
    assert (type(made).__name__, made.Q.dtype, made.R.shape) == (
        "linalg_qr",
        torch.float16,
        (3, 3),
    )


def many(dtype, count):
    return [torch.ones(2, device="cuda", dtype=dtype) for _ in range(count)]


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (2, ["self[0]", "self[1]", "tensors1[0]", "tensors1[1]"]),
        (4, [*(f"self[{i}]" for i in range(4)), *(f"tensors1[{i}]" for i in range(4))]),
        (5, ["self[0]", "tensors1[0]"]),
    ],
)
def test_an_op_on_many_tensors_is_told_of_once_with_those_concerned(count, named):
    vm = VirtualMachine(find("v100"))
    with vm.on():
        torch._foreach_lerp_(
            many(torch.float16, count), many(torch.float32, count), 0.5
        )
    (call,) = vm.recorder.trace().calls
    assert (call.op, call.count) == ("_foreach_lerp_", 1)
    assert [operand.name for operand in call.operands] == named


@pytest.mark.parametrize(("count", "named"), [(2, 6), (3, 2)])
def test_of_more_than_eight_operands_only_those_concerned_are_told(count, named):
    vm = VirtualMachine(find("v100"))
    with vm.on():
        torch._foreach_lerp_(*(many(dtype, count) for dtype in (torch.float16, torch.float32, torch.float16)))
    (call,) = vm.recorder.trace().calls
    assert len(call.operands) == named


def of(vm, op, *args):
    with Exclude(KEYSET):
        return Call(vm.dispatcher.plan(op), args, {})


@pytest.fixture
def vm():
    machine = VirtualMachine(find("v100"))
    with machine.on():
        yield machine


def test_what_a_meta_kernel_does_not_mix_differs_from_the_weight_or_what_it_is_called_on(
    vm,
):
    x, y, whole = eye(), eye(torch.float32), eye(torch.int64)
    error = RuntimeError("expected the same dtype\nmore")
    mixed = Violation(
        kind="dtype",
        odd=("mat2",),
        expected="float16",
        like="self",
        error="expected the same dtype",
    )
    assert mixed_floats(of(vm, aten.mm.default, x, y), error) == mixed
    weighed = mixed_floats(
        of(vm, aten.native_layer_norm.default, x, [3], y[0], x[0], 1e-5), error
    )
    assert (weighed.odd, weighed.like, weighed.expected) == (
        ("input", "bias"),
        "weight",
        "float32",
    )
    joined = mixed_floats(of(vm, aten.cat.default, [x, y, x]), error)
    assert (joined.odd, joined.like) == (("tensors[1]",), "tensors[0]")
    for text in ("mismatched DTYPE", "expected scalar type"):
        assert (
            mixed_floats(of(vm, aten.mm.default, x, y), RuntimeError(text)) is not None
        )
    assert (
        mixed_floats(of(vm, aten.mm.default, x, y), RuntimeError("sizes do not match"))
        is None
    )
    assert mixed_floats(of(vm, aten.mm.default, x, x), error) is None
    assert mixed_floats(of(vm, aten.mm.default, x, whole), error) is None


REFUSED = {
    "floating dtypes": (torch.float16, torch.float32, "…", "dtype", ("mat2",), "float16", "self"),
    "what the text names": (torch.float32, torch.int64, "mat2 must be Float", "dtype", ("mat2",), "float32", "self"),
    "the other that it names": (torch.float32, torch.int64, "self must be Long", "dtype", ("self",), "int64", "mat2"),
    "a dtype alone": (torch.float32, torch.int64, "not for Long", "unsupported", ("mat2",), "float32", None),
    "an index": (torch.float32, torch.float32, "self must be an index", "unsupported", ("self",), "int64", None),
    "nobody": (torch.float16, torch.float16, "no such dtype", "unsupported", ("self",), "float32", None),
    "integers of an index": (torch.int32, torch.int32, "an index", "unsupported", ("self",), "float32", None),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_who_is_at_odds_is_read_off_the_operands_and_the_text(case, vm):
    first, second, text, kind, odd, expected, like = REFUSED[case]
    found = violation_of(
        of(vm, aten.mm.default, eye(first), eye(second)), NotImplementedError(text)
    )
    assert (found.kind, found.odd, found.expected, found.like) == (
        kind,
        odd,
        expected,
        like,
    )
    assert (found.error, found.raises) == (
        text,
        "NotImplementedError" if kind == "unsupported" else "RuntimeError",
    )


def test_words_that_end_a_program_are_kept_once_for_a_line(vm):
    recorder, violation = (
        vm.recorder,
        Violation(kind="dtype", odd=(), expected="float32", error="refused"),
    )
    recorder.last_words("mean", violation, None, None)
    recorder.last_words("sum", violation, None, None)
    (call,) = recorder.trace().calls
    assert (call.op, call.phase, call.count, call.operands) == (
        "mean",
        "program",
        1,
        (),
    )
    assert (call.location.file, call.location.line, call.library) == (
        "<unknown>",
        0,
        None,
    )


def test_an_error_that_the_program_catches_is_a_note_at_its_line():
    def program():
        try:
            return torch.linalg.inv(eye())
        except RuntimeError:
            return None

    report = miscast.check(program, machine="v100")
    line = program.__code__.co_firstlineno + 2
    (note,) = (one for one in report.notes if "raised as in torch" in one)
    assert note == (
        f"test_recovery.py:{line}: raised as in torch, because the program catches it: "
        "linalg.inv: Low precision dtypes not supported. Got Half"
    )
