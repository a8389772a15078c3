"""Two ranks under DDP: both stop at the same step, the rank at fault names the op, replicas that part are noticed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

import miscast

sys.path.insert(0, str(Path(__file__).parent))
import faulty

sys.path.pop(0)


def _trained(rank, kind):
    """What a rank has to say of it."""
    torch.manual_seed(0)
    model = faulty.Net(faulty.Divides())
    if kind == "sharded":
        model.norm = nn.Identity()
        fully_shard(model)
    else:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    told = {"raised": "", "producers": [], "failed": "", "equal": None}
    on_trip = "skip" if kind == "skip" else "raise"
    with miscast.guard(model, optimizer, on_trip=on_trip, budget=1.0) as guard:
        try:
            for step, (x, y, bad) in enumerate(faulty.batches(rank), 1):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x, bad and rank == 1 and kind != "parted"), y)
                loss.backward()
                if kind == "sharded":
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                if kind == "parted" and step == 4 and rank == 1:
                    with torch.no_grad():
                        model.module.last.bias.add_(1e-3)
                if kind == "parted" and step == 6:
                    guard._step.number = 99
                optimizer.step()
        except miscast.TrippedError as error:
            told["raised"] = error.trip.kind
    trip = guard.trips[0]
    told |= {"step": trip.step, "what": trip.what, "trips": len(guard.trips)}
    if trip.rerun:
        told["producers"] = [one.op for one in trip.rerun.producers]
        told["failed"], told["equal"] = trip.rerun.failed, trip.rerun.equal
    if kind != "sharded":
        told["weights"] = float(sum(p.detach().double().sum() for p in model.parameters()))
    return told


def _rank(rank, kind, file):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    print(json.dumps(_trained(rank, kind)), flush=True)
    dist.destroy_process_group()


@pytest.fixture
def ranks(request):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, request.param, f"{folder}/store"]
        started = [
            subprocess.Popen(
                [*command, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
            )
            for rank in range(2)
        ]
        said = [one.communicate(timeout=120) for one in started]
        assert [one.returncode for one in started] == [0, 0], said
        yield [json.loads(out.splitlines()[-1]) for out, _ in said]


@pytest.mark.parametrize("ranks", ["raise"], indirect=True)
def test_both_stop_and_the_rank_at_fault_names_the_op(ranks):
    assert [one["raised"] for one in ranks] == ["non-finite"] * 2
    assert [one["step"] for one in ranks] == [faulty.BAD] * 2
    assert [one["producers"][:1] for one in ranks] == [[], ["div"]]
    assert [one["equal"] for one in ranks] == [True, True]
    assert "see the reports of the other ranks" in ranks[0]["failed"]


@pytest.mark.parametrize("ranks", ["skip"], indirect=True)
def test_both_skip_the_same_step(ranks):
    assert [one["trips"] for one in ranks] == [1, 1]
    assert ranks[0]["weights"] == ranks[1]["weights"]


@pytest.mark.parametrize("ranks", ["parted"], indirect=True)
def test_replicas_that_part(ranks):
    """Written to on one rank; noticed at the next step at which ranks are compared."""
    assert [one["raised"] for one in ranks] == ["ranks-differ"] * 2
    assert all("of rank 1 no longer match rank 0" in one["what"] for one in ranks)
    assert all("in 1 of" in one["what"] and "last.bias" in one["what"] for one in ranks)


@pytest.mark.parametrize("ranks", ["sharded"], indirect=True)
def test_sharded_parameters_are_watched_and_not_run_again(ranks):
    assert [(one["raised"], one["step"]) for one in ranks] == [("non-finite", faulty.BAD)] * 2
    assert [one["failed"] for one in ranks] == ["its parameters are sharded over the ranks"] * 2


if __name__ == "__main__":
    _rank(int(sys.argv[3]), sys.argv[1], sys.argv[2])
