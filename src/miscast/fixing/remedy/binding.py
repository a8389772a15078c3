"""Match a line's expressions to the operands of the failing call.

h = F.linear(mask, self.w)     linear: `mask` is its `input`
h = self.proj(mask)            so it is where `proj` is the module at work
h = x @ mask                   matmul: `mask` is its `other`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ...core.ops import entry
from ...judging.cause import PARAMETERS
from .calls import called_as, entry_of, is_operator
from .edit_site import EditSite
from .nodes import below, called, dotted, indices, last, name_of
from .source import Source

_FIRST = frozenset({"self", "input", "query", "tensors", "tensor", "hx"})
_SECOND = frozenset({"other", "mat2", "target", "key", "end", "batch1", "grid"})
_EXTRA = re.compile(r"^(_sparse_|_|linalg_|fft_|special_)|_(loss|nd|loss_nd)$")
"""Parts of an op's name that its function lacks: `cross_entropy_loss`, `_pack_padded_sequence`."""
_LIBRARIES = frozenset({"torch", "F", "functional", "linalg", "sparse", "special"})
Bound = tuple[str, cst.BaseExpression]
"""An operand: the keyword that it is passed by, or "", and its expression."""


def argument(source: Source, site: EditSite) -> cst.BaseExpression | None:
    """Return the expression that the failing call takes as the offending operand; None where that is not certain."""
    if site.parameter or site.role != "use":
        return None
    used = _calls(source, site)
    if len(used) != 1:
        return None if used else _by_keyword(source, site)
    given = operands(used[0], site)
    only = len(given) == 1 and site.operand not in PARAMETERS
    one = given[0][1] if only else _blamed(source, site, given)
    return one if one is not None and _may_offend(source, site, one) else None


def _calls(source: Source, site: EditSite) -> list[cst.BaseExpression]:
    used = [n for n in source.expressions(site.location.line) if is_call(n, site)]
    if len(used) > 1:  # `nn.Linear(4, 4).half()(x)`: its class has the op's name, too
        used = [n for n in used if isinstance(getattr(n, "func", None), cst.Call)]
    return used


def _blamed(
    source: Source, site: EditSite, bound: list[Bound]
) -> cst.BaseExpression | None:
    """Return the operand of the offending one's name, else that in its place, else the only one like it."""
    name, _, index = site.operand.partition("[")
    named = [n for word, n in bound if _is_named(source, name, word, n)]
    if len(named) == 1:
        return named[0]
    placed = _placed(bound, _place(site, name, index))
    if placed is not None and _may_offend(source, site, placed):
        return placed
    odd = [node for _, node in bound if site.offends(source.text(node))]
    return odd[0] if len(odd) == 1 else placed


def _placed(bound: list[Bound], place: int | None) -> cst.BaseExpression | None:
    here = bound[place : place + 1] if place is not None else []
    return next((node for word, node in here if not word), None)


def _is_named(source: Source, name: str, word: str, node: cst.BaseExpression) -> bool:
    own = name not in _FIRST | _SECOND
    return name == word or (own and name == source.text(node))


def _may_offend(source: Source, site: EditSite, node: cst.BaseExpression) -> bool:
    return site.offends(source.text(node)) is not False


def is_handed_over(source: Source, site: EditSite) -> bool:
    """Check whether a function takes the weight as an argument: `cross_entropy(logits, y, weight=self.costs)`.

    A weight of a module's own is none, nor one of a list of them: `F.linear(x, self.weight)`, `F.linear(x, self.w[0])`.
    """
    use = replace(site, role="use", parameter=False)
    weight = argument(source, use) if site.operand in PARAMETERS else None
    if weight is None or not _may_be_handed_over(source, weight):
        return False
    call = source.above(weight, cst.Call)
    if call is None or isinstance(call.func, cst.Name):
        return call is not None
    return dotted(call.func).rpartition(".")[0].rpartition(".")[2] in _LIBRARIES


def _may_be_handed_over(source: Source, weight: cst.BaseExpression) -> bool:
    if not isinstance(weight, cst.Attribute) and source.text(weight)[:5] == "self.":
        return False
    parts = (weight, *below(weight))
    return not any(
        isinstance(n, cst.Attribute) and last(n) in PARAMETERS for n in parts
    )


def _by_keyword(source: Source, site: EditSite) -> cst.BaseExpression | None:
    """Return what a layer's call hands on under the operand's own name: `self.attn(h, h, h, attn_mask=mask)`."""
    if site.operand in _FIRST | _SECOND:
        return None
    nodes = source.expressions(site.location.line)
    args = (one for n in nodes if isinstance(n, cst.Call) for one in n.args)
    named = (one.value for one in args if name_of(one) == site.operand)
    given = [n for n in named if _may_offend(source, site, n)]
    return given[0] if len(given) == 1 else None


def _place(site: EditSite, name: str, index: str) -> int | None:
    """Return the place of an operand among all of its call."""
    names = entry_of(site.failed_op).operands
    if index:
        return int(index[:-1]) if name == "tensors" and index[:-1].isdigit() else None
    if name in names:
        return names.index(name)
    return 0 if name in _FIRST else 1 if name in _SECOND else None


def is_call(node: cst.CSTNode, site: EditSite) -> bool:
    """Check whether a node is the call that failed: of the op, by its operator, or of the module at work."""
    if site.failed is None:
        return False
    if isinstance(node, cst.BinaryOperation):
        return is_operator(node.operator, site.failed_op)
    if isinstance(node, cst.Subscript):
        return site.failed_op in ("index", "index_put_")
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Call):  # `nn.Linear(4, 2).half()(x)`
        return entry(site.failed_op).layer
    names = called_as(site.failed_op, site.failed)
    return called(node) in names | {_EXTRA.sub("", _name(site))}


def operands(node: cst.CSTNode, site: EditSite) -> list[Bound]:
    """Return what a call or an operation computes with, in order: the receiver of a method, the tensors of a list."""
    if isinstance(node, cst.BinaryOperation):
        sides = [("", node.left), ("", node.right)]
        return sides[::-1] if site.failed_op == "rsub" else sides
    if isinstance(node, cst.Subscript):
        return [("self", node.value), *(("indices", one) for one in indices(node))]
    return list(_of_call(node, site)) if isinstance(node, cst.Call) else []


def _of_call(call: cst.Call, site: EditSite) -> Iterator[Bound]:
    if isinstance(call.func, cst.Attribute) and called(call) == _name(site):
        owner = call.func.value
        if dotted(owner).rpartition(".")[2] not in _LIBRARIES:
            yield "", owner
    for one in call.args:
        if isinstance(one.value, (cst.List, cst.Tuple)):
            yield from ((name_of(one), item.value) for item in one.value.elements)
        elif not one.star:
            yield name_of(one), one.value


def _name(site: EditSite) -> str:
    """Return the op's name as a line calls it: "numpy" of `Tensor.numpy`."""
    return site.failed_op.rpartition(".")[2]
