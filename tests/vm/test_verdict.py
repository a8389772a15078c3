"""The verdict on a call: what it carries, when it is remembered, and that to judge it changes and tells nothing."""

import pytest
import torch

from miscast.machines import find
from miscast.vm.call import Call
from miscast.vm.key import KEYSET, Exclude
from miscast.vm.machine import VirtualMachine

aten = torch.ops.aten


@pytest.fixture
def vm():
    machine = VirtualMachine(find("v100"))
    with machine.on():
        yield machine


def judged(vm, op, *args):
    """A call, and the verdict on it."""
    with Exclude(KEYSET):
        call = Call(vm.dispatcher.plan(op), args, {})
        return call, vm.dispatcher.judge(call)


def test_nothing_to_say(vm):
    a = torch.ones(2, 3, device="cuda")
    _, verdict = judged(vm, aten.mm.default, a, a.T)
    assert verdict is None


def test_a_call_is_judged_and_left_as_it_is(vm):
    a, b = torch.ones(2, 3, device="cuda"), torch.ones(3, 2, device="cuda", dtype=torch.float16)
    call, verdict = judged(vm, aten.mm.default, a, b)
    (violation,) = verdict.violations
    assert (violation.kind, violation.odd, violation.expected) == ("dtype", ("self",), "float16")
    assert not verdict.promotes
    assert [t.dtype for t in call.tensors] == [torch.float32, torch.float16]
    assert vm.recorder.trace().calls == ()
    assert judged(vm, aten.mm.default, a, b)[1] == verdict


def test_recovery_acts_on_it(vm):
    a, b = torch.ones(2, 3, device="cuda"), torch.ones(3, 2, device="cuda", dtype=torch.float16)
    call, verdict = judged(vm, aten.mm.default, a, b)
    with Exclude(KEYSET):
        vm.dispatcher.recovery.follow(call, verdict)
    assert [t.dtype for t in call.tensors] == [torch.float16, torch.float16]
    assert [one.violation for one in vm.recorder.trace().calls] == list(verdict.violations)


def test_promotion_is_remembered(vm):
    a, b = torch.ones(2, device="cuda"), torch.ones(2, device="cuda", dtype=torch.float16)
    _, verdict = judged(vm, aten.add.Tensor, a, b)
    assert verdict.promotes
    assert not verdict.broken
    assert judged(vm, aten.add.Tensor, a, b)[1] is verdict
    _, other = judged(vm, aten.add.Tensor, a, a)
    assert other is None


def test_no_kernel(vm):
    a = torch.eye(2, device="cuda", dtype=torch.float16)
    _, verdict = judged(vm, aten.linalg_cholesky_ex.default, a)
    assert verdict.missing_kernel == "float32"
    assert not verdict.unwritable


def test_not_writable(vm):
    whole, real = torch.ones(2, device="cuda", dtype=torch.int64), torch.ones(2, device="cuda")
    _, verdict = judged(vm, aten.add_.Tensor, whole, real)
    assert verdict.unwritable
    assert verdict.missing_kernel == ""


def test_torch_itself_is_asked_on_the_cpu(vm):
    half = torch.eye(2, dtype=torch.float16)
    _, verdict = judged(vm, aten.linalg_cholesky_ex.default, half)
    assert verdict.asked
    assert verdict.missing_kernel == "float32"
    _, empty = judged(vm, aten.linalg_cholesky_ex.default, half[:0, :0])
    assert empty is None or empty.asked  # an answer for this call alone


def test_a_mix_of_dtypes_behind_a_mix_of_devices_is_a_consequence(vm):
    half, left = torch.ones(2, 3, device="cuda", dtype=torch.float16), torch.ones(3, 2)
    with torch.autocast("cuda"):
        _, verdict = judged(vm, aten.mm.default, half, left)
    assert [one.kind for one in verdict.violations] == ["device"]
    assert [one.kind for one in verdict.consequences] == ["dtype"]
    _, alone = judged(vm, aten.mm.default, half, left)
    assert sorted(one.kind for one in alone.violations) == ["device", "dtype"]
    assert alone.broken == alone.violations


@pytest.mark.parametrize(("op", "pixels"), [(aten.nll_loss_backward, ()), (aten.nll_loss2d_backward, (2, 2))])
def test_what_dimensions_decide_is_not_remembered_by_dtypes(vm, op, pixels):
    scores = torch.ones(4, 3, *pixels, device="cuda")
    target = torch.zeros(4, *pixels, device="cuda", dtype=torch.int64)
    total = torch.ones(1, device="cuda", dtype=torch.float64)
    call = (scores, target, None, 0, -100, total)
    _, of_each = judged(vm, op.default, torch.ones(4, *pixels, device="cuda"), *call)
    assert not of_each.broken
    _, of_all = judged(vm, op.default, torch.ones((), device="cuda"), *call)
    assert of_all.broken
