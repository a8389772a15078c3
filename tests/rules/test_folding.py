"""Consequences stand under their cause; what is independent does not."""

from __future__ import annotations

import traces
from miscast.core.event import Violation
from miscast.judging.rules import judge
from traces import event, operand


def _roots(*calls, strict=False):
    return [finding.consequence_of for finding in judge(traces.trace(*calls), strict=strict)]


def test_one_promotion_behind_two_ops_is_one_mistake():
    assert _roots(traces.linear(), traces.conv()) == [None, 0]


def test_a_consequence_of_a_consequence_names_the_root():
    assert _roots(traces.linear(), traces.conv(23), traces.conv(24)) == [None, 0, 0]


def test_two_births_are_two_mistakes():
    other = event("born", "torch.arange", "float32", 60, "t = torch.arange(10.0)")
    assert _roots(traces.linear(), traces.linear(61, origin=other)) == [None, None]


def test_innocent_operands_do_not_tie_findings_together():
    """Both convolutions have the same half input; each has float32 weights of its own."""
    second = event("born", "torch.empty", "float32", 8, "blur = nn.Conv2d(1, 1, 5)")
    first = traces.eroded()
    weight = operand("weight", "float32", second)
    other = traces.call("conv2d", [first.operands[0], weight], first.violation, traces.at(31, "blur(m)", module="blur"))
    assert _roots(first, other) == [None, None]


def test_a_mended_operand_that_fails_later_is_a_consequence():
    """The input took over float32 from the weight that nobody cast, and meets half weights."""
    assert _roots(traces.eroded(), traces.conv(32, origin=traces.ERODE)) == [None, 0]


def test_dtype_and_device_are_two_mistakes():
    assert _roots(traces.linear(), traces.stray()) == [None, None]


def test_a_warning_is_never_the_cause_of_an_error():
    assert _roots(traces.linear(21, hidden=True), traces.linear(22), strict=True) == [None, None]


def test_the_same_call_again_is_counted():
    (finding,) = judge(traces.trace(traces.linear(count=3), traces.linear(count=4)))
    assert finding.count == 7


def test_the_order_is_that_of_the_run():
    found = judge(traces.trace(traces.stray(), traces.linear()))
    assert [finding.rule for finding in found] == ["operand-device-mismatch", "operand-dtype-mismatch"]


def test_two_numbers_that_do_not_fit_the_same_tensor_are_two_mistakes():
    """Nothing is wrong with the cast behind the tensor: each number is to blame at its own line."""
    scores = operand("self", "float16", traces.HALF)

    def fill(line):
        broken = Violation(kind="number", odd=("self",), expected="float16", error="…", argument="value", value="1e9")
        return traces.call("fill_", [scores], broken, traces.at(line))

    assert _roots(fill(3), fill(4)) == [None, None]


def test_two_ops_without_a_kernel_are_two_mistakes():
    """Each is computed in float32 at its own line; but a promotion behind one is the mistake of both its findings."""

    def lacking(line, origin):
        broken = Violation(kind="unsupported", odd=("self",), expected="float32", error="… not implemented for 'Half'")
        return traces.call("inverse", [operand("self", "float16", origin)], broken, traces.at(line))

    assert _roots(lacking(3, traces.HALF), lacking(4, traces.HALF)) == [None, None]
    assert _roots(traces.linear(), lacking(30, traces.CAT)) == [None, 0]
