"""What saves memory beside precision is put on a program that knows nothing of it, and computes what it computed."""

from __future__ import annotations

import importlib

import pytest
import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from miscast.core.machines import find
from miscast.planning.fitting.candidate import LIBRARIES, Candidate, VirtualFit
from miscast.planning.fitting.optimizers import eight_bit, on_host
from miscast.planning.fitting.stepping import stepping
from miscast.planning.fitting.virtual import Virtual
from miscast.planning.moves import Move
from miscast.planning.saving import Shown, saving
from miscast.running.program.run import run_callable

NET = {"name": "net", "trained": True, "checkpoints": "", "wrapped": ""}


def losses(kind=torch.optim.AdamW, device="cpu"):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128)).to(device)
    optimizer = kind(net.parameters(), lr=1e-3)
    halved = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    found = []
    for _ in range(5):
        loss = (net(torch.randn(8, 128, device=device)) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        halved.step()
        optimizer.zero_grad()
        found.append(loss.item())
    return found


def held(**candidate):
    """What a virtual run holds at its peak, and shows."""
    fit = Virtual(VirtualFit(candidate=Candidate(**candidate), steps=2))
    trace, _ = run_callable(lambda: losses(device="cuda"), (), {}, find("a100"), watch=fit.begin)
    assert trace.failed is None
    (memory,) = [one for one in trace.memory if one.device == "cuda:0"]
    return memory, fit.shown()


@pytest.fixture(scope="module")
def whole():
    return held()


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.AdamW])
def test_an_optimizer_on_the_host_takes_the_same_steps(kind):
    own = vars(kind).get("step")
    wanted = losses(kind)
    with stepping(on_host):
        assert losses(kind) == pytest.approx(wanted, rel=1e-6)
    assert kind.step is not own or own is None or vars(kind)["step"] is own
    assert losses(kind) == wanted


def test_hooks_are_called_for_the_one_that_steps():
    stepped = []
    hook = register_optimizer_step_post_hook(
        lambda optimizer, *_: stepped.append(optimizer)
    )
    try:
        with stepping(on_host):
            losses()
    finally:
        hook.remove()
    assert len(stepped) == 5
    assert len(set(map(id, stepped))) == 1
    assert stepped[0].state


def test_a_class_of_the_programs_own_steps_by_itself():
    made = []

    class Own(torch.optim.AdamW):
        pass

    wanted = losses()
    with stepping(made.append):
        assert losses(Own) == wanted
    assert not made


@pytest.mark.parametrize("library", LIBRARIES)
def test_states_of_eight_bits_are_those_of_the_library(library, whole):
    pytest.importorskip(library)
    wanted = losses()
    with stepping(eight_bit(library)):
        close = losses()
    assert close == pytest.approx(wanted, rel=1e-2)
    assert close != wanted
    memory, shown = held(states=library)
    assert 0 < memory.optimizer < whole[0].optimizer / 3
    # torchao's step is compiled: float32 copies of its states are made by none
    assert memory.peak < whole[0].peak
    # every kernel is so small here that its launch is all it takes
    assert shown["forecast"]["launches"] < 3 * whole[1]["forecast"]["launches"]


REPLACED = (
    (torch.autocast, "__init__"), (torch.autocast, "__enter__"), (nn.Module, "__call__"), (torch.optim.AdamW, "step"),
    (torch.distributed, "all_gather_into_tensor"), (torch.distributed, "reduce_scatter_tensor"),
)  # fmt: skip


@pytest.mark.parametrize("candidate", [{}, {"host": "optimizer"}, {"ranks": 4}], ids=str)
def test_nothing_is_replaced_any_more_when_a_candidate_has_run(candidate):
    losses()  # torch wraps an optimizer's step when the first is made
    before = [getattr(holder, name) for holder, name in REPLACED]
    held(**candidate)
    assert [getattr(holder, name) for holder, name in REPLACED] == before
    region = torch.autocast("cpu", dtype=torch.bfloat16)
    with region:
        assert torch.is_autocast_enabled("cpu")


def test_states_on_the_host_are_not_on_the_device_and_transfers_cost(whole):
    memory, shown = held(host="optimizer")
    assert whole[0].optimizer
    assert not memory.optimizer
    numbers = 2 * (128 * 128 + 128)
    moved = shown["forecast"]["kinds"]["transfers with the host"]
    # gradients go, weights come
    assert moved >= 2 * 4 * numbers / find("a100").link.host
    assert "transfers with the host" not in whole[1]["forecast"]["kinds"]


def test_one_of_four_ranks_holds_a_quarter_of_what_is_kept(whole):
    memory, shown = held(ranks=4)
    (component,) = shown["components"]
    assert not component["refused"]
    assert memory.optimizer == pytest.approx(whole[0].optimizer / 4, rel=0.05)
    assert shown["forecast"]["kinds"]["collectives"] > 0
    beside, _ = held(ranks=4, host="weights")
    assert not beside.optimizer
    assert not torch.distributed.is_initialized()


def shown(**said):
    usual = {"components": [NET], "optimizers": ["AdamW"], "share": 0.4, "installed": ["torchao"]}
    return Shown(**{**usual, **said})


def test_what_can_be_saved_is_tried_and_the_rest_is_told():
    more = saving(shown(), find("a100"), 4)
    assert more.first == [Move("", field="states", value="torchao"), Move("", field="ranks", value=4)]
    assert [one.value for one in more.last] == ["optimizer", "weights"]
    assert more.untried == ["8-bit optimizer states of bitsandbytes (not installed)"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"optimizers": ["SGD"]}, "the program uses SGD"),
        ({"optimizers": []}, "no optimizer step was observed"),
        ({"share": 0.003}, "states are only 0.3% of the peak"),
        ({"components": [{**NET, "wrapped": "DistributedDataParallel"}]}, "wraps net in DistributedDataParallel"),
    ],
)
def test_why_something_is_not_tried(said, why):
    more = saving(shown(**said), find("a100"), 4)
    assert any(why in one for one in more.untried)
    assert len(more.first) < 2


@pytest.mark.parametrize("machine", ["m2", "m4", "cpu"])
def test_nothing_is_put_on_a_host_that_shares_its_memory(machine):
    more = saving(shown(), find(machine), 1)
    assert more.last == []
    assert "an optimizer on the host: it shares memory with the device" in more.untried


def test_parts_that_do_not_go_together_are_not_tried():
    assert not Candidate(host="optimizer", states="torchao").possible
    assert not Candidate(host="optimizer", ranks=2).possible
    assert Candidate(host="weights", ranks=2).possible
    assert Candidate(host="weights", checkpointing=True, ranks=2).bare() == Candidate()
    assert Candidate(states="torchao").bare().states == "torchao"


def test_links_are_of_machines_that_are_known():
    from miscast.core.machines.link import _GENERATIONS, _NVLINK
    from miscast.core.machines.peak import PEAKS

    assert set(_NVLINK) <= set(_GENERATIONS) <= set(PEAKS)
    assert importlib.import_module("miscast.core.machines").find("a100").link.peers == 300e9
