"""What a recorder tells as it is found is what its trace holds in the end."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

import miscast
from miscast.core.event import Trace
from miscast.core.machines import find
from miscast.vm.call import Call
from miscast.vm.judging.caught_errors import raised
from miscast.vm.judging.eager_confirmation import can_tell
from miscast.vm.key import KEYSET, Exclude
from miscast.vm.machine import VirtualMachine
from miscast.vm.streamed import Seen, telling

UNREAD = "model.safetensors: only dtypes and shapes were read, not the data"


def program():
    full, half = torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda", dtype=torch.bfloat16)
    for _ in range(3):
        torch.mm(full, half)
    torch.rand(2, 2, device="cuda").sum().item()


@pytest.fixture
def recorded():
    """The trace of a run, and what was told of it while it ran."""
    seen, vm = Seen(Trace(machine="v100", torch="")), VirtualMachine(find("v100"))
    vm.recorder.heard = telling(seen.take, lambda: vm.recorder.ops)
    vm.recorder.begun()
    with vm.on():
        program()
        vm.recorder.effect("network", "example.org:443", "POST")
        vm.recorder.unchecked("aten.some")
        vm.recorder.unread("model.safetensors")
        vm.recorder.note("a note")
        vm.recorder.note("a note")
    return vm.recorder.trace(), seen.trace("its process was killed")


def test_a_trace_holds_what_was_met(recorded):
    whole, _ = recorded
    assert [(call.op, call.phase, call.count) for call in whole.calls] == [("mm", "program", 3)]
    assert [choice.dtype for choice in whole.choices] == ["bfloat16"]
    assert [(one.what, one.count) for one in whole.assumed] == [("Tensor.item", 1)]
    assert [(effect.kind, effect.what, effect.action, effect.count) for effect in whole.effects] == [
        ("network", "example.org:443", "POST", 1)
    ]
    assert (whole.unchecked, whole.notes) == ({"aten.some": 1}, (UNREAD, "a note"))
    assert (whole.machine, whole.torch) == ("v100", torch.__version__)
    assert (whole.ended, whole.failed, whole.traceback) == (None, None, "")


def test_each_kind_of_thing_is_told_at_once(recorded):
    whole, streamed = recorded
    calls = tuple(replace(call, count=1) for call in whole.calls)
    assert replace(streamed, ops=whole.ops) == replace(whole, calls=calls, ended="its process was killed")


def test_what_a_child_met_is_joined_once_for_all_of_its_kind(recorded):
    whole, _ = recorded
    parent, seen = VirtualMachine(find("v100")).recorder, Seen(Trace(machine="v100", torch=""))
    parent.heard = telling(seen.take, lambda: parent.ops)
    parent.join(whole)
    parent.join(replace(whole, choices=tuple(map(replace, whole.choices))))  # another child's, which says the same
    joined = parent.trace()
    assert [(call.op, call.count) for call in joined.calls] == [("mm", 6)]
    assert joined.choices == whole.choices == seen.trace(None).choices
    assert (joined.unchecked, joined.notes) == ({"aten.some": 2}, whole.notes)
    assert joined.effects == whole.effects * 2
    assert joined.assumed == whole.assumed * 2
    assert joined.ops == 2 * whole.ops


def test_files_of_a_child_are_told_by_the_box(recorded):
    whole, _ = recorded
    written = tuple(replace(whole.effects[0], kind=kind) for kind in ("written", "deleted", "started"))
    parent = VirtualMachine(find("v100")).recorder
    parent.join(replace(whole, effects=written))
    assert [effect.kind for effect in parent.trace().effects] == ["started"]


def test_what_cannot_be_told_is_a_failure_and_left_out():
    recorder = VirtualMachine(find("v100")).recorder
    recorder.machine = SimpleNamespace(spec="v100", device="cuda")  # of no architecture
    trace = recorder.trace()
    assert trace.contracts == ""
    assert "named the source of the dtype rules" in trace.failed
    assert "AttributeError" in trace.traceback


@pytest.mark.parametrize(("machine", "told"), [("cpu", "measured on "), ("m1", "declared")])
def test_a_report_says_what_its_verdicts_rest_on(machine, told):
    assert miscast.check(torch.ones, 2, machine=machine).contracts.startswith(told)


@pytest.mark.parametrize("kind", [RuntimeError, TypeError, NotImplementedError, torch.OutOfMemoryError])
def test_an_error_is_raised_by_its_name(kind):
    assert type(raised(kind.__name__, "why")) is kind
    assert str(raised(kind.__name__, "why")) == "why"


def test_an_error_that_torch_does_not_name_is_a_runtime_error():
    assert type(raised("_LinAlgError", "why")) is RuntimeError


@pytest.mark.parametrize(("size", "device", "asked"), [(2048, "cpu", True), (2049, "cpu", False), (2, "cuda", False)])
def test_torch_is_asked_about_small_operands_on_the_processor(size, device, asked):
    vm = VirtualMachine(find("v100"))
    with vm.on():
        x = torch.ones(size, device=device)
        with Exclude(KEYSET):
            call = Call(vm.dispatcher.plan(torch.ops.aten.add.Tensor), (x, x), {})
            assert can_tell(call) is asked


def smaller_each_time():
    size = 1 << 40
    while size:
        try:
            return torch.empty(size, device="cuda", dtype=torch.uint8)
        except torch.OutOfMemoryError:
            size //= 2
    return None


def test_a_smaller_batch_each_time_is_one_note():
    report = miscast.check(smaller_each_time, machine="v100")
    assert report.findings == ()
    (note,) = (note for note in report.notes if "out of memory" in note)
    assert note.endswith("CUDA out of memory")


def without_meta_kernels():
    x = torch.rand(4, device="cuda")
    torch.binomial(x, x)
    log, target = torch.rand(5, 1, 3, device="cuda"), torch.ones(1, 2, dtype=torch.long, device="cuda")
    torch.nn.functional.ctc_loss(log, target, torch.tensor([5]), torch.tensor([2]))


def test_what_has_a_contract_is_checked_also_where_torch_has_no_meta_kernel():
    report = miscast.check(without_meta_kernels, machine="v100")
    assert (report.ended, report.findings) == (None, ())
    assert report.unchecked == {"aten.binomial": 1}
