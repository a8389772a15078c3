"""When a changed program counts as mended."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import traces
from miscast.core.machines import find
from miscast.fixing.fixes.candidates import Effort
from miscast.fixing.fixes.verdict import Moved, expected, judged, seen
from miscast.fixing.remedy.edit_site import edit_sites
from miscast.fixing.trials.outcome import Outcome
from miscast.vm.machine import VirtualMachine
from miscast.vm.scenes import Scenes
from reports import report

OLD = b"".join(b"line %d\n" % number for number in range(1, 60))
NEW = OLD.replace(b"line 12\n", b"line 12 changed\nand another\n")
MOVED = Moved.between("train.py", OLD, NEW)
BEFORE = replace(report(traces.linear(22), traces.conv(30)), ops=1000)
TARGET = BEFORE.findings[0]


def _verdict(*calls, **more):
    more = {"ops": 1000, **more}
    return _of(Outcome(report=replace(report(*calls), **more)))


def _of(outcome):
    return judged(BEFORE, 0, seen(BEFORE, outcome, MOVED, target=0), MOVED)


def test_the_finding_is_gone_and_the_others_have_moved_with_their_lines():
    verdict = _verdict(traces.conv(31))
    assert (verdict.kept, verdict.follow, verdict.ops) == (True, 1, 1000)


NOT_KEPT = {
    "the finding stays": ([traces.linear(23)], {}),
    "then conv2d mixes float32 `input` with float16 `weight` at train.py:44": ([traces.conv(44)], {}),
    "the program raised NameError": ([], {"ended": "the program raised NameError"}),
    "only 100 of 1,000 ops would run": ([], {"ops": 100}),
    "introduces unchecked op aten.foo": ([], {"unchecked": {"aten.foo": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("why", NOT_KEPT)
def test_a_change_that_does_not_do(why):
    calls, more = NOT_KEPT[why]
    verdict = _verdict(*calls, **more)
    assert (verdict.kept, verdict.why) == (False, why)


def test_the_same_op_at_the_same_line_in_other_words_is_no_fix():
    (other,) = report(traces.linear(23, weight=traces.event("cast", "Module.to", "bfloat16", 5))).findings
    verdict = _of(Outcome(report=replace(BEFORE, findings=(other,))))
    assert not verdict.kept


def test_a_trial_without_a_report():
    assert _of(Outcome(failed="not finished within 30 s")).why == "not finished within 30 s"


def test_what_may_still_show():
    assert expected(BEFORE, MOVED, but=[0]) == [("conv2d", "dtype", "train.py", 31, 31)]


def test_spots_start_at_the_birth_of_the_operand_to_blame():
    roles = [(site.role, site.location.line, site.have, site.want, site.blamed) for site in edit_sites(TARGET)]
    assert roles[0] == ("born", 12, "float32", "float16", True)
    assert roles[1] == ("promoted", 14, "float32", "float16", True)
    assert ("use", 22, "float32", "float16", True) in roles
    assert roles[-1] == ("use", 22, "float16", "float32", False)


def test_a_model_that_was_cast_on_purpose_is_the_last_to_change():
    harms = {site.blamed: site.precision_loss for site in edit_sites(TARGET)}
    assert harms == {True: 0, False: 2}
    (kernel,) = report(traces.eroded()).findings
    assert {site.blamed: site.precision_loss for site in edit_sites(kernel)} == {True: 1, False: 0}


def test_the_cpu_is_no_place_to_move_to():
    (stray,) = report(traces.stray()).findings
    assert {site.want: site.precision_loss for site in edit_sites(stray)} == {"cuda:0": 0, "cpu": 2}


def test_what_is_mended_already_must_not_come_back():
    shown = seen(BEFORE, Outcome(report=replace(report(traces.conv(31)), ops=1000)), MOVED, target=0, mended=[1])
    assert [finding.op for finding in shown.fresh] == ["conv2d"]
    assert judged(BEFORE, 0, shown, MOVED).why.startswith("then conv2d mixes float32 `input` with float16 `weight`")


def test_how_much_is_tried_depends_on_ops_and_not_on_time():
    few, many = replace(BEFORE, ops=100), replace(BEFORE, ops=1_000_000)
    assert Effort.within(100_000, few) == Effort(long=False, most=24)
    assert Effort.within(100_000, many) == Effort(long=True, most=3)
    assert Effort.within(10**9, few).most == 60


def test_numbers_of_operands_are_read_without_an_op_of_the_program():
    def run(watched):
        vm = VirtualMachine(find("a100"))
        if watched:
            Scenes(vm)
        with vm.on():
            torch.zeros(4, device="cuda") + torch.linspace(0, 1, 4)
        assert vm.recorder.broken == 1
        return vm.recorder.ops

    assert run(watched=True) == run(watched=False)


def test_a_finding_that_another_of_its_line_swallows_stays():
    """`x.half()` dropped: then the first call fails as the second one did, which so shows twice."""
    half = traces.linear(22)
    (second,) = report(traces.linear(22, weight=traces.event("cast", "Module.to", "bfloat16", 5))).findings
    before = replace(report(half), findings=(*report(half).findings, second), ops=1000)
    unmoved = Moved.between("train.py", OLD, OLD)

    def kept(count):
        after = Outcome(report=replace(before, findings=(replace(second, count=count),)))
        return judged(before, 0, seen(before, after, unmoved, target=0), unmoved).kept

    assert (kept(second.count), kept(second.count + 1)) == (True, False)


def test_devices_that_differ_in_a_backward_pass_are_no_matter_of_dtypes():
    event = next(e for o in TARGET.operands if o.dtype_origin for e in o.dtype_origin.chain() if e.kind == "promoted")
    finding = replace(TARGET, op=f"{event.op}_backward", about="device", wanted="cpu")
    assert {site.op for site in edit_sites(finding) if site.role == "use"} == {finding.op}


def test_a_change_that_makes_another_finding_worse_is_told_so():
    (other,) = report(traces.conv(31)).findings
    both = replace(other, operands=(*other.operands, replace(other.operands[0], name="bias")))
    shown = seen(BEFORE, Outcome(report=replace(BEFORE, findings=(both,))), MOVED, target=0)
    assert (shown.left, shown.worse) == ({1}, 1)
    assert seen(BEFORE, Outcome(report=replace(BEFORE, findings=(other,))), MOVED, target=0).worse == 0
