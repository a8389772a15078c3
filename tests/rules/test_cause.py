"""What is to blame, and that a module's parameters are known by the names that its op has for them."""

from __future__ import annotations

import pytest
import torch

import miscast
import traces
from miscast.core.event import Operand, TensorMeta, Violation
from miscast.judging.cause import PARAMETERS, is_parameter, of
from sweep import sweep
from traces import event, operand

MODULES = {
    "Linear": lambda: torch.nn.Linear(4, 4),
    "RNNCell": lambda: torch.nn.RNNCell(4, 4),
    "GRUCell": lambda: torch.nn.GRUCell(4, 4),
    "LSTMCell": lambda: torch.nn.LSTMCell(4, 4),
    "GRU": lambda: torch.nn.GRU(4, 4),
    "LSTM": lambda: torch.nn.LSTM(4, 4),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_nobody_cast_is_to_be_cast(name):
    def program():
        layer = MODULES[name]()
        layer(torch.ones(2, 4).half())

    (finding,) = miscast.check(program, machine="cpu").findings
    assert finding.fixes[0].title.startswith("cast ")
    assert finding.fixes[0].title.endswith(".to(torch.float16)")


def test_every_name_of_a_parameter_is_that_of_an_argument_of_torchs():
    """A name that no op has would be there for nothing, and so would be missed where the real one is not there."""
    schemas = torch._C._jit_get_all_schemas()
    ours = [schema for schema in schemas if schema.name.startswith("aten::")]
    arguments = {argument.name for schema in ours for argument in schema.arguments}
    assert arguments >= PARAMETERS


NAMES = {
    **dict.fromkeys(("weight", "bias", "running_mean", "running_var", "w_hh", "w_ih", "b_hh", "b_ih"), True),
    "params[3]": True, "input": False, "weights": False,
}  # fmt: skip


@sweep(("name", "is_one"), NAMES.items())
def test_a_parameter_is_known_by_its_name(name, is_one):
    meta = TensorMeta(dtype="float32", device="cpu", shape=(2,))
    assert is_parameter(Operand(name=name, tensor=meta)) is is_one


@pytest.mark.parametrize(("kind", "blamed"), [("given", "weight"), ("loaded", "weight"), ("cast", "input")])
def test_what_was_given_or_loaded_is_less_of_a_choice_than_a_dtype_written_down(kind, blamed):
    written = event("born", "torch.ones", "float16", 3, "torch.ones(2, dtype=torch.float16)")
    call = traces.call(
        "linear", [operand("input", "float16", written), operand("weight", "bfloat16", event(kind, "", "bfloat16", 4))],
        Violation(kind="dtype", odd=("input",), like="weight", expected="bfloat16", error=""), traces.at(5),
    )  # fmt: skip
    assert of(call).blamed.name == blamed
