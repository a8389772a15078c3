"""The verdict on a call: what it carries, when it is remembered, and that to judge it changes and tells nothing."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from miscast.core.machines import find
from miscast.torch_facts.contracts import table_for
from miscast.vm.call import Call
from miscast.vm.judging.eager_confirmation import accepts, confirmed, is_empty, runs
from miscast.vm.key import KEYSET, Exclude
from miscast.vm.machine import VirtualMachine
from miscast.vm.schema import TORCH_VERSION

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


def test_what_is_mended_may_promote(vm):
    half, left = torch.ones(2, device="cuda", dtype=torch.float16), torch.ones(2)
    call, verdict = judged(vm, aten.add.Tensor, half, left)
    assert [one.kind for one in verdict.broken] == ["device"]
    assert not verdict.promotes
    with Exclude(KEYSET):
        assert vm.dispatcher.recovery.follow(call, verdict).promotes


def test_what_is_written_stays_and_the_others_follow_it(vm):
    half, full = (torch.ones(2, 2, device="cuda", dtype=dtype) for dtype in (torch.float16, torch.float32))
    call, verdict = judged(vm, aten.addmm_.default, half, full, half)
    with Exclude(KEYSET):
        vm.dispatcher.recovery.follow(call, verdict)
    assert [t.dtype for t in call.tensors] == [torch.float16] * 3


def test_promotion_is_remembered(vm):
    a, b = torch.ones(2, device="cuda"), torch.ones(2, device="cuda", dtype=torch.float16)
    _, verdict = judged(vm, aten.add.Tensor, a, b)
    assert verdict.promotes
    assert not verdict.broken
    assert judged(vm, aten.add.Tensor, a, b)[1] is verdict
    _, other = judged(vm, aten.add.Tensor, a, a)
    assert other is None


def test_a_verdict_is_remembered_for_numbers_of_its_kind_alone(vm):
    ints = torch.ones(2, device="cuda", dtype=torch.int64)
    assert judged(vm, aten.add_.Scalar, ints, 2)[1] is None
    assert judged(vm, aten.add_.Scalar, ints, 2.5)[1] is not None
    assert judged(vm, aten.add_.Scalar, ints, 3)[1] is None


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


def test_an_op_that_was_not_measured_may_be_refused(vm):
    judge, plan = vm.dispatcher.judge, vm.dispatcher.plan
    unmeasured, never_refused = plan(aten._weight_norm.default), plan(aten.channel_shuffle.default)
    assert judge.table("cuda") is not None
    assert judge.table("mps") is None
    assert judge.concerns(unmeasured, "cuda")
    assert judge.concerns(unmeasured, "cpu")
    assert not judge.concerns(never_refused, "cuda")


@pytest.mark.parametrize(("machine", "device"), [("v100", "cuda"), ("m1", "mps")])
def test_mixed_dtypes_of_an_op_that_nothing_is_known_of_are_unchecked(machine, device):
    vm = VirtualMachine(find(machine))
    with vm.on():
        a, b = torch.ones(2, 3, device=device), torch.ones(2, 1, device=device, dtype=torch.float16)
        _, mixed = judged(vm, aten._weight_norm.default, a, b)
        _, alike = judged(vm, aten._weight_norm.default, a, a)
    assert (mixed.unchecked, mixed.promotes, mixed.violations) == (True, True, ())
    assert alike is None


def test_where_nothing_was_measured_kernels_say_what_may_be_refused():
    vm = VirtualMachine(find("mi300x"))
    with vm.on():
        judge, plan = vm.dispatcher.judge, vm.dispatcher.plan
        half = torch.eye(2, device="cuda", dtype=torch.float16)
        call, verdict = judged(vm, aten.mm.default, half, half.float())
        assert verdict.broken
        assert not judge.refused_inside(call, verdict)
        assert judge.may_refuse(plan(aten.linalg_cholesky_ex.default), "cuda")
        assert not judge.may_refuse(plan(aten.channel_shuffle.default), "cuda")


def test_the_cpu_is_asked_below_an_autocast_that_was_applied_before(vm):
    full, half = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.bfloat16)
    with Exclude(KEYSET), torch.autocast("cpu"):
        call = Call(vm.dispatcher.plan(aten.mm.default), (full, half), {})
        assert not runs(call)
        assert not accepts(call)
        assert confirmed(call, (), inside=True) == ()


def test_one_operand_without_elements_is_enough(vm):
    with Exclude(KEYSET):
        for tensors, empty in (((torch.ones(0, 2), torch.ones(2, 2)), True), ((torch.ones(1, 2),) * 2, False)):
            assert is_empty(Call(vm.dispatcher.plan(aten.mm.default), tensors, {})) is empty


def test_a_table_is_that_of_the_machines_own_architecture():
    for name in ("v100", "h100", "mi300x", "cpu"):
        machine = find(name)
        judge = VirtualMachine(machine).dispatcher.judge
        assert str(judge.table(machine.device)) == str(table_for(machine.device, TORCH_VERSION, machine.arch))
        assert str(judge.table("cpu")) == str(table_for("cpu", TORCH_VERSION))


@pytest.mark.parametrize(
    ("backend", "dtype", "device", "lacks"),
    [
        (SDPBackend.FLASH_ATTENTION, torch.float32, "cuda", True),
        (SDPBackend.FLASH_ATTENTION, torch.bfloat16, "cuda", False),
        (SDPBackend.EFFICIENT_ATTENTION, torch.float32, "cuda", False),
        (SDPBackend.EFFICIENT_ATTENTION, torch.float64, "cuda", True),
        (SDPBackend.MATH, torch.float64, "cuda", False),
        (SDPBackend.FLASH_ATTENTION, torch.float32, "cpu", False),
    ],
)
def test_attention_whose_kernels_the_program_chose(vm, backend, dtype, device, lacks):
    q = torch.ones(1, 2, 4, 8, device=device, dtype=dtype)
    with sdpa_kernel(backend):
        _, verdict = judged(vm, aten.scaled_dot_product_attention.default, q, q, q)
        _, other = judged(vm, aten.mul.Tensor, q, q)
    assert [(one.kind, one.odd, one.expected, one.error) for one in verdict.violations] == [
        ("unsupported", ("query",), "bfloat16", "No available kernel. Aborting execution.")
    ] if lacks else verdict is None
    assert other is None


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
