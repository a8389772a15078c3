"""The report as JSON, schema 1.

    {"schema": 1, "miscast": "0.1.0", "torch": "2.13.0", "machine": "v100", "findings": [{"rule":
     "operand-dtype-mismatch", "severity": "error", "message": "…", "op": "linear", "phase": "forward", "location":
     {"file": "train.py", "line": 112, …}, "operands": […], "related": […], "consequence_of": null, "fixes": […]}],
     "contracts": "declared", "unchecked": {"aten.foo": 2}, "assumed": […]}

`report.schema` declares it, `report.reading` reads it back. What `explain` tells has keys of its own, those of
`report.log_schema`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from msgspec import Struct, convert, to_builtins

from .. import __version__
from ..core.event import Effect, EffectKind, Event, Location, Operand
from ..core.finding import Finding
from . import log_schema, schema
from .wording import briefly, how, lines_of

if TYPE_CHECKING:
    from .report import Report

S = TypeVar("S", bound=Struct)
PATHS = ("written", "deleted")
_NOWHERE = Location(file="", line=0)


def render(report: Report) -> str:
    """Return the report as one JSON object, indented."""
    return dumps(document(report), indent=2)


def document(report: Report) -> dict[str, Any]:
    """Return the keys of the report's schema, then those of its sections."""
    data: dict[str, Any] = to_builtins(_document(report))
    for section in report.sections:
        told = section.data()
        assert section.name not in data, f"duplicate key {section.name!r}"
        data |= {} if told is None else {section.name: to_builtins(told)}
    return data


def dumps(data: object, indent: int | None = None) -> str:
    """Return data as JSON; in ASCII if it contains text that is not Unicode, such as a file's name."""
    try:
        text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
    except ValueError:
        data = _spelled(data)
        text = json.dumps(data, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, indent=indent)
    return text


def _spelled(data: object) -> object:
    """Replace numbers that JSON lacks by texts: "nan", "inf", "-inf"."""
    if isinstance(data, dict):
        return {key: _spelled(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_spelled(value) for value in data]
    odd = isinstance(data, float) and not math.isfinite(data)
    return str(data) if odd else data


def _document(report: Report) -> Struct:
    if report.command == "explain":
        told = tuple(map(explanation, report.findings))
        return log_schema.Explanations(explanations=told)
    return taken(
        schema.Report,
        report,
        schema=schema.SCHEMA,
        miscast=__version__,
        findings=[finding_data(finding) for finding in report.findings],
        effects=_effects(report.effects),
    )


def taken(kind: type[S], source: object, **own: Any) -> S:
    """Return a part of a schema with the attributes of what it is a copy of, but for its `own`."""
    same = {
        name: getattr(source, name)
        for name in kind.__struct_fields__
        if name not in own
    }
    return convert(same | own, kind, from_attributes=True)


def finding_data(finding: Finding) -> schema.Finding:
    """Return a finding as the schema has it."""
    operands = [
        _operand(operand, finding.origin(operand)) for operand in finding.operands
    ]
    return taken(schema.Finding, finding, operands=operands)


def _operand(operand: Operand, origin: Event | None) -> schema.Operand:
    return taken(
        schema.Operand,
        operand.tensor,
        name=operand.name,
        origin=origin and _event(origin.start()),
        history=[_event(event) for event in origin.chain()] if origin else (),
    )


def explanation(finding: Finding) -> log_schema.Explanation:
    """Return a finding of `explain` as its schema has it."""
    at = finding.location
    place = taken(log_schema.Place, at, library=finding.library) if at.file else None
    operands = [
        taken(log_schema.Operand, operand, since=_since(finding.origin(operand)))
        for operand in finding.operands
    ]
    return taken(
        log_schema.Explanation,
        finding,
        op_guessed=finding.guessed,
        operands=operands,
        location=place,
        module=at.module,
        ranks=finding.said_by,
    )


def _since(origin: Event | None) -> list[log_schema.OriginEvent]:
    kind = log_schema.OriginEvent
    return [
        taken(kind, at, how=briefly(one), dtype=one.dtype, device=one.device)
        for one, at in lines_of(origin)
    ]


def _event(event: Event) -> schema.Event:
    at = event.location or _NOWHERE
    place = {"file": at.file, "line": at.line, "function": at.function, "code": at.code}
    return taken(schema.Event, event, **place, how=how(event), moved=event.carried)


def _effects(effects: Sequence[Effect]) -> dict[str, list[Effect | str]]:
    return {
        kind: [
            effect.what if kind in PATHS else effect
            for effect in effects
            if effect.kind == kind
        ]
        for kind in get_args(EffectKind)
    }
