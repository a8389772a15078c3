"""Compute an op that lacks a kernel in the wider dtype, and cast its result back: `inv(a.float()).to(a.dtype)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..binding import is_call, operands
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import METHODS
from ..nodes import dotted, method
from ..safety import widens
from ..source import Source

ORDER = 52
_PRODUCTS = (cst.Call, cst.BinaryOperation)
_SEVERAL = frozenset(
    {"linalg_qr", "linalg_svd", "svd", "linalg_eigh", "linalg_slogdet"}
)
"""Ops of several results that are all floating."""


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield it for each call of the op on the line that failed, if nothing but the op asks for the dtype."""
    others = any((site.role != "use", site.other, site.parameter))
    known = {site.have, site.want} <= METHODS.keys()
    if others or not known or not widens(site.have, site.want):
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for call in source.expressions(site.location.line):
        if isinstance(call, _PRODUCTS) and is_call(call, site):
            tensors = list(_tensors(source, site, call))
            back = [f"{dotted(n)}.dtype" for n in tensors if dotted(n)]
            wide = _wide(call, tensors, site)
            new = _back(source, site, call, wide, (*back, f"torch.{site.have}")[0])
            yield from builder.replaced(call, *new, at_call=True)


def _tensors(
    source: Source, site: EditSite, call: cst.BaseExpression
) -> Iterator[cst.BaseExpression]:
    for _, node in operands(call, site):
        plain = isinstance(node, (cst.BaseNumber, cst.BaseString, cst.UnaryOperation))
        if not plain and site.offends(source.text(node)) is not False:
            yield node


def _wide(
    call: cst.Call | cst.BinaryOperation,
    tensors: Sequence[cst.BaseExpression],
    site: EditSite,
) -> cst.BaseExpression:
    def cast(node: cst.BaseExpression) -> cst.BaseExpression:
        odd = any(node is one for one in tensors)
        return method(node, METHODS[site.want]) if odd else node

    if isinstance(call, cst.BinaryOperation):
        return call.with_changes(left=cast(call.left), right=cast(call.right))
    args = [one.with_changes(value=cast(one.value)) for one in call.args]
    func = call.func
    if isinstance(func, cst.Attribute):
        func = func.with_changes(value=cast(func.value))
    return call.with_changes(func=func, args=args)


def _back(
    source: Source,
    site: EditSite,
    call: cst.BaseExpression,
    wide: cst.BaseExpression,
    dtype: str,
) -> Iterator[cst.BaseExpression]:
    """Yield the call with its result, or each of its results, cast back."""
    to, above = cst.Arg(cst.parse_expression(dtype)), source.parents[call]
    if site.failed_op not in _SEVERAL:
        yield method(wide, "to", to)
    elif isinstance(above, cst.Assign) and isinstance(
        above.targets[0].target, cst.Tuple
    ):
        each = method(cst.Name("t"), "to", to)
        whole = cst.CompFor(target=cst.Name("t"), iter=wide)
        yield cst.GeneratorExp(elt=each, for_in=whole)
