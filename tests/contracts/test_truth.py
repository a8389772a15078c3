"""Contracts against real CPU torch, over its whole operator database (see real_torch.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import torch

from miscast.contracts import Input, contracts_for, judge, pointwise_contract

PARTS = 2
VERSION = tuple(int(n) for n in torch.__version__.split("+")[0].split(".")[:2])
MEASURED_ON = (2, 13)


@pytest.fixture(scope="module")
def trials():
    script = Path(__file__).with_name("real_torch.py")
    commands = [[sys.executable, str(script), str(part), str(PARTS)] for part in range(PARTS)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    lines = [line for process in running for line in process.communicate()[0].splitlines()]
    assert [process.returncode for process in running] == [0] * PARTS
    return [json.loads(line) for line in lines]


@cache
def pointwise(op):
    space, name, overload = (*op.split("."), "default")[:3]
    packet = getattr(getattr(torch.ops, space), name, None)  # torch registers a few ops of its own when first used
    return packet is not None and torch.Tag.pointwise in getattr(packet, overload).tags


@cache
def contract_of(op):
    return contracts_for(op, "cpu", VERSION) or (pointwise_contract(op) if pointwise(op) else None)


def verdict(calls):
    """The violations of a call, judged as the virtual machine does: a composite without contract by what it calls.

    None if nothing in it could be judged.
    """
    op, inputs, depth, composite = calls[0]
    contract = contract_of(op)
    if contract is None and composite:
        inner = [verdict(own(calls[i:])) for i, call in enumerate(calls) if i and call[2] == depth + 1]
        return None if None in inner else [violation for found in inner for violation in found]
    operands = [Input(name=name, dtype=dtype, device=device, dim=dim) for name, dtype, device, dim in inputs]
    alone = sum(operand.dim >= 0 for operand in operands) < 2
    return None if contract is None and not alone else list(judge(contract, operands))


def own(calls):
    """The calls of a trial without what its neighbours called: a call and all deeper ones that follow it."""
    depth = calls[0][2]
    rest = next((i for i, call in enumerate(calls) if i and call[2] <= depth), len(calls))
    return calls[:rest]


def tally(trials):
    cells, texts, wrong = Counter(), Counter(), Counter()
    for trial in trials:
        found = verdict(own(trial["calls"]))
        said = "unchecked" if found is None else "reported" if found else "silent"
        truth = "raises" if trial["error"] else "runs"
        cells[said, truth] += 1
        if (said, truth) in (("reported", "runs"), ("silent", "raises")):
            wrong[trial["calls"][0][0], said] += 1
        if (said, truth) == ("reported", "raises"):
            texts[any(v.error and trial["error"].startswith(v.error) for v in found)] += 1
    return cells, texts, wrong


@pytest.mark.slow
@pytest.mark.skipif(VERSION != MEASURED_ON, reason="error texts and a few rules differ between versions of torch")
def test_contracts_say_what_torch_does(trials):
    cells, texts, wrong = tally(trials)
    raises = cells["reported", "raises"] + cells["silent", "raises"]
    runs = cells["reported", "runs"] + cells["silent", "runs"]
    recall, alarms = cells["reported", "raises"] / raises, cells["reported", "runs"] / runs
    unchecked = cells["unchecked", "raises"] + cells["unchecked", "runs"]
    right = texts[True] / sum(texts.values())
    print(f"\n{raises + runs} calls judged, {unchecked} unchecked; of {raises} that raise {recall:.2%} reported, "
          f"of {runs} that run {alarms:.2%}; {right:.1%} of the texts are torch's own")  # fmt: skip
    print("\n".join(f"{count:4} {op} {said}" for (op, said), count in wrong.most_common(25)))
    assert raises + runs > 12_000
    assert recall >= 0.988
    assert alarms <= 0.002
    assert right >= 0.88
    assert unchecked / len(trials) <= 0.01


@pytest.mark.slow
def test_unchanged_calls_are_never_reported(trials):
    plain = [trial for trial in trials if trial["changed"] is None]
    assert len(plain) > 1_000
    assert [trial["calls"][0] for trial in plain if verdict(own(trial["calls"]))] == []
