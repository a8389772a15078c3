"""What a step has to do is counted as torch counts it, and takes the time that the machine's rates say."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from miscast.core.machines import find
from miscast.planning.forecast.forecast import WAITING, duration, forecast
from miscast.planning.forecast.meter import Meter
from miscast.planning.forecast.rates import rates_of
from miscast.planning.forecast.reached import CALL, LEAST, RECORDED
from miscast.planning.forecast.work import Work
from miscast.running.program.run import run_callable


def metered(fn, machine="a100"):
    meter = Meter(find(machine).device)
    trace, _ = run_callable(fn, (), {}, find(machine), watch=lambda vm: vm.dispatcher.meter(meter))
    assert trace.ended is None
    assert trace.failed is None
    return Counter(meter.work)


def operations(work, kind):
    return sum(times * one.operations for one, times in work.items() if one.kind == kind)


def test_products_are_counted_forward_and_backward():
    def fn():
        layer = nn.Linear(32, 64, device="cuda")
        x = torch.randn(8, 32, device="cuda", requires_grad=True)
        layer(x).sum().backward()

    assert operations(metered(fn), "matmul") == 3 * 2 * 8 * 32 * 64

    def conv():
        layer = nn.Conv2d(8, 16, 3, padding=1, bias=False, device="cuda")
        layer(torch.randn(2, 8, 10, 10, device="cuda", requires_grad=True)).sum().backward()

    assert operations(metered(conv), "convolution") == 3 * 2 * (2 * 16 * 10 * 10) * 8 * 9


@pytest.mark.parametrize("machine", ["a100", "v100"])
def test_attention_is_one_kernel(machine):
    def fn():
        q = torch.randn(2, 4, 64, 32, device="cuda", dtype=torch.float16)
        F.scaled_dot_product_attention(q, q, q)

    work = metered(fn, machine)
    assert operations(work, "attention") == 2 * (2 * 4 * 64 * 64 * 32) * 2
    assert not operations(work, "matmul")


def test_what_runs_on_the_processor_and_views_cost_the_gpu_nothing():
    def fn():
        x = torch.randn(64, 64)
        (x @ x).t().reshape(-1)

    assert not metered(fn)


def test_what_may_be_a_view_costs_where_it_copies():
    def fn():
        x = torch.randn(64, 32, device="cuda")
        x.to(torch.bfloat16)
        x.to(torch.float32), x.contiguous(), x.reshape(-1), x.t()
        x.t().contiguous(), x.t().reshape(-1)

    work = metered(fn)
    copies = [one.bytes for one, times in work.items() for _ in range(times) if one.kind == "copies and casts"]
    assert sorted(copies) == [6 * 64 * 32, 8 * 64 * 32, 8 * 64 * 32]


@pytest.mark.parametrize(("start", "end"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_what_moves_between_host_and_device_is_a_transfer(start, end):
    def fn():
        x = torch.zeros(64, 32, device=start)
        x.to(end)
        torch.empty(64, 32, device=end).copy_(x)
        x.to(start)

    moved = [one.bytes for one, n in metered(fn).items() for _ in range(n) if one.kind == "transfers with the host"]
    assert moved == [4 * 64 * 32] * 2


def test_casts_of_autocast_are_counted():
    def fn():
        layer, x = nn.Linear(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")
        with torch.autocast("cuda", torch.bfloat16):
            layer(x)

    work = metered(fn)
    copies = {one: times for one, times in work.items() if one.kind == "copies and casts"}
    moved = sum(times * one.bytes for one, times in copies.items())
    assert moved == 6 * (64 * 64 + 64 * 64 + 64)
    assert {one.dtype for one in work if one.kind == "matmul"} == {"bfloat16"}


def product(dtype, *, even=True, operations=1e12):
    return Work("matmul", dtype, operations, 1.0, even)


def test_a_kernel_lasts_as_long_as_the_slower_of_its_operations_and_its_bytes():
    rates = rates_of(find("a100"))
    assert duration(product("bfloat16"), rates) == pytest.approx(1 / 312 / 0.72)
    assert duration(product("float32"), rates) == pytest.approx(1 / 19.5 / 0.70)
    assert duration(product("float32"), rates, tf32=True) == pytest.approx(1 / 156 / 0.64)
    assert duration(product("bfloat16", even=False), rates) == pytest.approx(1 / 312 / 0.11)
    assert duration(product("bfloat16", operations=1.0), rates) == LEAST
    moving = Work("elementwise and others", "float32", 1.0, 1555e9)
    assert duration(moving, rates) == pytest.approx(1 / 0.85)
    assert duration(dataclasses.replace(moving, dtype="bfloat16"), rates) == pytest.approx(1 / 0.75)
    # emulated there: torch computes it by way of float32
    assert duration(product("bfloat16"), rates_of(find("v100"))) == pytest.approx(1 / 15.7 / 0.70)


def test_attention_does_not_ask_whether_tf32_is_allowed():
    rates, work = rates_of(find("a100")), Work("attention", "float32", 1e12, 1.0)
    assert duration(work, rates, tf32=True) == duration(work, rates) == pytest.approx(1 / 19.5 / 0.52)


def test_a_kernel_waits_for_the_one_before_and_for_the_host():
    rates = rates_of(find("a100"))
    small = Work("elementwise and others", "float32", 1.0, 1.0)
    long = Work("elementwise and others", "float32", 1.0, 1555e9)
    told = forecast([small] * 100, rates)
    assert told.seconds == pytest.approx(100 * CALL + LEAST)
    assert told.kinds[WAITING] == pytest.approx(100 * (CALL - LEAST) + LEAST)
    # what is called while a long kernel runs is not waited for
    told = forecast([long, *[small] * 100], rates)
    assert told.seconds == pytest.approx(CALL + duration(long, rates) + 100 * LEAST)
    recorded = dataclasses.replace(small, recorded=True)
    assert forecast([recorded] * 100, rates).seconds == pytest.approx(100 * RECORDED + LEAST)


def test_what_autograd_records_is_told_apart():
    def fn():
        layer, x = nn.Linear(8, 8, device="cuda"), torch.ones(2, 8, device="cuda")
        with torch.no_grad():
            layer(x)
        layer(x)

    products = {one.recorded: times for one, times in metered(fn).items() if one.kind == "matmul"}
    assert products == {False: 1, True: 1}


def test_sizes_decide_whether_tensor_cores_take_a_product():
    def of(width):
        def fn():
            x = torch.randn(16, width, device="cuda", dtype=torch.float16)
            x @ x.t()

        return {one.even for one in metered(fn) if one.kind == "matmul"}

    assert of(64) == {True}
    assert of(65) == {False}


def test_of_a_training_the_last_step_counts():
    meter = Meter("cuda")
    work = product("bfloat16")
    meter._now += [work] * 3
    meter.stepped()
    meter._now.append(work)
    assert meter.work == [work] * 3
    meter.stepped()
    assert meter.work == [work]
    told = forecast(meter.work, rates_of(find("a100")))
    assert told.kinds == {"matmul": duration(work, rates_of(find("a100"))), WAITING: pytest.approx(CALL)}
    assert told.launches == 1
