"""The report as JSON, schema 1: a frozen copy of the types, so that a change of the types does not change the format.

    {"schema": 1, "miscast": "0.1.0", "torch": "2.13.0", "machine": "v100", "findings": [{"rule":
     "operand-dtype-mismatch", "severity": "error", "message": "…", "op": "linear", "phase": "forward", "location":
     {"file": "train.py", "line": 112, …}, "operands": […], "related": […], "consequence_of": null, "fixes": […]}],
     "contracts": "declared", "unchecked": {"aten.foo": 2}, "assumed": […]}

An operand's `origin` is where the story of its dtype (of its device, if the finding is "about": "device") starts: the
birth, or the first silent promotion; `history` has all events, newest first. Keys may be added within schema 1; a key
that is here keeps its meaning. `report.reading` reads it back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..event import Assumption, Effect, Event, Location, Memory, Operand
from ..finding import Edit, Finding, Fix
from .wording import how

if TYPE_CHECKING:
    from .report import Report

SCHEMA = 1


def render(report: Report) -> str:
    """The report as one JSON object."""
    return json.dumps(_report(report), indent=2, ensure_ascii=False)


def _report(report: Report) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "miscast": __version__,
        "torch": report.torch,
        "machine": report.machine,
        "findings": [_finding(finding) for finding in report.findings],
        "contracts": report.contracts,
        "unchecked": dict(report.unchecked),
        "assumed": [_assumption(assumed) for assumed in report.assumed],
        "notes": list(report.notes),
        "ended": report.ended,
        "failed": report.failed,
        "ops": report.ops,
        "memory": [_memory(memory) for memory in report.memory],
        "effects": _effects(report.effects),
        **({"ranks": report.ranks, "matched": report.matched} if report.ranks else {}),
    }


def _effects(effects: tuple[Effect, ...]) -> dict[str, Any]:
    """Paths as plain strings; what has an action and a line, as objects."""
    paths = {kind: [e.what for e in effects if e.kind == kind] for kind in ("written", "deleted")}
    others = {kind: [_effect(e) for e in effects if e.kind == kind] for kind in ("network", "started", "signal")}
    return {**paths, **others}


def _effect(effect: Effect) -> dict[str, Any]:
    location = None if effect.location is None else _location(effect.location)
    return {"what": effect.what, "action": effect.action, "location": location, "count": effect.count}


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "device": memory.device,
        "capacity": memory.capacity,
        "peak": memory.peak,
        "parameters": memory.parameters,
        "buffers": memory.buffers,
        "gradients": memory.gradients,
        "optimizer": memory.optimizer,
        "activations": memory.activations,
        "temporaries": memory.temporaries,
        "location": None if memory.location is None else _location(memory.location),
        **({} if memory.rank is None else {"rank": memory.rank}),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "op": finding.op,
        "phase": finding.phase,
        "location": _location(finding.location),
        "about": finding.about,
        "operands": [_operand(operand, finding.origin(operand)) for operand in finding.operands],
        "related": [{"label": related.label, "location": _location(related.location)} for related in finding.related],
        "consequence_of": finding.consequence_of,
        "help": [fix.title for fix in finding.fixes],
        "fixes": [_fix(fix) for fix in finding.fixes],
        "error": finding.error,
        "raises": finding.raises,
        "count": finding.count,
        "blamed": finding.blamed,
        "wanted": finding.wanted,
        "callers": [_location(caller) for caller in finding.callers],
        **({"ranks": list(finding.ranks)} if finding.ranks else {}),
    }


def _operand(operand: Operand, origin: Event | None) -> dict[str, Any]:
    return {
        "name": operand.name,
        "dtype": operand.tensor.dtype,
        "device": operand.tensor.device,
        "shape": list(operand.tensor.shape),
        "origin": None if origin is None else _event(origin.start()),
        "history": [] if origin is None else [_event(event) for event in origin.chain()],
    }


def _event(event: Event) -> dict[str, Any]:
    location = event.location or Location(file="", line=0)
    return {
        "file": location.file,
        "line": location.line,
        "function": location.function,
        "code": location.code,
        "how": how(event),
        "kind": event.kind,
        "op": event.op,
        "dtype": event.dtype,
        "device": event.device,
        "library": None if event.library is None else _location(event.library),
        **({} if event.carried is None else {"moved": _location(event.carried)}),
    }


def _location(location: Location) -> dict[str, Any]:
    return {
        "file": location.file,
        "line": location.line,
        **({"column": location.column} if location.column else {}),
        "function": location.function,
        "module": location.module,
        "code": location.code,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "verified": fix.verified,
        "edits": [_edit(edit) for edit in fix.edits],
    }


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "file": edit.file,
        "start_line": edit.start_line,
        "end_line": edit.end_line,
        "replacement": edit.replacement,
    }


def _assumption(assumed: Assumption) -> dict[str, Any]:
    location = None if assumed.location is None else _location(assumed.location)
    return {"what": assumed.what, "value": assumed.value, "location": location, "count": assumed.count}
