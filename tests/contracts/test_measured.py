"""Tables are read as they were written, and their verdict goes before the declared one."""

from __future__ import annotations

import gzip
import json

import pytest

from miscast.torch_facts.contracts import (
    Input,
    arguments,
    contracts_for,
    judge_measured,
    table_for,
)
from miscast.torch_facts.contracts.signature import operands, signature
from miscast.torch_facts.contracts.table import Table
from sweep import sweep

NONE = "\"relu\" not implemented for 'Bool'"
SAME = "mat1 and mat2 must have the same dtype, but got Float and Half"
HEAD = {"schema": 1, "device": "cpu", "name": "a processor", "arch": "x86_64", "torch": "2.13.0+cpu", "crashed": []}
LINES = (
    {"op": "aten.add.Tensor", "operands": ["self", "other"], "runs": {"f": "ff fh", "d": "fd"}, "raises": {"no": "fd"}},
    {"op": "aten.frob", "operands": ["self", "weight", "bias"], "runs": {"f": "fff", "h": "hhh"},
     "raises": {SAME: "fhh", "expected scalar type Half but found Float": "hfh hhf"}},
    {"op": "aten.frob", "operands": ["self", "weight"], "autocast": "float16", "runs": {"h": "fh"}},
    {"op": "aten.linear", "operands": ["input", "weight"], "runs": {"f": "fh ff"}, "raises": {SAME: "hf"}},
    {"op": "aten.relu", "operands": ["self"], "runs": {"f": "f"}, "raises": {NONE: "?"}},
    {"op": "aten.stack", "operands": ["tensors"], "runs": {"(f)": "(f) (fh)"}, "raises": {"lists": "(f1)"}},
)  # fmt: skip


def write(folder, name="cpu-2.13.0.jsonl.gz", head=HEAD):
    path = folder / name
    path.write_bytes(gzip.compress("\n".join(json.dumps(line) for line in (head, *LINES)).encode()))
    return path


@pytest.fixture
def table(tmp_path):
    return Table(write(tmp_path))


def inputs(**dtypes):
    """Operands by name, each "dtype" or "dtype@dimensions"."""
    found = []
    for name, spec in dtypes.items():
        for i, one in enumerate(spec if isinstance(spec, list) else [spec]):
            dtype, _, dim = one.partition("@")
            label = f"{name}[{i}]" if isinstance(spec, list) else name
            found.append(Input(name=label, dtype=dtype, device="cpu", dim=int(dim or 2)))
    return found


@pytest.mark.parametrize(
    ("call", "written"),
    [
        (inputs(input="float32", weight="float16"), "fh"),
        (inputs(self="bool@0", other="float32@-1"), "?0f#"),
        (inputs(tensors=["float32", "float16", "float32"], alpha="int64@-1"), "(fh)l#"),
        (inputs(self="float8_e4m3fn", other="quint8"), "1x"),
    ],
)
def test_signature(call, written):
    assert signature(call) == written


def test_a_signature_is_read_back():
    assert operands("f(hb0)l#") == (("f",), ("h", "b0"), ("l#",))


def test_a_row_holds_what_ran_and_what_was_refused(table):
    row = table.row("aten.add.Tensor", ["self", "other"])
    assert (row.runs, row.raises) == ({"ff": "f", "fh": "f"}, {})  # "fd" ran and was refused: it depends on more
    assert table.row("aten.frob", ["self", "weight"]) is None
    assert table.row("aten.frob", ["self", "weight"], "float16").runs == {"fh": "h"}
    assert table.row("aten.add.Tensor", ["self", "other"], "float16") == row  # autocast leaves it as it is
    assert table.row("aten.mul.Tensor", ["self", "other"]) is None
    assert table.refuses_some("aten.relu")
    assert not table.refuses_some("aten.add.Tensor")


def test_another_schema_is_refused(tmp_path):
    with pytest.raises(ValueError, match="schema 9, not 1"):
        Table(write(tmp_path, head={**HEAD, "schema": 9}))


