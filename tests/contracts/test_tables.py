"""Declared contracts generalise the measured tables: they are held against every table of the repository."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import count

import pytest
import torch

from miscast.torch_facts.contracts import (
    Input,
    Table,
    contracts_for,
    judge,
    pointwise_contract,
)
from miscast.torch_facts.contracts.signature import DTYPES, operands
from miscast.torch_facts.contracts.table import FOLDER

TABLES = sorted(FOLDER.glob("*.jsonl.gz"))
DECLARED_DTYPES = "hbfdlisu?"
"""Of float8 and complex operands the declared contracts say little; where they matter, tables decide."""


@cache
def contract_of(op, device, version):
    space, name, overload = (*op.split("."), "default")[:3]
    declared = contracts_for(op, device, version)
    packet = getattr(getattr(torch.ops, space), name, None)
    known = declared is None and packet is not None and overload in packet.overloads()
    pointwise = known and torch.Tag.pointwise in getattr(packet, overload).tags
    return pointwise_contract(op) if pointwise else declared


def inputs(row, written, device):
    """Operands as a call with this signature would have had them; how many dimensions they had is not known."""
    for name, tokens in zip(row.operands, operands(written), strict=True):
        several = len(tokens) > 1 or "(" in written
        for index, token in zip(count(), tokens):
            dim = -1 if token.endswith("#") else 0 if token.endswith("0") else 2
            label = f"{name}[{index}]" if several else name
            where = "meta" if dim == -1 else device
            yield Input(name=label, dtype=DTYPES[token[0]], device=where, dim=dim)


def tally(table):
    device = table.head["device"]
    version = tuple(int(n) for n in table.head["torch"].split(".")[:2])
    cells, wrong = Counter(), Counter()
    for row in table.rows():
        contract = contract_of(row.op, device, version)
        if contract is None or "backward" in row.op:  # a backward op gets what the forward pass took and made
            continue
        for outcome, signatures in (("runs", row.runs), ("raises", row.raises)):
            for written in signatures:
                if all(letter in DECLARED_DTYPES + "0#()" for letter in written):
                    judged = judge(contract, list(inputs(row, written, device)))
                    found = [violation for violation in judged if violation.kind != "device"]  # rows know dtypes
                    said = "reported" if found else "silent"
                    cells[said, outcome] += 1
                    if (said, outcome) in (("reported", "runs"), ("silent", "raises")):
                        wrong[row.op, said, written] += 1
    return cells, wrong


@pytest.mark.parametrize("path", TABLES, ids=[path.name for path in TABLES])
def test_declared_contracts_agree(path):
    cells, wrong = tally(Table(path))
    by_op = Counter()
    for op, said, _ in wrong:
        by_op[op, said] += 1
    raises = cells["reported", "raises"] + cells["silent", "raises"]
    runs = cells["reported", "runs"] + cells["silent", "runs"]
    recall, alarms = cells["reported", "raises"] / raises, cells["reported", "runs"] / runs
    print(f"\n{path.name}: of {raises} that raise {recall:.2%} reported, of {runs} that run {alarms:.2%}")
    print("\n".join(f"{n:4} {op} {said} {[w for o, s, w in wrong if (o, s) == (op, said)][:6]}"
                    for (op, said), n in by_op.most_common(40)))  # fmt: skip
    assert raises > 100_000
    assert recall >= 0.87  # what is silent are combinations that nobody writes: `out=`, bool, three dtypes in one call
    # On CUDA most are kernels that programs do not call by name, and running averages that no two programs cast apart.
    assert alarms <= (0.01 if path.name.startswith("cpu") else 0.04)
