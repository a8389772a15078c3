"""`check --tree`: the modules as they ran, folded where nothing changes, as text of 80 columns and as JSON."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import msgspec
import torch
from torch import nn

import miscast
import precision_programs
from command import miscast_in
from miscast.report.module_tree import ModuleTree
from miscast.report.precision import ObservedPrecision


def report(program, machine="cpu"):
    found = miscast.check(program, lambda *_: None, machine=machine)
    assert (found.ended, found.failed, found.findings) == (None, None, ())
    return found


def lines(stages, width=80):
    return [line.plain for line in ModuleTree(stages=stages).lines(width)]


def test_what_is_alike_throughout_is_one_line():
    def program(_seen):
        model = precision_programs.Net(depth=40)
        model(torch.randn(2, 3, 8))

    assert [(s.path, s.kind, s.depth) for s in report(program).stages] == [("model", "Net", 0)]


def test_a_stack_that_changes_within_is_one_line_with_its_parts():
    def program(_seen):
        model = precision_programs.Net(depth=40)
        with torch.autocast("cpu", torch.bfloat16):
            model(torch.randn(2, 3, 8))

    assert lines(report(program).stages) == [
        "modules as they ran        parameters inputs     compute    outputs    device",
        "model  Net                 float32    float32    →bfloat16  bfloat16   cpu",
        "  layers  Sequential       float32    float32    →bfloat16  →float32",
        "    0-39  Block            float32    float32    →bfloat16  →float32",
        "      norm  LayerNorm      float32    float32    float32    float32",
        "      attention  Attention float32    float32    →bfloat16  bfloat16",
        "        qkv  Linear        float32    float32    →bfloat16  bfloat16",
        "        out  Linear        float32    →bfloat16  bfloat16   bfloat16",
        "  head  Linear             float32    float32    →bfloat16  bfloat16",
    ]


def test_a_move_between_devices_is_marked():
    class Split(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 4).to("cuda:0")
            self.second = nn.Linear(4, 4).to("cuda:1")

        def forward(self, x):
            return self.second(self.first(x).to("cuda:1"))

    def program(_seen):
        model = Split()
        model(torch.randn(2, 4, device="cuda:0"))

    told = lines(report(program, "2xa100").stages)
    assert [line.split()[-1] for line in told[2:]] == ["cuda:0", "cuda:1"]


def test_no_line_is_wider_than_80_columns():
    def program(_seen):
        class AVeryLongNameOfAClassThatNobodyWouldWrite(nn.Module):
            def __init__(self):
                super().__init__()
                self.a_very_long_name_of_a_layer_that_is_there = nn.Linear(4, 4).half()

            def forward(self, x):
                return self.a_very_long_name_of_a_layer_that_is_there(x.half()).float()

        model = AVeryLongNameOfAClassThatNobodyWouldWrite()
        model(torch.randn(2, 4))

    found = report(program)
    told = lines(found.stages)
    assert len(told) == 3
    assert max(map(len, told)) <= 80


def test_the_tree_and_the_table_in_a_report():
    found = report(precision_programs.autocast_bfloat16)
    views = (ObservedPrecision(rows=found.precision), ModuleTree(stages=found.stages))
    told = replace(found, sections=views)
    data = json.loads(told.to_json())
    assert data["tree"][0]["compute"] == [{"dtype": "bfloat16", "device": "cpu"}]
    compute = next(row for row in data["precision"] if row["aspect"] == "compute")
    assert (compute["component"], compute["dtype"], compute["counts"]) == ("model", "bfloat16", {"bfloat16": 14})
    assert compute["decided_by"]["code"].startswith("steps(model, optimizer, region=torch.autocast(")
    text = str(told)
    assert "  compute           bfloat16 2\n" in text
    assert "  precision   model: parameters, gradients, optimizer states float32; compute, outputs" in text


def test_hooks_are_gone_after_a_check():
    report(precision_programs.plain_float32)
    assert not torch.nn.modules.module._has_any_global_hook()


def test_the_options_of_the_command(tmp_path):
    (tmp_path / "train.py").write_text(
        "import torch\nmodel = torch.nn.Linear(4, 4).cuda().half()\nmodel(torch.ones(1, 4).cuda().half())\n"
    )
    plain = miscast_in(tmp_path, "check", "--machine", "a100", "train.py").stdout
    assert "  precision   model: float16 throughout\n" in plain
    assert not {"effective precision", "modules as they ran"} & set(plain.splitlines())
    told = miscast_in(tmp_path, "check", "--machine", "a100", "--precision", "--tree", "train.py").stdout
    assert "effective precision  as observed\n" in told
    assert "  1  train.py:2  model = torch.nn.Linear(4, 4).cuda().half()\n" in told
    assert "model  Linear              float16    float16    float16    float16    cuda:0\n" in told
    data = json.loads(miscast_in(tmp_path, "check", "--machine", "a100", "--format", "json", "train.py").stdout)
    assert {row["aspect"]: row["dtype"] for row in data["precision"]}["compute"] == "float16"
    assert "tree" not in data


def _ranked():
    """Rank 0 holds the first stage of a pipeline, rank 1 the second, in another dtype."""
    rank = int(os.environ["RANK"])
    torch.distributed.init_process_group("nccl")
    torch.cuda.set_device(rank)
    stage = nn.Linear(8, 8) if rank == 0 else nn.Sequential(nn.Linear(8, 2)).bfloat16()
    stage.cuda()(torch.randn(2, 8, device="cuda", dtype=next(stage.parameters()).dtype))
    torch.distributed.destroy_process_group()


def test_ranks_that_ran_other_modules_are_told_with_their_numbers():
    found = miscast.check(_ranked, machine="2xa100", ranks=2)
    assert {(s.kind, s.ranks) for s in found.stages} == {("Linear", (0,)), ("Sequential", (1,))}
    text = lines(found.stages)
    assert [text.index("rank 0"), text.index("rank 1")] == [1, 3]
    assert [part.ranks for part in ModuleTree(stages=found.stages).data()] == [(0,), (1,)]


def _replicas():
    """The same model on each rank, on a device of its own."""
    torch.distributed.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["RANK"]))
    nn.Linear(8, 8).cuda()(torch.randn(2, 8, device="cuda"))
    torch.distributed.destroy_process_group()


def test_ranks_that_ran_the_same_are_told_once():
    found = miscast.check(_replicas, machine="2xa100", ranks=2)
    assert [(s.kind, s.ranks) for s in found.stages] == [("Linear", ())]
    assert "ranks" not in msgspec.to_builtins(ModuleTree(stages=found.stages).data())[0]
