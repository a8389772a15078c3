"""Each kind of fault: a program of `cases` with it, and the lines that the best proven fix changes.

    # machine: v100                  the machine that it is fixed on (first line)
    net(x.half())
    # fixed:                         what follows is the diff, without the lines around
    #- net(x.half())
    #+ net(x)
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))


def changed(mending):
    return [line for line in mending.diff().splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_the_best_fix(case, fix):
    source, mark, wanted = case.read_text(encoding="utf-8").partition("# fixed:\n")
    assert mark
    machine = source.partition("\n")[0].removeprefix("# machine: ")
    mending = fix(source, machine)
    assert mending.before.findings, "the program has no fault"
    told = [fixed.fix.title for fixed in mending.fixed]
    assert changed(mending) == [line[1] + line[3:] for line in wanted.splitlines()], told
    assert mending.after.findings == ()
    assert mending.unfixed == ()
    assert all(fixed.fix.verified for fixed in mending.fixed)


@pytest.mark.parametrize("last", [True, False], ids=["late", "in_order"])
@pytest.mark.parametrize("name", ["batch_that_stays_on_the_cpu", "two_mistakes_in_one_input"])
def test_the_best_fix_is_the_same_whichever_trial_ends_first(name, last, fix, worker, monkeypatch):
    program, _, wanted = (CASES[0].parent / f"{name}.py").read_text("utf-8").partition("# fixed:\n")
    first, answer = worker.count, worker._next
    arrived, held = [], []

    def arriving():
        arrived.append(answer())
        return arrived[-1]

    def reordered():
        """Of two trials side by side, the one that was begun first answers last, or first."""
        if held:
            return held.pop()
        outcome = arriving()
        others = set(range(first + 1, worker.count + 1)) - {number for number, _ in arrived}
        if not others or (outcome[0] > min(others)) == last:
            return outcome
        held.append(outcome)
        return arriving()

    monkeypatch.setattr(worker, "_next", reordered)
    told = changed(fix(program, program.partition("\n")[0].removeprefix("# machine: ")))
    assert len(arrived) > 4
    assert told == [line[1] + line[3:] for line in wanted.splitlines()]


@pytest.fixture
def long(monkeypatch):
    """All programs take long."""
    monkeypatch.setattr(importlib.import_module("miscast.fixing.fixes.candidates"), "LONG", 0)


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_as_in_a_program_that_takes_long(case, fix):
    """Fewer trials: what is offered is proven all the same, by a whole run."""
    source = case.read_text(encoding="utf-8")
    mending = fix(source, source.partition("\n")[0].removeprefix("# machine: "))
    assert mending.fixed
    assert mending.after.findings == ()


@pytest.mark.usefixtures("long")
def test_a_trial_ends_behind_the_finding_and_the_whole_is_run_once(fix, worker, monkeypatch):
    monkeypatch.setattr(sys.modules["miscast.fixing.fixes.search"], "_MARGIN", (0.0, 1))
    before = worker.count
    passed = []
    tried = worker.tried

    def watched(*args):
        for key, outcome in tried(*args):
            passed.append(outcome.passed)
            yield key, outcome

    monkeypatch.setattr(worker, "tried", watched)
    mending = fix(
        "import time, torch\n"
        "net = torch.nn.Linear(4, 4)\n"
        "net(torch.ones(2, 4).half())\n"
        "x = torch.ones(2)\n"
        "x = x + 1\n"
        "time.sleep(0.5)\n"
        "x = x + 1\n"
    )
    assert changed(mending) == ["-net(torch.ones(2, 4).half())", "+net(torch.ones(2, 4))"]
    assert mending.after.findings == ()
    assert passed[0]
    assert not passed[-1]
    assert worker.count - before <= 5
    assert worker.end is None  # the limit of a search is that search's alone


APART = """\
import time, torch
first = torch.nn.Linear(4, 4)
second = torch.nn.Linear(4, 4)
first(torch.ones(2, 4).half())
first.weight + 1
time.sleep(0.5)
first.weight + 1
second(torch.ones(2, 4).half())
"""
OF_ONE_LINE = """\
import time, torch
first = torch.nn.Linear(4, 4)
second = torch.nn.Conv2d(4, 4, 1)
both = [torch.ones(shape).half() for shape in [(2, 4), (2, 4, 1, 1)]]
first(both[0])
first.weight + 1
time.sleep(0.5)
first.weight + 1
second(both[1])
"""
BY_A_DEVICE = """\
import time, torch
generator = torch.Generator()
torch.randn(4, generator=generator, device="cuda")
net = torch.nn.Linear(4, 4, device="cuda")
net.weight + 1
time.sleep(0.5)
net.weight + 1
net(torch.rand(2, 4, generator=generator, device=generator.device))
"""


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize(("program", "lines"), [(APART, 2), (OF_ONE_LINE, 1), (BY_A_DEVICE, 1)])
def test_a_change_is_looked_behind_only_where_it_may_mend_another_finding(program, lines, fix, worker, monkeypatch):
    monkeypatch.setattr(sys.modules["miscast.fixing.fixes.search"], "_MARGIN", (0.0, 0))
    before = worker.count
    mending = fix(program)
    assert mending.after.findings == ()
    assert len(changed(mending)) == 2 * lines
    assert worker.count - before == 3
