"""Processes that a program starts: they run on the machine, and what they do wrong is told."""

from __future__ import annotations

import json

import pytest

from command import miscast_in

HOGWILD = """
import sys
import torch
import torch.multiprocessing as mp


def train(rank, model, results):
    torch.manual_seed(rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        model(torch.randn(4, 8)).sum().backward()
        optimizer.step()
    results.put((rank, torch.full((2,), rank, dtype=torch.bfloat16), model.weight))
    model(torch.ones(2, 8).half())


if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    model = torch.nn.Linear(8, 3)
    assert not model.weight.is_shared()
    model.share_memory()
    assert model.weight.is_shared()
    results = context.Queue()
    processes = [context.Process(target=train, args=(rank, model, results)) for rank in range(2)]
    for process in processes:
        process.start()
    for rank, ranks, weight in sorted([results.get() for _ in processes], key=lambda result: result[0]):
        assert ranks.dtype is torch.bfloat16 and ranks.tolist() == [rank, rank]
        assert weight.shape == (3, 8) and isinstance(weight, torch.nn.Parameter)
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
"""
POOLS = """
import os
import torch
import torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor


def double(x):
    return x * 2


def mixed(x):
    return x.half() @ x


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with mp.get_context(method).Pool(2) as pool:
            assert [r.dtype for r in pool.map(double, [torch.ones(3), torch.ones(3).double()])] == [
                torch.float32, torch.float64
            ]
    with ProcessPoolExecutor(2, mp_context=mp.get_context("spawn")) as executor:
        assert all(r.shape == () for r in executor.map(mixed, [torch.ones(2)] * 3))
    with mp.Manager() as manager:
        shared = manager.dict(step=torch.tensor([3]))
        assert shared["step"].tolist() == [3]
    child = os.fork()
    if child == 0:
        mixed(torch.ones(5))
        os._exit(0)
    os.waitpid(child, 0)
    queue = mp.Queue()
    queue.put((torch.ones(2, requires_grad=True) * 2).detach())
    assert queue.get().dtype is torch.float32
"""
FORKED = """
import sys
import torch
import torch.multiprocessing as mp


def child(results):
    results.put(torch.ones(2, device="cuda").cpu())


if __name__ == "__main__":
    context = mp.get_context(sys.argv[1])
    if "before" in sys.argv:
        torch.nn.Linear(2, 2).cuda()
    assert torch.cuda.device_count() == 1
    results = context.Queue()
    process = context.Process(target=child, args=(results,))
    process.start()
    results.get()
    process.join()
"""
SAVED = """
import torch
import torch.multiprocessing as mp


def child(done, later):
    torch.save({"mine": torch.ones(2), "half": torch.ones(3, 4).half()}, "child.pt")
    assert torch.load("parent.pt") == {"first": 1}
    done.put(1)
    later.get()
    assert torch.load("later.pt") == {"second": 1}
    done.put(2)


if __name__ == "__main__":
    torch.save({"first": 1}, "parent.pt")
    context = mp.get_context("spawn")
    done, later = context.Queue(), context.Queue()
    process = context.Process(target=child, args=(done, later))
    process.start()
    done.get()
    torch.save({"second": 1}, "later.pt")
    later.put(1)
    assert done.get() == 2
    process.join()
    found = torch.load("child.pt", map_location="cuda")
    assert found["mine"].tolist() == [1, 1]
    assert found["mine"].device.type == "cuda"
    assert torch.load("parent.pt") == {"first": 1}
    torch.nn.functional.linear(torch.ones(2, 4, device="cuda"), found["half"])
"""

THREADS = """
import multiprocessing
import numpy, torch
from torch import nn

def train(net):
    loss = nn.functional.nll_loss(net(torch.randn(64, 1, 28, 28)), torch.randint(0, 10, (64,)))
    loss.backward()

if __name__ == "__main__":
    torch.from_numpy(numpy.ones((600, 784), dtype="uint8")).float().sum()
    net = nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.Dropout2d(), nn.Flatten(), nn.Linear(1440, 10), nn.LogSoftmax(1)
    )
    process = multiprocessing.get_context("spawn").Process(target=train, args=(net,))
    process.start()
    process.join()
"""


def checked(folder, source, *args, box="kernel", machine="cpu", **how):
    (folder / "program.py").write_text(source, encoding="utf-8")
    options = ["--format", "json", "--machine", machine, "--time-limit", "60"]
    forced = {"MISCAST_BOX": box} if box == "python" else {}
    done = miscast_in(folder, "check", *options, "program.py", *args, **forced, **how)
    report = json.loads(done.stdout)
    assert report["ended"] is None, done.stderr
    return report


def lines(report):
    return [finding["location"]["line"] for finding in report["findings"]]


@pytest.mark.parametrize("box", ["kernel", "python"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_children_do_wrong_is_told(tmp_path, method, box):
    report = checked(tmp_path, HOGWILD, method, box=box)
    assert lines(report) == [14]
    (finding,) = report["findings"]
    assert finding["rule"] == "operand-dtype-mismatch"
    assert finding["count"] == 2


def test_a_child_does_not_wait_for_threads_of_its_parent(tmp_path):
    """OpenMP's threads are not there in a fork; a child that is spawned for real has its own."""
    checked(tmp_path, THREADS, cold=True, OMP_NUM_THREADS="2")


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_pools_managers_and_forks(tmp_path, box):
    assert lines(checked(tmp_path, POOLS, box=box)) == [13]


@pytest.mark.parametrize(
    ("args", "found"), [(["fork", "before"], [8]), (["spawn", "before"], []), (["fork"], []), (["forkserver"], [])]
)
def test_a_gpu_in_use_is_not_there_in_a_fork(tmp_path, args, found):
    report = checked(tmp_path, FORKED, *args, machine="a100")
    assert lines(report) == found
    assert all("forked process" in finding["message"] for finding in report["findings"])


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_what_another_process_saved(tmp_path, box):
    assert lines(checked(tmp_path, SAVED, box=box, machine="a100")) == [30]
    assert not list(tmp_path.glob("*.pt"))
