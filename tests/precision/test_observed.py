"""The table of effective precision that `check` observes is what the program's own objects say in a real run."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import miscast
import precision_programs
import real_precision

ASPECTS = ("parameters", "compute", "gradients", "reduction", "optimizer_states", "buffers", "outputs", "autocast")


def observed(program, machine="cpu"):
    """The rows of a run on the virtual machine, by component."""
    report = miscast.check(program, lambda *_: None, machine=machine)
    assert (report.ended, report.failed) == (None, None)
    assert [one for one in report.findings if one.severity == "error"] == []
    found = {}
    for row in report.precision:
        found.setdefault(row.component, {})[row.aspect] = row
    return found


def values(row):
    return set(row.counts) or {row.dtype}


@pytest.mark.parametrize("program", precision_programs.PROGRAMS, ids=lambda program: program.__name__)
def test_what_is_observed_is_what_is(program, monkeypatch):
    table = observed(program)
    real = real_precision.truth(program, monkeypatch)
    for aspect in ASPECTS:
        if aspect == "outputs" and aspect not in real:
            continue  # the program calls only parts of its model
        models = {}  # the trained and the frozen part of a model are one to the judge
        for name, rows in table.items():
            if aspect in rows:
                models.setdefault(name.partition(" ")[0], set()).update(values(rows[aspect]) - {"none"})
        there = sorted(map(sorted, real.get(aspect, {}).values()))
        assert sorted(map(sorted, filter(None, models.values()))) == there, aspect


CELLS = {
    "plain_float32": {("model", "loss_scaling"): "off", ("model", "attention"): "sdpa"},
    "autocast_bfloat16": {("model", "parameters"): "float32", ("model", "autocast"): "bfloat16"},
    "scaled_float16": {("model", "loss_scaling"): "dynamic", ("model", "compute"): "float16"},
    "scaler_switched_off": {("model", "loss_scaling"): "off", ("model", "gradients"): "bfloat16"},
    "masters_in_the_state": {("model", "optimizer_states"): "float32, momentum bfloat16"},
    "masters_of_its_own": {("model", "gradients"): "float16", ("model", "optimizer_states"): "float32"},
    "norms_in_float32": {("model", "parameters"): "bfloat16, norms float32"},
    "frozen_encoder": {("encoder", "gradients"): "none", ("model", "gradients"): "float32"},
    "written_out": {("model", "attention"): "eager"},
    "adapters": {
        ("model (frozen)", "parameters"): "float16",
        ("model (trained)", "parameters"): "float32",
        ("model (frozen)", "gradients"): "none",
        ("model (trained)", "gradients"): "float32",
        ("model (trained)", "compute"): "float32",
    },
    "eight_bit_states": {("model", "optimizer_states"): "uint8"},
    "accumulated": {("model", "accumulation"): "bfloat16"},
    "main_gradients": {("model", "accumulation"): "float32", ("model", "gradients"): "bfloat16"},
    "an_island": {("model", "compute"): "bfloat16, head float32", ("model", "autocast"): "bfloat16, head off"},
    "convolutions": {("model", "outputs"): "bfloat16, loss float32"},
    "compressed_reduction": {("model", "reduction"): "float16"},
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_spelled_as_lint_spells_it(name):
    table = observed(getattr(precision_programs, name))
    for (component, aspect), value in CELLS[name].items():
        assert (component, table[component][aspect].dtype) == (component, value), aspect


def test_what_was_not_seen_is_not_told():
    (rows,) = observed(precision_programs.only_run).values()
    assert set(rows) == {"parameters", "compute", "buffers", "outputs", "autocast", "attention"}
    (rows,) = observed(precision_programs.plain_float32).values()
    assert not {"accumulation", "reduction", "tf32"} & set(rows)


@pytest.mark.parametrize(
    ("name", "aspect", "code"),
    [
        ("half", "parameters", "model = Net().half()"),
        ("half", "compute", "model = Net().half()"),
        ("autocast_bfloat16", "compute", 'steps(model, optimizer, region=torch.autocast("cpu", torch.bfloat16))'),
        ("autocast_bfloat16", "autocast", 'steps(model, optimizer, region=torch.autocast("cpu", torch.bfloat16))'),
        ("scaled_float16", "loss_scaling", 'scaler = torch.amp.GradScaler("cpu")'),
        ("masters_in_the_state", "gradients", "model = Net().bfloat16()"),
        ("eight_bit_states", "optimizer_states", 'state["state1"] = torch.zeros_like(p, dtype=torch.uint8)'),
    ],
)
def test_the_line_that_decided_is_told(name, aspect, code):
    row = observed(getattr(precision_programs, name))["model"][aspect]
    assert row.decided_by.code == code


SWITCHES = {
    "": "off",
    "torch.backends.cuda.matmul.allow_tf32 = True": "on",
    "torch.backends.cuda.matmul.fp32_precision = 'tf32'": "on",
    'torch.set_float32_matmul_precision("high")': "on",
    'torch.set_float32_matmul_precision("highest")': "off",
}


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("machine", ["a100", "v100", "cpu"])
def test_the_switch_of_tf32_is_told_where_the_machine_has_it(switch, machine):
    def program(_seen):
        exec(switch)
        model = nn.Linear(4, 4).to("cpu" if machine == "cpu" else "cuda")
        model(torch.randn(2, 4, device=model.weight.device))

    (rows,) = observed(program, machine).values()
    told = rows["tf32"].dtype if "tf32" in rows else None
    assert told == (SWITCHES[switch] if machine == "a100" else None)


def test_convolutions_have_a_switch_of_their_own():
    def program(_seen):
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(16, 2)).cuda()
        model(torch.randn(2, 3, 4, 4, device="cuda"))

    (rows,) = observed(program, "a100").values()
    assert rows["tf32"].dtype == "off, convolutions on"


def test_a_gradient_is_none_where_nothing_but_an_input_is_trained():
    def program(_seen):
        model = nn.Linear(4, 4).requires_grad_(False)
        given = torch.randn(2, 4, requires_grad=True)
        model(given).sum().backward()

    (rows,) = observed(program).values()
    assert "gradients" not in rows


def test_a_model_that_is_gone_is_told_all_the_same():
    def program(_seen):
        def inner():
            model = nn.Linear(4, 4).half()
            model(torch.randn(2, 4).half())

        inner()
        other = nn.Linear(4, 4)
        other(torch.randn(2, 4))

    table = observed(program)
    assert {name: rows["parameters"].dtype for name, rows in table.items()} == {"model": "float16", "other": "float32"}


def test_ranks_tell_one_table():
    report = miscast.check(ranked, machine="2xa100", ranks=2)
    assert {(row.component, row.aspect): row.dtype for row in report.precision}["model", "reduction"] == "float32"


def ranked():
    import os

    torch.distributed.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 4).to(device), device_ids=[device.index])
    model(torch.randn(2, 4, device=device)).sum().backward()
    torch.distributed.destroy_process_group()


def test_looking_for_a_models_name_keeps_nothing_alive():
    """Before Python 3.13 a frame that was read holds a dict of its variables."""

    def program(_seen):
        first, second = nn.Linear(4, 4, device="cuda"), nn.Linear(4, 4, device="cuda")
        hidden = first(torch.randn(1 << 20, 4, device="cuda"))
        with torch.no_grad():
            second(hidden)
        before = torch.cuda.memory_allocated()
        del hidden
        assert before - torch.cuda.memory_allocated() == 2 << 24  # and what its graph saved

    observed(program, "a100")


def test_the_programs_own_dict_of_its_variables_stays_as_it_is():
    def program(_seen):
        first = nn.Linear(4, 4)
        own = locals()
        first(torch.randn(2, 4))
        assert own["first"] is first

    observed(program)


def test_a_watch_that_fails_ends_no_program(monkeypatch):
    def fails(*_):
        raise KeyError("found out")

    monkeypatch.setattr("miscast.running.precision.running._out", fails)

    def program(_):
        nn.Linear(2, 2)(torch.ones(1, 2))
        nn.Linear(2, 2).half()(torch.ones(1, 2))

    report = miscast.check(program, lambda *_: None)
    assert [finding.op for finding in report.findings] == ["linear"]
    assert (report.ended, report.precision) == (None, ())
    assert "KeyError: 'found out'" in report.failed
    assert "while it recorded the precision of modules" in report.failed


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_a_model_that_takes_nested_tensors(layout):
    def program(_):
        rows = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=layout)
        nn.Linear(4, 4)(rows)

    (rows,) = observed(program).values()
    assert (rows["parameters"].dtype, rows["outputs"].dtype) == ("float32", "float32")


def test_lazy_parameters_and_a_scaler_that_is_off():
    def program(_):
        model = nn.LazyLinear(2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        scaler.scale(model(torch.ones(1, 3)).sum()).backward()
        scaler.step(optimizer)

    (rows,) = observed(program).values()
    assert (rows["parameters"].dtype, rows["loss_scaling"].dtype) == ("float32", "off")


def test_a_gradient_is_not_that_of_a_model_that_is_gone():
    """The parameters of the next model may have the numbers that `id` gave those of the last one."""

    def program():
        for dtype in (torch.float32, torch.bfloat16):
            for _ in range(40):
                model = nn.Linear(4, 4).to(dtype)
                optimizer = torch.optim.SGD(model.parameters())
                model(torch.ones(2, 4, dtype=dtype)).float().sum().backward()
                optimizer.step()

    report = miscast.check(program, machine="cpu")
    seen = [row.dtype for row in report.precision if row.aspect == "gradients"]
    assert seen == ["float32"] * 40 + ["bfloat16"] * 40
