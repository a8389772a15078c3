"""A loop over training steps is cut where its rounds repeat, and finds the same as a whole one."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest

from miscast.core import machines
from miscast.report.judged import judged
from miscast.running.program.following import follow
from miscast.running.program.run import run_program
from miscast.vm.reach import rounds

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="as --reach")

HEAD = """
import torch
device = "cuda"
model = torch.nn.Linear(256, 1).to(device)
opt = torch.optim.SGD(model.parameters(), 1e-3)
def forward():
    return model(torch.randn(64, 256, device=device)).square().mean()
def train():
    loss = forward()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss
def wrong():
    model(torch.randn(4, 256, device=device).half())
"""
CUT = {  # the rounds that run, and those of the loop
    "plain": ("4 of 80", "for step in range(80): train()"),
    "epochs": ("4 of 80", """
for epoch in range(1, 81):
    total = 0.0
    for x in torch.utils.data.DataLoader(torch.randn(640, 256), batch_size=64):
        loss = model(x.to(device)).square().mean()
        opt.zero_grad(); loss.backward(); opt.step()
        total += loss.item()"""),
    "a condition later on": ("5 of 80", """
for step in range(80):
    train()
    if step == 60: wrong()"""),
    "periodic": ("6 of 80", """
every = 25
for step in range(80):
    train()
    if step % every == every - 1: wrong()"""),
    "held in a name": ("6 of 80", """
for step in range(80):
    late = step > 60 and device
    train()
    if late: wrong()"""),
    "at the end": ("5 of 80", """
for step in range(80):
    train()
    if step + 1 == 80: wrong()"""),
    "a counter of the program's": ("43 of 80", """
seen = 0
for step in range(80):
    train(); seen += 64
    if seen > 64 * 40: wrong()"""),
    "gradients over several rounds": ("16 of 80", """
for step in range(80):
    forward().backward()
    if (step + 1) % 4 == 0: opt.step(); opt.zero_grad()"""),
    "what is only summed up": ("4 of 80", """
losses = []
for step in range(80): losses.append(train().item())
print(sum(losses) / len(losses))"""),
    "slices": ("4 of 80", """
data = torch.randn(640, 256, device=device)
for i in range(0, 640, 8):
    loss = model(data[i : i + 8]).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()"""),
    "a bar": ("4 of 80", """
from tqdm import tqdm
bar = tqdm(range(80))
for step in bar: bar.set_postfix(loss=train().item())"""),
    "left by a condition": ("6 of 80", """
for step in range(80):
    train()
    if step >= 40: break
assert step == 40"""),
    "while": ("3", """
def run():
    step = 0
    while step < 80:
        train(); step += 1
    wrong()
run()"""),
    "without an end": ("3", """
step = 0
while True:
    if train().item() and step % 2 == 0: print(step)
    step += 1
    if step > 80: break"""),
    "an average of weights": ("4 of 80", """
mean = torch.nn.Linear(256, 1).to(device).requires_grad_(False)
for step in range(80):
    train()
    for a, b in zip(mean.parameters(), model.parameters()): a.mul_(0.9).add_(b, alpha=0.1)"""),
}  # fmt: skip
WHOLE = {
    "no step": "for step in range(30): forward()",
    "memory grows": """
kept = []
for step in range(30): kept.append(train())
print(len(kept))""",
    "a list that is read": """
losses = []
for step in range(30): losses.append(train().item())
assert [one for one in losses][29:]""",
    "a list by index": """
losses = [0.0] * 30
for step in range(30): losses[step] = train().item()
assert all(losses)""",
    "a sum in bfloat16": """
total = torch.zeros((), device=device, dtype=torch.bfloat16)
for step in range(30): total += train().detach().bfloat16()""",
    "a count that stalls": """
count = torch.zeros(1, dtype=torch.float16)
for step in range(2100): count += 1; step % 700 or train()
for step in range(2100, 2130): count += 1; train()""",
    "known numbers": "for step in range(30): train(); torch.full((4,), step, device=device)",
    "a condition in a function": """
def late(step): return step == 20
for step in range(30):
    train()
    if late(step): wrong()""",
    "other shapes": """
