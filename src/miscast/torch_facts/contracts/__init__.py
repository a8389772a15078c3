"""The demands of each op on its operands' dtypes and devices. Data only, one file per family of ops, no torch.

A family file holds `CONTRACTS`, a tuple of `Contract`. Files are found by discovery; an op may have several
contracts (one per kind of device, or per range of torch versions).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ...core.plugins import each, load
from .contract import PYTHON_NUMBER, Contract, Input
from .kernels import implemented
from .measured import judge_declared, judge_measured
from .promotion import pointwise_contract
from .signature import arguments, signature
from .table import Row, Table, table_for
from .verdict import judge

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PYTHON_NUMBER", "Contract", "Input", "Row", "Table", "alike_with", "arguments",
    "contracts_for", "implemented", "judge", "judge_declared", "judge_measured",
    "pointwise_contract", "signature", "table_for",
]  # fmt: skip


_NO_FAMILY = (
    "contract", "kernels", "limits", "measured", "promotion", "release", "scalars", "signature",
    "spelling", "table", "verdict",
)  # fmt: skip


@cache
def _by_op() -> Mapping[str, tuple[Contract, ...]]:
    found: dict[str, tuple[Contract, ...]] = {}
    for file in load(
        __name__, needs=(each("CONTRACTS", Contract),), helpers=_NO_FAMILY
    ):
        for contract in file.CONTRACTS:
            for op in contract.ops:
                found[op] = (*found.get(op, ()), contract)
    return found


def contracts_for(op: str, device: str, torch: tuple[int, int]) -> Contract | None:
    """Return the contract of `op` on a kind of device ("cpu", "cuda", "mps") under a torch version, or None.

    `op` is the overload packet's name ("aten.linear") or, where an overload differs, with its overload
    ("aten.where.ScalarOther"); the longer name wins.
    """
    table = _by_op()
    for name in (op, op.rsplit(".", 1)[0] if op.count(".") > 1 else op):
        for contract in table.get(name, ()):
            if contract.holds(device, torch):
                return contract
    return None


def alike_with(op: str, operand: str) -> frozenset[str]:
    """Return the operands that an op wants in the dtype of this one on some device, but what may have another."""
    return frozenset(
        name
        for contract in _by_op().get(op, ())
        for group in contract.same
        for name in (group if operand in group else ())
        if name not in contract.also
    )
