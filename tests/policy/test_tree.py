"""Nested data: what is opened, what is rebuilt, what stays the same object."""

from __future__ import annotations

import collections
import dataclasses
import types
from typing import Any, NamedTuple

import pytest
import torch
from diffusers.models.autoencoders.autoencoder_kl import DecoderOutput
from torch.nn.utils.rnn import pack_sequence
from transformers import BatchEncoding
from transformers.modeling_outputs import CausalLMOutput

from miscast import cast
from sweep import sweep


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any
    note: str = "n"
    made: int = dataclasses.field(init=False, default=3)


@dataclasses.dataclass(slots=True)
class Slotted:
    x: Any


class Items(list):
    pass


def _default(x):
    found = collections.defaultdict(list)
    found["x"] = x
    return found


CONTAINERS = {
    "tensor": (lambda x: x, lambda t: t),
    "list": (lambda x: [x, 1, "a", None], lambda t: t[0]),
    "tuple": (lambda x: (1, (x,)), lambda t: t[1][0]),
    "dict": (lambda x: {"x": x, 1: 2}, lambda t: t["x"]),
    "named tuple": (lambda x: Pair(1, x), lambda t: t.right),
    "ordered": (lambda x: collections.OrderedDict(b=1, a=x), lambda t: t["a"]),
    "default": (_default, lambda t: t["x"]),
    "read-only": (lambda x: types.MappingProxyType({"x": x}), lambda t: t["x"]),
    "frozen dataclass": (Frozen, lambda t: t.x),
    "slotted dataclass": (Slotted, lambda t: t.x),
    "list class": (lambda x: Items([x]), lambda t: t[0]),
    "batch": (lambda x: BatchEncoding({"x": x}), lambda t: t["x"]),
    "model output": (lambda x: CausalLMOutput(logits=x), lambda t: t.logits),
    "model output's item": (lambda x: CausalLMOutput(hidden_states=(x, x)), lambda t: t["hidden_states"][1]),
    "diffusers output": (lambda x: DecoderOutput(sample=x), lambda t: t.sample),
    "all": (lambda x: {"a": [Pair(Frozen(x), 1)]}, lambda t: t["a"][0].left.x),
}


@sweep("case", CONTAINERS)
def test_containers(case):
    make, get = CONTAINERS[case]
    tree = make(torch.ones(2))
    changed = cast(tree, dtype="bfloat16")
    assert get(changed).dtype == torch.bfloat16
    assert get(tree).dtype == torch.float32, "the original is as it was"
    if case != "read-only":
        assert type(changed) is type(tree)
    assert cast(tree, dtype="float32") is tree, "nothing to do: the same object"


def test_what_a_container_carries_stays():
    assert cast(_default(torch.ones(1)), dtype="float16")["missing"] == []
    changed = cast(Frozen(torch.ones(1), "note"), dtype="float16")
    assert (changed.note, changed.made) == ("note", 3)
    assert list(cast(collections.OrderedDict(b=torch.ones(1), a=1), dtype="float16")) == ["b", "a"]
    output = cast(CausalLMOutput(logits=torch.ones(1)), dtype="float16")
    assert output[0] is output["logits"] is output.logits


def test_a_packed_sequence_keeps_its_lengths():
    packed = pack_sequence([torch.ones(3, 2), torch.ones(1, 2)])
    changed = cast(packed, dtype="float64")
    assert changed.data.dtype == torch.float64
    assert torch.equal(changed.batch_sizes, packed.batch_sizes)
    assert cast(packed, dtype="float32") is packed


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8, torch.complex64])
def test_what_holds_no_floats_keeps_its_dtype(dtype):
    tensor = torch.ones(2, dtype=dtype)
    assert cast([tensor], dtype="bfloat16")[0] is tensor
    assert cast(tensor, dtype="bfloat16", device="meta").dtype == dtype


def test_what_is_no_container_stays():
    thing = object()
    module = torch.nn.Linear(1, 1)
    tree = [thing, module, Frozen, "text", 1.5]
    assert cast(tree, dtype="float16") is tree
    assert module.weight.dtype == torch.float32
