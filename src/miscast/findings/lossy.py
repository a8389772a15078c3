"""Build findings from calls that lost precision, for all such rules. Torch raises for few of them.

sin takes angles of a half dtype: angles go up to 4e3 rad, where neighbours in bfloat16 are 16 rad apart
help  cast `self` before sin, at rope.py:12: .to(torch.float32)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from .. import remedy
from ..event import Trace
from ..finding import Finding, Fix, Severity
from .finding_builder import make_finding, odd

Help = Mapping[str, str | tuple[str, ...]]
"""Fixes by the form of a precision loss, the best one first: one advice for one cause.

Code is in backquotes, and runs where `x` and `y` are tensors, `p` probabilities, `n` integers, `mask` a tensor of
bools.
"""


def lossy(
    trace: Trace,
    rule: str,
    message: str,
    help_: Help | Callable[[str], Sequence[str]],
    *,
    severity: Mapping[str, Severity] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Yield the findings of a rule (`rule` is its `__name__`), each with the help of its form.

    `severity` is that of the forms which are no warnings.
    """
    name = rule.rpartition(".")[2].replace("_", "-")
    for call in trace.calls:
        if call.violation.kind == "lossy" and call.violation.argument == name:
            broken = call.violation
            ways = help_(broken.value) if callable(help_) else help_[broken.form]
            operand = broken.odd[0] if broken.odd else "self"
            where, wanted = remedy.place(call.location), broken.expected
            grave = "error" if broken.error else severity.get(broken.form, "warning")
            named = odd(call)
            event = None if named is None else named.dtype_origin
            origin = remedy.place(event.location) if event and event.location else where
            yield make_finding(
                rule,
                call,
                message.format(op=call.op, figures=broken.value),
                severity=grave,
                fixes=ways_out(ways, call.op, where, wanted, operand, origin),
            )


def ways_out(  # noqa: PLR0913 - the words of a help
    ways: str | Sequence[str],
    op: str,
    where: str,
    wanted: str,
    operand: str = "out",
    origin: str = "",
) -> tuple[Fix, ...]:
    """Return the fixes that a rule's help spells, the best one first.

    `where` is the place of the loss, `origin` that which gave the operand its dtype.
    """
    what = "the operands" if operand == "out" else f"`{operand}`"
    words = {
        "op": op,
        "where": where,
        "wanted": wanted,
        "operand": operand,
        "origin": origin or where,
        "cast": f"cast {what} before {op}, at {where}: .to(torch.{wanted})",
    }
    ways = (ways,) if isinstance(ways, str) else ways
    return tuple(Fix(title=way.format(**words)) for way in ways)
