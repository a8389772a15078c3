"""What is said to be reached of a GPU's peaks was measured: medians of the file that is beside the benchmark."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

from miscast.core.machines import find
from miscast.planning.forecast.rates import rates_of
from miscast.planning.forecast.reached import CALL, LEAST, RECORDED
from sweep import sweep

FILE = Path(__file__).parents[2] / "benchmarks/gpu/kernels-h200.jsonl"
LONG = 30e-6
"""Seconds: what is shorter is over before the host has called the next, and is none of the kernel's doing."""
UNEVEN = ("50257", "1000x", "1001")
TF32_BY_DEFAULT = "convolution"


def lines():
    return [json.loads(line) for line in FILE.read_text("utf-8").splitlines()[1:]]


def found():
    """Of each kind and dtype the operations or bytes a second that it had, and those that are foretold of it."""
    rates, values, said = rates_of(find("h200")), defaultdict(list), {}
    for line in lines():
        kind, dtype = line["kind"], line.get("dtype", "")
        if kind in ("host", "transfers with the host") or line["seconds"] < LONG:
            continue
        if kind in ("matmul", "attention", "convolution"):
            if kind == TF32_BY_DEFAULT and dtype == "float32":
                dtype = "tf32"
            even = not any(size in line["what"] for size in UNEVEN)
            if line["bytes"] / rates.bandwidth > line["operations"] / rates.of(dtype, kind, even=even):
                continue
            values[kind, dtype, even].append(line["operations"] / line["seconds"])
            said[kind, dtype, even] = rates.of(dtype, kind, even=even)
        else:
            values[kind, dtype, True].append(line["bytes"] / line["seconds"])
            said[kind, dtype, True] = rates.moves(kind, dtype)
    return {key: (median(rates), said[key]) for key, rates in values.items()}


FOUND = found()


@sweep("key", FOUND, ids=str)
def test_shares_are_medians(key):
    measured, said = FOUND[key]
    assert said == pytest.approx(measured, rel=0.1)


def test_the_host_is_the_fastest_that_was_measured():
    host = {line["what"]: line for line in lines() if line["kind"] == "host"}
    # of the small model, as the virtual machine counts its calls: 24 blocks of nine ops, and 19 with the casts
    plain = {"forward": 216, "forward, autocast": 456}
    assert min(host[name]["seconds"] / calls for name, calls in plain.items()) == pytest.approx(CALL, rel=0.05)
    both = host["forward and backward, autocast"]["seconds"]
    assert (both - 748 * CALL) / 458 == pytest.approx(RECORDED, rel=0.05)
    busy = [line["busy"] / line["launches"] for line in host.values() if line["launches"] > 1]
    assert median(busy) == pytest.approx(LEAST, rel=0.1)
