"""What the help calls safe is done, with real torch on the CPU: the call runs, and no number that was there changes."""

from __future__ import annotations

import ast
import re
import warnings

import pytest
import torch

from miscast.machines import find
from miscast.program.run import run_program
from miscast.rules import judge
from safe_programs import HEAD, programs

TOGETHER = 40
LEAST = {"": 500, "cuda": 100}
AT_CALL = re.compile(r"(?:cast|move) `(\w+)` before \w+,? at \S+: (\.to\(.*\))")
AT_BIRTH = re.compile(r"(?:give `\w+` its dtype|make it on [^,]+,) at \S+:(\d+): (.*)")


def pairs(tmp_path, machine, device):
    """Each advice on each of the programs, of which some run as one."""
    small = list(programs(device))
    for at in range(0, len(small), TOGETHER):
        yield from advice(tmp_path, machine, small[at : at + TOGETHER])


def advice(tmp_path, machine, small):
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
    for finding in judge(trace):
        one, start = starts.get(finding.location.line, (None, 0))
        for fix in finding.fixes if one else ():
            yield one, start, fix


def changed(small, start, fix):
    """The lines with an advice followed."""
    lines = list(small.lines)
    at_call = AT_CALL.fullmatch(fix.title)
    if at_call:
        name = small.names[at_call[1]]
        return [*lines[:-1], re.sub(rf"\b{name}\b", f"{name}{at_call[2]}", lines[-1], count=1)]
    found = AT_BIRTH.fullmatch(fix.title)
    assert found, fix.title
    index, new = int(found[1]) - start - 1, found[2]
    name = ast.unparse(ast.parse(new, mode="eval").body.func)
    node = next(n for n in ast.walk(ast.parse(lines[index])) if isinstance(n, ast.Call) and ast.unparse(n.func) == name)
    lines[index] = lines[index][: node.col_offset] + new + lines[index][node.end_col_offset :]
    return lines


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
    told, followed = 0, 0
    for small, start, fix in pairs(tmp_path, machine, device):
        told += 1
        if fix.safe:
            followed += 1
            lines = changed(small, start, fix)
            before, after = numbers(small.lines[:-1]), numbers(lines[:-1])
            for name, tensor in before.items():
                same = torch.equal(tensor.double(), after[name].double())
                assert same, "\n".join([f"{fix.title} changes {name}:", *small.lines])
            if not device:  # elsewhere it may fail for another reason, too
                numbers(lines)
    assert told >= LEAST[device], told
    assert followed >= told / 20, (followed, told)
