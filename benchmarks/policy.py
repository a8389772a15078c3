"""Measure what a policy costs, as ratios in one process: `python benchmarks/policy.py`.

    python benchmarks/policy.py [--device cuda] [--quick | --rounds N]

Forward and backward of a transformer of 100 million parameters on one core of the CPU, or ten at a time on a GPU by the
wall clock, in turns. Writes the CPU's table to docs/accuracy.md. Exit code 1 if a goal is missed; `--quick` runs fewer
rounds and writes nothing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import page
import torch
import transformers
from here import conditions
from torch import nn

import miscast
from miscast import Policy

VOCABULARY = 20_000
Seconds = tuple[list[float], list[float]]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """A policy, and the way without one that it is held against; both on the same weights where they can be."""

    name: str
    policy: str
    half: bool = False
    """Whether the weights are bfloat16 on both sides."""
    autocast: bool = False
    """Whether the other side is torch.autocast."""
    goal: float
    rounds: int


CONTESTS = (
    Contest(name="`32-true` over the model alone", policy="32-true", goal=1.02, rounds=24),
    Contest(name="`bf16-true` over `model.bfloat16()`", policy="bf16-true", half=True, goal=1.02, rounds=10),
    Contest(name="`bf16-mixed` over `torch.autocast`", policy="bf16-mixed", autocast=True, goal=1.02, rounds=10),
    Contest(name="`bf16-true` over `torch.autocast`", policy="bf16-true", autocast=True, goal=1.0, rounds=10),
)
TOGETHER = {"cpu": 1, "cuda": 10}
"""So many passes are timed as one: a GPU is only waited for after the last."""


def model() -> nn.Module:
    """GPT-2 with 12 layers of width 768, without dropout."""
    torch.manual_seed(0)
    still = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    config = transformers.GPT2Config(
        n_layer=12, n_embd=768, n_head=12, vocab_size=VOCABULARY, bos_token_id=0, eos_token_id=0, **still
    )
    return transformers.GPT2LMHeadModel(config)


def seconds(net: nn.Module, ids: torch.Tensor, *, autocast: bool = False) -> float:
    """CPU seconds of forward and backward; of ten by the wall clock on a GPU."""
    kind = ids.device.type
    clock = time.process_time if kind == "cpu" else time.perf_counter
    net.zero_grad(set_to_none=True)
    begin = clock()
    for _ in range(TOGETHER[kind]):
        with torch.autocast(kind, torch.bfloat16, enabled=autocast):
            loss = net(input_ids=ids, labels=ids).loss
        loss.backward()
    if kind != "cpu":
        torch.cuda.synchronize()
    return clock() - begin


def measured(contest: Contest, rounds: int, device: str) -> Seconds:
    """Seconds of each side, turn by turn; who begins changes each round.

    One model serves both sides, so that neither is luckier with its memory: the policy is applied and removed between
    the steps. Only `bf16-true` against autocast needs two, of two dtypes.
    """
    ids = torch.randint(0, VOCABULARY, (1, 64) if device == "cpu" else (8, 512)).to(device)
    net = (model().bfloat16() if contest.half else model()).to(device)
    other = model().to(device) if contest.autocast and contest.policy == "bf16-true" else net
    found: Seconds = ([], [])

    def ours() -> None:
        handle = miscast.apply(net, contest.policy)
        found[0].append(seconds(net, ids))
        if other is net:
            handle.remove()

    def theirs() -> None:
        found[1].append(seconds(other, ids, autocast=contest.autocast))

    for turn in range(rounds + 1):
        for side in (ours, theirs) if turn % 2 else (theirs, ours):
            side()
    print(f"{contest.name}: {found[0][-1]:.2f} s, {found[1][-1]:.2f} s", file=sys.stderr, flush=True)
    return found[0][1:], found[1][1:]


def hooked(policy: str) -> int:
    """How many modules get hooks."""
    return len(miscast.apply(model(), policy).boundaries)


def boundary_microseconds() -> float:
    """What one boundary adds to a call whose input fits already."""
    plain, ours, x = nn.Identity(), nn.Identity(), torch.ones(1)
    miscast.apply({"one": ours}, Policy(compute_dtype="float32"))
    best: dict[nn.Module, float] = {}
    for _ in range(20):
        for module in (plain, ours):
            begin = time.process_time()
            for _ in range(5000):
                module(x)
            best[module] = min(best.get(module, 1.0), (time.process_time() - begin) / 5000)
    return (best[ours] - best[plain]) * 1e6


def table(most: int, device: str) -> tuple[list[str], bool]:
    """The rows of the page, of at most so many rounds each, and whether every goal is reached."""
    lines = ["| step time | ratio | goal | |", "|---|---|---|---|"]
    reached = True
    for contest in CONTESTS:
        rounds = min(most, contest.rounds)
        ours, theirs = measured(contest, rounds, device)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        good = ratio <= contest.goal
        reached = reached and good
        lines.append(
            f"| {contest.name} | {ratio:.3f} | ≤ {contest.goal:.2f} | {'reached' if good else '**missed**'} |"
        )
    whole = sum(1 for _ in model().modules())
    lines += [
        "",
        f"{hooked('bf16-true')} of {whole} modules have hooks.",
        f"A hook that has nothing to cast adds {boundary_microseconds():.1f} µs to a call.",
    ]
    return lines, reached


def main() -> int:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=24, help="at most (24)")
    parser.add_argument("--device", choices=TOGETHER, default="cpu")
    given = parser.parse_args()
    torch.set_num_threads(1)
    where = conditions(given.device)
    lines, reached = table(4 if given.quick else given.rounds, given.device)
    lines.insert(0, f"{where}. The ratio is the median of the rounds.\n")
    print("\n".join(lines))
    if not given.quick and given.device == "cpu":
        page.write("make bench-policy", "\n".join(lines))
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
