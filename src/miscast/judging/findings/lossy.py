"""Build findings from calls that lost precision, for all such rules. Torch raises for few of them.

sin takes angles of a half dtype: angles go up to 4e3 rad, where neighbours in bfloat16 are 16 rad apart
help  cast `self` before sin at rope.py:12: .to(torch.float32)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ...core.event import Call, Trace
from ...core.finding import Finding, Fix, Severity
from ...fixing import remedy
from .finding_builder import make_finding

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
            text = message.format(op=call.op, figures=broken.value)
            usual = severity.get(broken.form, "warning")
            yield of_loss(call, text, ways, "error" if broken.error else usual)


def of_loss(
    call: Call, message: str, ways: str | Sequence[str], severity: Severity
) -> Finding:
    """Return the finding for a call that lost precision; `ways` are the help of its form."""
    rule = call.violation.argument
    finding = make_finding(rule, call, message, severity=severity, fixes=())
    return replace(finding, fixes=ways_out(ways, finding))


def ways_out(ways: str | Sequence[str], finding: Finding) -> tuple[Fix, ...]:
    """Return the fixes that a rule's help spells, the best one first.

    `{where}` is the place of the loss, `{origin}` that which gave the operand its dtype. `{cast}` are the words that an
    edit of the call takes the place of.
    """
    where = remedy.place(finding.location)
    blamed = finding.blamed_operand
    event = None if blamed is None else blamed.dtype_origin
    alone = finding.blamed != "out" and remedy.fits_alone(finding)
    cast = remedy.in_words(finding) if alone else None
    plain = (
        f"cast the operands before {finding.op} at {where}: .to(torch.{finding.wanted})"
    )
    words = {
        "op": finding.op,
        "where": where,
        "wanted": finding.wanted,
        "operand": finding.blamed or "self",
        "origin": remedy.place(event.location) if event and event.location else where,
        "cast": plain if cast is None else cast.title,
    }
    ways = (ways,) if isinstance(ways, str) else ways
    return tuple(Fix(title=way.format(**words)) for way in ways)
