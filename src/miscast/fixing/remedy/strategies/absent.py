"""Choose a device or dtype that the machine has: `"cuda" if torch.cuda.is_available() else "cpu"`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import libcst as cst

from ....core.dtypes import DTYPES
from ..at_hand import at_hand
from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import called, dotted, keyword, method, name_of, with_argument
from ..safety import widens
from ..source import Source

ORDER = 1
_AT_HAND = 2
_INSTEAD = {"bfloat16": ("float16", "float32"), "float64": ("float32",), "complex128": ("complex64",)}  # fmt: skip


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """On a line that asks for what is not there."""
    if site.role != "absent" or site.have == site.want:
        return
    builder = ChangeBuilder(source=source, site=site, order=ORDER)
    for node in source.expressions(site.location.line):
        if isinstance(node, cst.SimpleString):
            yield from _other_device(builder, node)
        elif isinstance(node, cst.Call):
            yield from _at_call(builder, node)
        else:
            yield from _other_dtype(builder, node)


def _at_call(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    if called(call) in ("cuda", "xpu") and isinstance(call.func, cst.Attribute):
        cpu = cst.Arg(cst.SimpleString('"cpu"'))
        yield from builder.replaced(call, method(call.func.value, "to", cpu))
    elif called(call) == "autocast" and torch_half(builder.source, call) is None:
        yield from _without_autocast(builder, call)


def _other_device(builder: ChangeBuilder, node: cst.SimpleString) -> Iterator[Change]:
    source, wanted = builder.source, builder.site.want or "cpu"
    kind = str(node.evaluated_value).partition(":")[0]
    if kind not in ("cuda", "mps", "xpu"):
        return
    texts = [*islice(at_hand(source, node, "device"), _AT_HAND)]
    texts.append(f'"{wanted.removesuffix(":0")}"')
    torch = source.imported("torch")
    if torch and wanted == "cpu":
        asked = f"{torch}.{'backends.mps' if kind == 'mps' else kind}.is_available()"
        texts.insert(-1, f'{source.text(node)} if {asked} else "cpu"')
    yield from builder.replaced(node, *map(cst.parse_expression, texts))


def _other_dtype(builder: ChangeBuilder, node: cst.BaseExpression) -> Iterator[Change]:
    text = dotted(node)
    dtype = text.removeprefix("torch.") if text.startswith("torch.") else ""
    for rank, other in enumerate(_instead(dtype, builder.site.want)):
        reason = f"{other} has another range and precision than {dtype}"
        ranked = replace(builder, precision_loss=rank, reason=reason)
        yield from ranked.replaced(node, cst.parse_expression(f"torch.{other}"))


def _instead(dtype: str, wanted: str) -> tuple[str, ...]:
    """Return the dtypes to try: the one that a finding wants, where it holds what is written."""
    if {dtype, wanted} <= DTYPES.keys() and dtype != wanted and widens(dtype, wanted):
        return (wanted,)
    return _INSTEAD.get(dtype, ())


def _without_autocast(builder: ChangeBuilder, call: cst.Call) -> Iterator[Change]:
    off = with_argument(call, keyword("enabled", cst.Name("False")))
    builder = replace(builder, precision_loss=2, reason="it computes in float32")
    yield from builder.replaced(call, off)


def torch_half(source: Source, call: cst.Call) -> str | None:
    """Return the dtype in an autocast call."""
    spelled = (source.text(a.value) for a in call.args if name_of(a) == "dtype")
    return next(spelled, None)
