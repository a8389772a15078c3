"""Choose a device or dtype that the machine has: `"cuda" if torch.cuda.is_available() else "cpu"`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from ..at_hand import at_hand
from ..change import Change, Maker, Spelling
from ..edit_site import Spot
from ..names import place
from ..nodes import called, dotted, method, with_argument
from ..source import Source

ORDER = 1
_AT_HAND = 2
_INSTEAD = {"bfloat16": ("float16", "float32"), "float64": ("float32",), "complex128": ("complex64",)}


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """On a line that asks for what is not there."""
    if spot.role != "absent" or spot.have == spot.want:
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    at = place(spot.location)
    torch = source.imported("torch")
    for node in source.expressions(spot.location.line):
        if isinstance(node, cst.SimpleString) and str(node.evaluated_value).partition(":")[0] in ("cuda", "mps", "xpu"):
            wanted = spot.want or "cpu"
            kind = str(node.evaluated_value).partition(":")[0]
            texts = [*islice(at_hand(source, node, "device"), _AT_HAND), f'"{wanted.removesuffix(":0")}"']
            if torch and wanted == "cpu":
                asked = f"{torch}.{'backends.mps' if kind == 'mps' else kind}.is_available()"
                texts.insert(-1, f'{source.text(node)} if {asked} else "cpu"')
            new = [(f"write {text} for {source.text(node)}, at {at}", cst.parse_expression(text)) for text in texts]
            yield from make.replaced(node, *new)
        elif isinstance(node, cst.Call) and called(node) in ("cuda", "xpu") and isinstance(node.func, cst.Attribute):
            name = called(node)
            new = [(f'write .to("cpu") for .{name}() at {at}', method(node.func.value, "to", _text("cpu")))]
            yield from make.replaced(node, *new)
        else:
            yield from _other_dtype(make, node, at)


def _other_dtype(make: Maker, node: cst.BaseExpression, at: str) -> Iterator[Change]:
    source = make.source
    dtype = dotted(node).partition(".")[2] if dotted(node).startswith("torch.") else ""
    for rank, other in enumerate(_INSTEAD.get(dtype, ())):
        text = f"torch.{other}"

        def write(text: str = text) -> bytes | None:
            return source.with_node(node, cst.parse_expression(text))

        spelling = Spelling(title=f"write {text} for torch.{dtype}, at {at}", write=write)
        yield from make.written(
            source.line(node), spelling, harm=rank, reason=f"{other} has another range and precision than {dtype}"
        )
    if isinstance(node, cst.Call) and called(node) == "autocast" and torch_half(source, node) is None:
        new = with_argument(node, cst.Arg(keyword=cst.Name("enabled"), value=cst.Name("False")))
        spelling = Spelling(title=f"switch autocast off at {at}", write=lambda: source.with_node(node, new))
        yield from make.written(source.line(node), spelling, harm=2, reason="it computes in float32")


def torch_half(source: Source, call: cst.Call) -> str | None:
    """The dtype that an autocast call spells."""
    return next((source.text(a.value) for a in call.args if a.keyword and a.keyword.value == "dtype"), None)


def _text(value: str) -> cst.Arg:
    return cst.Arg(cst.SimpleString(f'"{value}"'))
