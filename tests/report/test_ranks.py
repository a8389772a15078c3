"""One report of all ranks: what all say is told once, what some say with their numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import traces
from miscast.core.event import Assumption, Effect, Memory, Placed, Precision, Stage
from miscast.core.meeting import MultiRankTrace
from miscast.report.ranks import of_world
from reports import report

EFFECT = Effect(kind="written", what="a.pt")


def world(*ranks, matched=0):
    """The report on a world whose ranks have said this."""
    findings = report(traces.linear()).findings
    told = tuple(replace(one, ranks=(0,)) for one in findings)
    return of_world(MultiRankTrace(traces=tuple(traces.trace(**rank) for rank in ranks), matched=matched), told)


def test_what_the_first_rank_says_of_the_machine():
    told = world({"machine": "a100"}, {"machine": "b"}, matched=5)
    assert (told.machine, told.torch, told.ranks, told.matched, told.ops) == ("a100", "2.13.0", 2, 5, 2468)
    assert [one.ranks for one in told.findings] == [(0,)]


def test_a_world_of_one_is_no_world():
    peak = Memory(device="cuda:0", capacity=2, peak=1)
    told = world({"memory": (peak,), "notes": ("n",)}, matched=5)
    assert (told.ranks, told.matched, told.memory, told.notes) == (0, 0, (peak,), ("n",))
    assert [one.ranks for one in told.findings] == [()]
    assert world({"memory": (peak,)}, {"memory": (peak,)}).memory == (replace(peak, rank=0), replace(peak, rank=1))


def test_lines_have_the_numbers_of_those_that_say_them():
    told = world({"notes": ("all", "two")}, {"notes": ("all",)}, {"notes": ("two", "all", "last")})
    assert told.notes == ("all", "two (on ranks 0, 2)", "last (on rank 2)")


@pytest.mark.parametrize("field", ["ended", "failed"])
def test_how_ranks_ended(field):
    assert getattr(world({}, {}), field) is None
    assert getattr(world({field: "x"}, {field: "x"}), field) == "x"
    assert getattr(world({field: "x"}, {field: "y"}, {}), field) == "x (on rank 0); y (on rank 1)"


def test_what_is_alike_is_told_once():
    told = world(
        {"traceback": "a\n", "effects": (EFFECT,), "unchecked": {"b": 1, "a": 2}},
        {"traceback": "b\n", "effects": (EFFECT, replace(EFFECT, what="b.pt")), "contracts": "declared"},
        {"traceback": "a\n", "unchecked": {"b": 3}, "contracts": "measured"},
    )
    assert told.traceback == "a\nb\n"
    assert [effect.what for effect in told.effects] == ["a.pt", "b.pt"]
    assert list(told.unchecked.items()) == [("a", 2), ("b", 4)]
    assert told.contracts == "declared"
    assert world({}, {}).contracts == ""


def test_an_assumption_as_often_as_the_rank_that_made_it_most():
    one = Assumption(what="item", value="0", location=None, count=2)
    other = replace(one, value="1", count=1)
    told = world({"assumed": (one, other)}, {"assumed": (replace(one, count=5),)}, {"assumed": (one,)})
    assert told.assumed == (replace(one, count=5), other)


def test_precision_by_those_that_agree():
    def rows(component, dtype):
        return (Precision(component=component, aspect="compute", dtype=dtype, counts={"n": 1}),
                Precision(component=component, aspect="outputs", dtype="float32"))  # fmt: skip

    told = world(
        {"precision": rows("a", "float16") + rows("b", "float16")},
        {"precision": rows("a", "float16") + rows("b", "float32")},
        {"precision": rows("a", "float16") + rows("b", "float16")},
    )
    assert [(row.component, row.aspect, row.dtype, row.ranks) for row in told.precision] == [
        ("a", "compute", "float16", ()),
        ("a", "outputs", "float32", ()),
        ("b", "compute", "float16", (0, 2)),
        ("b", "outputs", "float32", (0, 2)),
        ("b", "compute", "float32", (1,)),
        ("b", "outputs", "float32", (1,)),
    ]


CELLS = ("parameters", "inputs", "compute", "outputs")


@pytest.mark.parametrize("cell", CELLS)
def test_modules_are_alike_on_devices_of_their_own(cell):
    def on(device, dtype="float32"):
        return {"stages": (Stage(path="m", kind="Net", **{cell: (Placed(dtype=dtype, device=device),)}),)}

    def told(*ranks):
        return [(getattr(one, cell)[0].device, one.ranks) for one in world(*ranks).stages]

    assert told(on("cuda:0"), on("cuda:1"), {}) == [("cuda:0", ())]
    assert told(on("cuda:0"), on("cpu"), on("cuda:2")) == [("cuda:0", (0, 2)), ("cpu", (1,))]
    assert told(on("cuda:0"), on("cuda:1", "float16")) == [("cuda:0", (0,)), ("cuda:1", (1,))]
