"""The memory of shadows is bounded: what has no room counts as exact and is counted; what is over is given back."""

from __future__ import annotations

import gc
import json

import pytest
import torch

import miscast
from command import miscast_in
from miscast.numbers.values import record
from miscast.numbers.values.against import Against
from miscast.numbers.values.room import Room, spelled
from miscast.numbers.values.session import Session
from shadowed import shadowed

THIRDS = """
import torch
kept = [torch.ones(1024, dtype=torch.bfloat16) / 3 for _ in range(64)]
"""


def test_no_more_is_held_than_is_allowed_and_the_rest_is_counted():
    session, variables = shadowed(THIRDS, memory=8 << 13)
    assert session.room.most["cpu"] == session.room.held["cpu"] == 8 << 13
    assert session.room.refused == 56
    assert sum(record.find(one).wide is not None for one in variables["kept"]) == 8
    (note,) = session.report().notes
    assert note.startswith("the shadow's memory (64 KiB on cpu) was full: 56 results are treated as exact")


def test_memory_that_ends_gives_its_room_back():
    session = Session(memory=1 << 20)
    with session.on():
        for _ in range(1000):
            torch.ones(4096, dtype=torch.bfloat16) / 3
    gc.collect()
    assert session.room.refused == 0
    assert session.room.held["cpu"] == 0
    assert 0 < session.room.most["cpu"] <= 1 << 17


def test_what_becomes_exact_gives_its_room_back():
    session = Session()
    with session.on():
        third = torch.ones(1024, dtype=torch.bfloat16) / 3
        assert session.room.held["cpu"] == 1024 * 8
        third.zero_()
    assert session.room.held["cpu"] == 0


def test_a_whole_training_stays_within_it():
    source = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    net = nn.Sequential(*[nn.Linear(64, 64) for _ in range(6)]).bfloat16()
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(3):
        net(torch.randn(32, 64).bfloat16()).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    """
    free, _ = shadowed(source)
    bound, _ = shadowed(source, memory=1 << 18)
    assert free.room.most["cpu"] > 1 << 18 >= bound.room.most["cpu"] > 0
    assert free.room.refused == 0 < bound.room.refused


def test_the_twin_is_bounded_too():
    looks = Against("fp32", memory=1 << 13)
    with looks.on():
        kept = [torch.ones(1024, dtype=torch.bfloat16) / 3 for _ in range(4)]
    assert looks.room.most["cpu"] == 1 << 13
    assert looks.room.refused == 2
    assert "results are treated as exact" in looks.report().notes[0]
    assert kept


def test_half_of_what_is_free_unless_said_otherwise():
    assert Room(5).limit("cpu") == 5
    assert 1 << 20 < Room().limit("cpu") < 1 << 50


def test_from_python_and_the_command_line(tmp_path):
    report = miscast.shadow(lambda: [torch.ones(1024).bfloat16() / 3 for _ in range(4)], memory=1 << 13)
    assert "3 results are treated as exact" in report.notes[0]
    (tmp_path / "thirds.py").write_text(THIRDS)
    ran = miscast_in(tmp_path, "run", "--shadow", "--memory", "16K", "--format", "json", "thirds.py")
    assert "(16 KiB on cpu) was full: 62 results" in json.loads(ran.stderr)["notes"][0]


@pytest.mark.parametrize(("size", "told"), [(12, "12 B"), (8 << 13, "64 KiB"), (3 << 29, "1.5 GiB")])
def test_sizes_are_told_in_units(size, told):
    assert spelled(size) == told
