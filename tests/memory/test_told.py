"""What a user sees of memory: a line per device, JSON, and a finding where a device has too little."""

from __future__ import annotations

import json
import os

import pytest
import torch
from accelerate.utils import find_executable_batch_size
from torch import nn

import miscast
from miscast.report.reading import loads
from miscast.report.text import render

from .footprints import run

WIDE = 16384  # a float32 matrix of it is 1 GiB


def train(layers=5):
    model = nn.Sequential(*[nn.Linear(WIDE, WIDE, bias=False) for _ in range(layers)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.ones(8, WIDE, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


@pytest.fixture(scope="module")
def report():
    return miscast.check(train, machine="v100")


def test_the_line_that_first_passes_the_limit_is_an_error(report):
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("memory-exceeds-device", "error")
    assert finding.message == "cuda:0 has 15.78 GiB of memory, tensors need 25.00 GiB at the peak"
    assert finding.location.code == "optimizer.step()"
    assert finding.raises == "OutOfMemoryError"
    # 5 of parameters, 5 of gradients, and the state grows by 1 at a time
    text = "Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 15.78 GiB, 15.00 GiB is allocated by PyTorch."
    assert finding.error == f"CUDA out of memory. {text}"
    assert [fix.title.partition(":")[0] for fix in finding.fixes] == [
        "10.00 GiB of optimizer state", "5.00 GiB of temporaries",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [80, 100])
def test_a_line_tells_the_peak_and_what_it_was_for(report, width):
    text = render(report, width=width, verbose=True)
    assert max(map(len, text.splitlines())) <= width
    told = " ".join(text.split())
    assert "memory cuda:0 25.0 of 15.8 GiB at" in told
    assert "parameters 5.00, gradients 5.00, optimizer state 10.0, temporaries 5.00" in told


def test_json_has_every_device_in_bytes(report):
    text = report.to_json()
    cpu, cuda = json.loads(text)["memory"]
    assert (cpu["device"], cpu["capacity"], cpu["peak"]) == ("cpu", 0, 5 << 30)
    assert (cuda["device"], cuda["optimizer"], cuda["parameters"]) == ("cuda:0", 10 << 30, 5 << 30)
    assert cuda["location"]["code"] == "optimizer.step()"
    assert loads(text).memory == report.memory


def test_what_fits_is_no_finding():
    report = miscast.check(train, machine="a100")
    assert report.findings == ()
    assert "memory      cuda:0 25.0 of 39.4 GiB" in render(report)


def test_a_search_for_the_batch_size_ends_at_the_first_that_fits():
    def program():
        tried = []

        @find_executable_batch_size(starting_batch_size=1 << 14)
        def fill(batch_size):
            tried.append(batch_size)
            first = torch.empty(batch_size, 1 << 20, device="cuda")
            return torch.empty_like(first).shape[0]

        assert fill() == tried[-1]
        assert tried[-1] * 8 <= 15.78 * 1024 < tried[-2] * 8  # two of 4 MiB a row, on 15.78 GiB

    report = miscast.check(program, machine="v100")
    assert (report.findings, report.ended) == ((), None)
    assert any("raised as in torch" in note and "out of memory" in note for note in report.notes)


def test_a_program_that_is_prepared_is_told_as_torch_would():
    def program():
        rows = 8 << 10
        while rows:
            try:
                return torch.empty(rows, 1 << 20, device="cuda").shape[0]
            except torch.OutOfMemoryError as error:
                assert "Tried to allocate" in str(error)  # noqa: PT017 - real programs read it
                rows //= 2
        return None

    trace = run(program, machine="v100")
    assert trace.calls == ()
    assert next(m for m in trace.memory if m.device == "cuda:0").peak >= 8 << 30


def shard():
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    return torch.ones(1 << 20, rank + 1, device="cuda")


def test_each_rank_has_its_own_device():
    report = miscast.check(shard, machine="2xv100", ranks=2)
    held = {(m.rank, m.device): m.peak for m in report.memory if m.device != "cpu"}
    assert held == {(0, "cuda:0"): 4 << 20, (1, "cuda:1"): 8 << 20}
    assert "memory      rank 1 cuda:1 8.00 of 16,160 MiB" in render(report)


def alike():
    torch.cuda.set_device(int(os.environ["RANK"]))
    return torch.ones(1 << 20, device="cuda")


def test_ranks_that_are_alike_are_one_line():
    text = render(miscast.check(alike, machine="4xv100", ranks=3))
    assert text.count("  memory ") == 1
    assert "memory      ranks 0-2 4.00 of 16,160 MiB" in text