CASES = (
    ("aten.linear", inputs(input="float32", weight="float16"), None),  # what ran goes before what is declared
    ("aten.linear", inputs(input="float16", weight="float32"), ("dtype", ("input",), "float32", "weight", SAME)),
    ("aten.linear", inputs(input="float64", weight="float32"), ("dtype", ("input",), "float32", "weight", None)),
    ("aten.frob", inputs(self="float32", weight="float16", bias="float16"),
     ("dtype", ("self",), "float16", "weight", SAME)),
    ("aten.frob", inputs(self="float16", weight="float16", bias="float32"),
     ("dtype", ("bias",), "float16", "self", "expected scalar type Half but found Float")),
    ("aten.relu", inputs(self="bool"), ("unsupported", ("self",), "float32", None, NONE)),
    ("aten.stack", inputs(tensors=["float32", "float8_e4m3fn"]),
     ("dtype", ("tensors[1]",), "float32", "tensors[0]", "lists")),
    ("aten.stack", inputs(tensors=["float32", "float16"]), None),
)  # fmt: skip


@sweep(("op", "call", "wanted"), CASES, ids=[f"{op}-{signature(c)}" for op, c, _ in CASES])
def test_verdict(table, op, call, wanted):
    row = table.row(op, arguments(call))
    found = judge_measured(contracts_for(op, "cpu", (2, 13)), row, call)
    if wanted is None:
        assert found == ()
        return
    (violation,) = found
    kind, odd, expected, like, error = wanted
    assert (violation.kind, violation.odd, violation.expected, violation.like) == (kind, odd, expected, like)
    assert error is None or violation.error == error


def test_a_table_does_not_speak_of_devices(table):
    call = [
        Input(name="input", dtype="float32", device="cuda:0", dim=2),
        Input(name="weight", dtype="float16", device="cpu", dim=2),
    ]
    row = table.row("aten.linear", ["input", "weight"])
    (violation,) = judge_measured(contracts_for("aten.linear", "cpu", (2, 13)), row, call)
    assert violation.kind == "device"


def test_the_nearest_table_is_taken(tmp_path):
    names = ("cpu-2.6.0", "cpu-2.13.0", "cuda-sm_70-2.13.0", "cuda-sm_90-2.13.0")
    for name in names:
        write(tmp_path, f"{name}.jsonl.gz")
    asked = (("cpu", (2, 7), ""), ("cpu", (2, 15), ""), ("cuda", (2, 6), "sm_75"), ("cuda", (2, 6), "sm_100"))
    taken = [table_for(device, torch, arch, tmp_path).path.name for device, torch, arch in asked]
    assert taken == [f"{name}.jsonl.gz" for name in names]
    assert table_for("mps", (2, 13), "", tmp_path) is None
    assert table_for("cuda", (2, 13), "gfx942", tmp_path) is None


def test_a_table_speaks_for_chips_that_are_no_older(tmp_path):
    table = Table(write(tmp_path, head={**HEAD, "arch": "sm_90"}))
    assert [table.speaks_for(arch) for arch in ("sm_70", "sm_89", "sm_90", "sm_120")] == [False, False, True, True]


@pytest.mark.parametrize(("torch", "runs"), [((2, 11), False), ((2, 12), False), ((2, 13), True)])
def test_a_refusal_that_a_later_torch_has_given_up_on_the_cpu_is_none(torch, runs):
    """CUDA was measured with 2.11; the CPU refused the same with 2.6, and runs it with 2.13."""
    table = table_for("cuda", torch, "sm_90")
    written = signature(inputs(grad_output="float64", self="float32", target="float64"))
    row = table.row("aten.mse_loss_backward", ["grad_output", "self", "target"])
    assert (written in table.since(row, written, torch).runs) is runs


def test_a_kernel_that_a_device_lacks_it_lacks_in_a_later_torch_too():
    table = table_for("cuda", (2, 13), "sm_90")
    row = table.row("aten.huber_loss_backward", ["grad_output", "self", "target"])
    assert all(table.since(row, written, (2, 13)) is row for written in row.raises)
