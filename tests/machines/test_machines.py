"""Machines are found by the words people type, and say what their sources say."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from miscast.core.machines import Machine, UnknownMachineError, find, known, virtual
from miscast.core.machines.peak import PEAKS
from sweep import sweep

SPECS = {
    "cpu": "cpu",
    "a100": "a100",
    "A100": "a100",
    "a100-40": "a100",
    "A100-80GB": "a100-80",
    "4xv100": "4xv100",
    "2xH100": "2xh100",
    "2 x h100": "2xh100",
    "1xt4": "t4",
    "2080ti": "rtx2080ti",
    "RTX 3090": "rtx3090",
    "8x4090": "8xrtx4090",
    "rtx-5090": "rtx5090",
    "v100-32gb": "v100-32",
    "8xmi250x": "8xmi250x",
    "120xb200": "120xb200",
    "910b": "ascend910b",
    "m3": "m3",
    "2xPVC": "2xmax1550",
    "Max 1100": "max1100",
    "Arc B580": "b580",
    "arc-a770": "a770",
    "xpu": "max1550",
    "P100": "p100",
    "2xp40": "2xp40",
    "RTX 3060": "rtx3060",
    "rtx-a6000": "a6000",
    "mi100": "mi100",
}

UNKNOWN = {
    "": "unknown machine ''",
    "v10": "did you mean v100?",
    "2xh10": "did you mean h100?",
    "rtx3091": "did you mean rtx3090?",
    "4x": "unknown machine '4x'",
    "xv100": "the number of v100 must be at least 1, as in '4xv100'",
    "0xv100": "the number of v100 must be at least 1, as in '4xv100'",
    "999999xv100": "the number of v100 must be at most 120, as in '4xv100'",
    "9" * 5000 + "xv100": "the number of v100 must be at most 120",
    "2xcpu": "the number of cpu must be at most 1, as in 'cpu'",
    "2xm1": "the number of m1 must be at most 1, as in 'm1'",
    "-1xv100": "unknown machine '-1xv100'",
    "４xv100": "unknown machine '４xv100'",  # noqa: RUF001 - a full-width digit is no count
    "no such\nmachine": "unknown machine 'no such\\nmachine'",
    "z" * 10_000: "…'",
}

SUPPORT = {
    "t4": {"float16": "native", "bfloat16": "emulated", "float8_e4m3fn": "storage", "tf32": "missing"},
    "v100": {"float16": "native", "bfloat16": "emulated", "float64": "native", "int8": "native"},
    "rtx2080ti": {"bfloat16": "emulated"},
    "p100": {"bfloat16": "emulated", "float16": "native", "tf32": "missing", "float8_e4m3fn": "storage"},
    "p40": {"bfloat16": "emulated", "tf32": "missing"},
    "a6000": {"bfloat16": "native", "tf32": "native", "float8_e4m3fn": "storage"},
    "mi100": {"bfloat16": "native", "tf32": "missing", "float8_e4m3fnuz": "storage"},
    "a100": {"bfloat16": "native", "tf32": "native", "float8_e4m3fn": "storage", "float8_e5m2": "storage"},
    "a10": {"bfloat16": "native", "float8_e4m3fn": "storage"},
    "rtx3090": {"bfloat16": "native", "float8_e4m3fn": "storage"},
    "l4": {"float8_e4m3fn": "native", "float8_e4m3fnuz": "storage"},
    "rtx4090": {"float8_e5m2": "native"},
    "h100": {"float8_e4m3fn": "native", "float4_e2m1fn_x2": "storage"},
    "b200": {"float4_e2m1fn_x2": "native"},
    "mi250x": {"bfloat16": "native", "tf32": "missing", "float8_e4m3fnuz": "storage"},
    "mi300x": {"float8_e4m3fnuz": "native", "float8_e4m3fn": "storage", "tf32": "native"},
    "m1": {"bfloat16": "emulated", "float64": "missing", "complex128": "missing", "float8_e4m3fn": "missing"},
    "m4": {"bfloat16": "native", "float16": "native"},
    "ascend910b": {"bfloat16": "native", "float8_e4m3fn": "missing", "float64": "storage"},
    "max1550": {"bfloat16": "native", "float64": "native", "tf32": "native"},
    "b580": {"float16": "native", "tf32": "native", "float64": "native"},
    "a770": {"bfloat16": "native", "float64": "storage", "tf32": "missing"},
    "gaudi": {"bfloat16": "native", "tf32": "missing"},
    "gaudi3": {"bfloat16": "native", "float16": "native", "float8_e4m3fn": "native"},
    "tpu-v5e": {"bfloat16": "native", "tf32": "missing"},
    "cpu": {"bfloat16": "native", "float16": "native", "float64": "native"},
}


@sweep("words", SPECS)
def test_found(words: str) -> None:
    machine = find(words)
    assert machine.spec == SPECS[words]
    assert find(machine.spec) == machine


@sweep("words", UNKNOWN, ids=lambda words: ascii(words[:20]))
def test_not_found(words: str) -> None:
    with pytest.raises(UnknownMachineError) as raised:
        find(words)
    message = str(raised.value)
    assert UNKNOWN[words] in message
    assert "\n" not in message
    assert len(message) < 400


def test_what_only_lint_knows_is_refused_where_a_program_is_run() -> None:
    for spec in ("gaudi2", "8xgaudi", "tpu"):
        with pytest.raises(UnknownMachineError) as raised:
            virtual(spec)
        assert f"`miscast lint --machine {find(spec).spec}`" in str(raised.value)
    assert virtual("2xh100") == find("2xh100")


def test_unknown_lists_the_known() -> None:
    with pytest.raises(ValueError, match="known: ") as raised:
        find("gpuu9")
    assert all(machine.name in str(raised.value) for machine in known())


@sweep(("name", "dtype"), [(name, dtype) for name, row in SUPPORT.items() for dtype in row])
def test_support(name: str, dtype: str) -> None:
    assert find(name).support(dtype) == SUPPORT[name][dtype]


@sweep("machine", known(), ids=lambda machine: machine.name)
def test_facts_are_whole(machine: Machine) -> None:
    lists = machine.native, machine.emulated, machine.storage, machine.missing
    stated = [dtype for names in lists for dtype in names]
    assert len(stated) == len(set(stated)), "a dtype stands in one list"
    assert machine.count == 1
    assert all(machine.source(dtype) for dtype in stated), "each fact has its source"
    facts = {"capability": machine.capability, "memory": machine.memory, "processors": machine.processors}
    assert all(fact in machine.sources for fact, value in facts.items() if value)
    assert (machine.device == "cpu") == (machine.memory == 0)
    assert (machine.device == "cuda") == (machine.capability is not None)


def test_nothing_stated_is_no_finding() -> None:
    assert find("v100").support("int64") == "native"
    assert find("m1").support("bool") == "native"


def test_a_machine_is_a_value() -> None:
    assert len({find("4xv100"), find("4xV100"), find("v100")}) == 2


def test_no_torch() -> None:
    code = "import sys; from miscast.core.machines import known; known(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def test_rates_are_of_known_machines_and_of_dtypes_that_they_multiply():
    for name, peak in PEAKS.items():
        machine = find(name)
        assert machine.name == name
        assert machine.peak is peak
        assert peak.source
        assert peak.bandwidth > 1e9
        rated = set(peak.rates) - {"float8_e4m3fn"}
        assert all(machine.support(dtype) == "native" for dtype in rated), name
        assert peak.rates.get("float16", 0) >= peak.rates["float32"] or name == "p40"
    assert find("4xa100").peak is PEAKS["a100"]
    assert find("cpu").peak is None