for step in range(30):
    loss = model(torch.randn(1 + step, 256, device=device)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()""",
    "another loader": """
for epoch in range(5): train()""",
}  # fmt: skip


def _found(path, *, whole: bool, numerics: bool = False) -> tuple[object, str, int]:
    """What is found, the rounds that ran, and the ops."""
    def begin(vm):
        vm.every_step = whole
        if numerics:
            follow(vm)

    trace = run_program(str(path), [], machines.find("a100"), reach=1.0, watch=begin)
    assert not trace.ended, trace.ended
    assert not trace.failed, trace.traceback
    cut = re.search(r"loop at train\.py:\d+ shortened to (.*) iterations", " ".join(trace.notes))
    found = [(one.rule, one.location.line) for one in judged(trace).findings]
    return found, cut.group(1) if cut else "", trace.ops


@pytest.mark.parametrize("name", CUT)
def test_a_loop_is_cut(name, tmp_path):
    """Some rounds stand for all, those in which a condition comes out otherwise among them."""
    rounds, body = CUT[name]
    path = tmp_path / "train.py"
    path.write_text(HEAD + textwrap.dedent(body))
    found, cut, ops = _found(path, whole=False)
    every, uncut, more = _found(path, whole=True)
    assert (cut, uncut) == (rounds, "")
    assert found == every
    assert ops < more
    assert bool(found) == ("wrong()" in body)


def test_ops_are_seen_beside_another_that_watches_them(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(HEAD + textwrap.dedent(WHOLE["other shapes"]))
    others = []

    def begin(vm):
        vm.every_step = False
        vm.dispatcher.watches.append(lambda plan, *_: others.append(plan.short))

    trace = run_program(str(path), [], machines.find("a100"), reach=1.0, watch=begin)
    assert not trace.notes
    assert others.count("linear") == 30


@pytest.mark.parametrize("name", WHOLE)
def test_a_loop_runs_whole(name, tmp_path):
    """Rounds that differ, or may, all run."""
    path = tmp_path / "train.py"
    path.write_text(HEAD + textwrap.dedent(WHOLE[name]))
    found, cut, ops = _found(path, whole=False)
    assert not cut
    assert (found, "", ops) == _found(path, whole=True)


ENDLESS = {
    "episodes of any length": """
from itertools import count
class Agent: rewards = []
def reward(length):
    for _ in range(length): Agent.rewards.append(1.0)
    total = sum(Agent.rewards)
    del Agent.rewards[:]
    return total
for episode in count(1):
    loss = model(torch.randn(1 + episode % 7, 256, device=device)).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if episode % 50 == 0: print(episode)
    Agent.rewards.append(1.0)
    if reward(episode % 7) > 100: break
wrong()""",
    "a generator": """
def batches():
    while True: yield torch.randn(64, 256, device=device)
for batch in batches():
    loss = model(batch).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
wrong()""",
}


@pytest.mark.parametrize("numerics", [False, True])
@pytest.mark.parametrize("name", ENDLESS)
def test_a_loop_without_an_end_is_left(name, numerics, tmp_path, monkeypatch):
    """What stands behind it is checked too."""
    monkeypatch.setattr(rounds, "_PLENTY", 1_000)
    path = tmp_path / "train.py"
    path.write_text(HEAD + textwrap.dedent(ENDLESS[name]))
    found, cut, ops = _found(path, whole=False, numerics=numerics)
    assert [line for _, line in found] == [13]
    assert int(cut) > 16
    assert 1_000 < ops < 3_000


def test_what_numba_compiles_is_left_alone(tmp_path):
    """Its functions can call nothing of Python."""
    path = tmp_path / "train.py"
    path.write_text(HEAD + textwrap.dedent("""
        def njit(fn=None, **options):
            if fn is None: return njit
            assert not [name for name in fn.__code__.co_names if "miscast" in name]
            return fn
        @njit
        def plain(n):
            for i in range(n): n += i if n else 0
        @njit(cache=True)
        def cached(n):
            while n > 0: n -= 1
        def given(n):
            if n: n -= 1
        given = njit(given)
    """))
    assert _found(path, whole=False)[0] == []
