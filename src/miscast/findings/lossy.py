"""From a call that lost numbers to a finding: the rules of such losses share this. Few of them torch refuses.

sin takes angles of a half dtype: angles go up to 4e3 rad, where neighbours in bfloat16 are 16 rad apart
help  cast `self` before sin, at rope.py:12: .to(torch.float32)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .. import remedy
from ..event import Call, Trace
from ..finding import Finding, Fix, Severity
from .finding_builder import make_finding


def lossy(
    trace: Trace,
    rule: str,
    message: str,
    ways_out: Sequence[str] | Callable[[str], Sequence[str]] = ("{cast}",),
    *,
    severity: Severity = "warning",
) -> Iterator[Finding]:
    """The findings of a rule (`rule` is its `__name__`); `{op}`, `{figures}`, `{cast}` and `{where}` are filled in.

    `ways_out` may depend on the figures.
    """
    name = rule.rpartition(".")[2].replace("_", "-")
    for call in trace.calls:
        if call.violation.kind == "lossy" and call.violation.argument == name:
            words = _words(call)
            ways = ways_out(words["figures"]) if callable(ways_out) else ways_out
            yield make_finding(
                rule,
                call,
                message.format(**words),
                severity="error" if call.violation.error else severity,
                fixes=[Fix(title=way.format(**words)) for way in ways],
            )


def _words(call: Call) -> dict[str, str]:
    where = remedy.place(call.location)
    broken = call.violation
    operand = broken.odd[0] if broken.odd else "self"
    what = "the operands" if operand == "out" else f"`{operand}`"
    return {
        "op": call.op,
        "figures": broken.value,
        "where": where,
        "wanted": broken.expected,
        "operand": operand,
        "cast": f"cast {what} before {call.op}, at {where}: .to(torch.{broken.expected})",
    }
