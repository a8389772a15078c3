"""What a change of `fix` is called safe for is done, with real torch on the CPU: no number that was there changes."""

from __future__ import annotations

import re
import warnings

import pytest
import torch

from miscast.core.machines import find
from miscast.fixing.remedy.proposing import Sources, proposed
from miscast.judging.rules import judge
from miscast.running.program.run import run_program
from safe_programs import HEAD, programs

TOGETHER = 8
LEAST = {"": 100, "cuda": 20}


def changes(tmp_path, machine, device):
    """Each change that is proposed for one of the programs, of which some run as one, with its program."""
    small = list(programs(device))[::3]
    for at in range(0, len(small), TOGETHER):
        yield from together(tmp_path, machine, small[at : at + TOGETHER])


def together(tmp_path, machine, small):
    starts, lines = {}, HEAD.splitlines()
    for one in small:
        starts[len(lines) + len(one.lines)] = one, len(lines)
        lines += one.lines
    script = tmp_path / f"small{small[0].number}.py"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = run_program(str(script), (), find(machine))
    assert (trace.ended, trace.failed) == (None, None)
    sources = Sources({})
    for finding in judge(trace):
        one, start = starts.get(finding.location.line, (None, 0))
        for change in proposed(finding, {}, sources) if one else ():
            yield one, start, change


def numbers(lines):
    """What a program makes, by name."""
    scope = {}
    torch.manual_seed(0)
    text = re.sub(r"cuda(:0)?", "cpu", "\n".join([*HEAD.splitlines(), *lines]))
    exec(compile(text, "small", "exec"), scope)
    modules = [value for value in scope.values() if isinstance(value, torch.nn.Module)]
    weights = {f"weight{i}": w for i, m in enumerate(modules) for w in m.parameters()}
    return {name: value for name, value in (scope | weights).items() if isinstance(value, torch.Tensor)}


@pytest.mark.parametrize(("machine", "device"), [("cpu", ""), ("a100", "cuda")])
def test_what_is_safe_changes_no_number(machine, device, tmp_path):
    seen, safe = set(), 0
    for small, start, change in changes(tmp_path, machine, device):
        seen.add(small.number)
        variant = change.variants[-1]
        written = variant.write() if change.safe and variant.sure else None
        if written is None:
            continue
        safe += 1
        more = len(written.splitlines()) - len(change.source.data.splitlines())
        lines = written.decode().splitlines()[start : start + len(small.lines) + more]
        before, after = numbers(small.lines[:-1]), numbers(lines[:-1])
        for name, tensor in before.items():
            same = torch.equal(tensor.double(), after[name].double())
            assert same, "\n".join([f"{variant.title} changes {name}:", *small.lines])
    assert len(seen) >= LEAST[device], len(seen)
    assert safe >= len(seen) / 10, (safe, len(seen))
