"""Every entry speaks of ops and operands that torch has, and says where it knows it from."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from miscast.torch_facts.contracts import _by_op, promotion
from miscast.torch_facts.contracts.contract import ANY_DEVICE, Input
from sweep import sweep

ENTRIES = [(op, contract) for op, contracts in _by_op().items() for contract in contracts]
DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex32",
    "complex64", "complex128",
)  # fmt: skip


def schemas(op):
    space, name, *overload = op.split(".")
    packet = getattr(getattr(torch.ops, space), name, None)
    if packet is None:
        return []
    return [getattr(packet, o)._schema for o in (overload or packet.overloads())]


def test_most_ops_exist():
    there = [op for op, _ in ENTRIES if not op.startswith("bitsandbytes.") or find_spec("bitsandbytes")]
    missing = {op for op in there if not schemas(op)}
    assert len(missing) <= 0.02 * len(ENTRIES), sorted(missing)


@sweep(("op", "contract"), ENTRIES, ids=[f"{op}-{c.on[0]}-{c.since[1]}" for op, c in ENTRIES])
def test_an_entry_names_operands_of_its_op(op, contract):
    known = {argument.name for schema in schemas(op) for argument in schema.arguments}
    assert contract.source
    if known:
        first = {name.partition("@")[0].partition("[")[0] for group in contract.same for name in group}
        assert not first or first & known
        assert not contract.only or set(contract.only) & known
        assert contract.into in ("", *known)


@sweep("op", sorted(_by_op()))
def test_no_entry_hides_another(op):
    for device in ANY_DEVICE:
        for minor in (6, 9, 13, 14):
            first, *rest = [c for c in _by_op()[op] if c.holds(device, (2, minor))] or [None]
            assert not [c for c in rest if set(c.on) <= set(first.on)], f"{op} on {device}"


def test_promotion_is_torchs_own():
    for a in DTYPES:
        for b in DTYPES:
            x, y = getattr(torch, a), getattr(torch, b)
            assert f"torch.{promotion.promote(a, b)}" == str(torch.promote_types(x, y))
            assert promotion.fits(a, b) == torch.can_cast(x, y)


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@sweep("a", DTYPES)
def test_result_type_is_torchs_own(a):
    for b in DTYPES:
        for dims in ((0, 0), (0, 1), (1, 0), (1, 1)):
            x, y = (torch.empty((2,) * dim, dtype=getattr(torch, n)) for n, dim in zip((a, b), dims, strict=True))
            inputs = [Input(name="", dtype=n, device="cpu", dim=dim) for n, dim in zip((a, b), dims, strict=True)]
            assert f"torch.{promotion.result_type(inputs)}" == str(torch.result_type(x, y)), (a, b, dims)
