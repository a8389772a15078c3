"""Reads the JSON report back. The text may come from anywhere: each value is checked, nothing is evaluated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, get_args

from ..event import Assumption, Effect, EffectKind, Event, EventKind, Location, Memory, Operand, Phase, TensorMeta
from ..finding import Edit, Finding, Fix, Related, Severity, Subject
from .report import Report

T = TypeVar("T")
_DEPTH = 40


def loads(text: str) -> Report:
    """A report that `report.json` wrote. Raises ValueError, with one line on what is wrong, for anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    return read(data)


def read(data: object) -> Report:
    """The report in parsed JSON of schema 1. Raises ValueError with one line for what does not belong there."""
    top = _Object(data, "report")
    schema = top.value("schema", int)
    if schema != 1:
        raise ValueError(f"schema {schema} is not known here: this version reads schema 1")
    findings = top.many("findings", _finding)
    for index, finding in enumerate(findings):
        if finding.consequence_of is not None and not 0 <= finding.consequence_of < index:
            raise ValueError(f"findings[{index}].consequence_of: {finding.consequence_of} is no earlier finding")
    return Report(
        machine=top.value("machine", str),
        torch=top.value("torch", str),
        findings=findings,
        contracts=top.value("contracts", str, ""),
        unchecked=top.counts("unchecked"),
        assumed=top.many("assumed", _assumption),
        notes=tuple(top.strings("notes")),
        ended=top.optional("ended", str),
        failed=top.optional("failed", str),
        ops=top.value("ops", int, 0),
        memory=top.many("memory", _memory),
        effects=_effects(_Object(top.data.get("effects", {}), "report.effects")),
        ranks=top.value("ranks", int, 0),
        matched=top.value("matched", int, 0),
    )


class _Object:
    """A JSON object whose fields are asked for by type; `where` is its path, for the error."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise ValueError(f"{where}: an object is wanted, not {type(data).__name__}")  # noqa: TRY004 - bad data, not a bad call
        self.data: dict[str, Any] = data
        self.where = where

    def value(self, name: str, kind: type[T], default: T | None = None) -> T:
        found = self.data.get(name, default)
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            raise ValueError(f"{self.where}.{name}: {kind.__name__} is wanted, not {type(found).__name__}")
        return found

    def optional(self, name: str, kind: type[T]) -> T | None:
        return None if self.data.get(name) is None else self.value(name, kind)

    def one_of(self, name: str, literal: object, default: str | None = None) -> Any:
        found = self.value(name, str, default)
        if found not in get_args(literal):
            raise ValueError(f"{self.where}.{name}: {found[:40]!r} is none of {', '.join(get_args(literal))}")
        return found

    def many(self, name: str, make: Callable[[_Object], T]) -> tuple[T, ...]:
        items: list[Any] = self.value(name, list, [])
        return tuple(make(_Object(item, f"{self.where}.{name}[{i}]")) for i, item in enumerate(items))

    def strings(self, name: str) -> list[str]:
        items: list[Any] = self.value(name, list, [])
        if not all(isinstance(item, str) for item in items):
            raise ValueError(f"{self.where}.{name}: a list of strings is wanted")
        return items

    def integers(self, name: str) -> tuple[int, ...]:
        items: list[Any] = self.value(name, list, [])
        if not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
            raise ValueError(f"{self.where}.{name}: a list of integers is wanted")
        return tuple(items)

    def counts(self, name: str) -> dict[str, int]:
        counts = _Object(self.data.get(name, {}), f"{self.where}.{name}")
        return {key: counts.value(key, int) for key in counts.data}

    def nested(self, name: str, make: Callable[[_Object], T]) -> T | None:
        return None if self.data.get(name) is None else make(_Object(self.data[name], f"{self.where}.{name}"))


def _effects(o: _Object) -> tuple[Effect, ...]:
    found = [Effect(kind="written", what=path) for path in o.strings("written")]
    found += [Effect(kind="deleted", what=path) for path in o.strings("deleted")]
    for kind in ("network", "started", "signal"):
        found += o.many(kind, lambda one, kind=kind: _effect(one, kind))  # type: ignore[misc]
    return tuple(found)


def _effect(o: _Object, kind: EffectKind) -> Effect:
    return Effect(
        kind=kind,
        what=o.value("what", str),
        action=o.value("action", str, ""),
        location=o.nested("location", _location),
        count=o.value("count", int, 1),
    )


def _finding(o: _Object) -> Finding:
    about: Subject = o.one_of("about", Subject, "dtype")
    severity: Severity = o.one_of("severity", Severity)
    phase: Phase = o.one_of("phase", Phase)
    return Finding(
        rule=o.value("rule", str),
        severity=severity,
        message=o.value("message", str),
        op=o.value("op", str),
        phase=phase,
        location=_location(_Object(o.data.get("location"), f"{o.where}.location")),
        about=about,
        operands=o.many("operands", lambda operand: _operand(operand, about)),
        related=o.many("related", _related),
        consequence_of=o.optional("consequence_of", int),
        fixes=o.many("fixes", _fix),
        error=o.value("error", str, ""),
        raises=o.value("raises", str, "RuntimeError"),
        count=o.value("count", int, 1),
        blamed=o.value("blamed", str, ""),
        wanted=o.value("wanted", str, ""),
        callers=o.many("callers", _location),
        ranks=o.integers("ranks"),
    )


def _operand(o: _Object, about: Subject) -> Operand:
    shape: list[Any] = o.value("shape", list)
    if not all(isinstance(size, int) for size in shape):
        raise ValueError(f"{o.where}.shape: a list of integers is wanted")
    origin = _chained(o.many("history", _event), o.where)
    return Operand(
        name=o.value("name", str),
        tensor=TensorMeta(dtype=o.value("dtype", str), device=o.value("device", str), shape=tuple(shape)),
        dtype_origin=origin if about == "dtype" else None,
        device_origin=origin if about == "device" else None,
    )


def _event(o: _Object) -> Event:
    kind: EventKind = o.one_of("kind", EventKind)
    location = Location(
        file=o.value("file", str),
        line=o.value("line", int),
        function=o.value("function", str),
        code=o.value("code", str),
    )
    return Event(
        kind=kind,
        op=o.value("op", str),
        dtype=o.value("dtype", str),
        device=o.value("device", str),
        location=location if location.file else None,
        library=o.nested("library", _location),
        carried=o.nested("moved", _location),
    )


def _chained(history: tuple[Event, ...], where: str) -> Event | None:
    """The newest of a list of events, each with the next one as its source."""
    if len(history) > _DEPTH:
        raise ValueError(f"{where}.history: more than {_DEPTH} events")
    newest: Event | None = None
    for event in reversed(history):
        newest = replace(event, source=newest)
    return newest


def _location(o: _Object) -> Location:
    return Location(
        file=o.value("file", str),
        line=o.value("line", int),
        function=o.value("function", str),
        module=o.optional("module", str),
        code=o.value("code", str),
        column=o.value("column", int, 0),
    )


def _related(o: _Object) -> Related:
    return Related(
        label=o.value("label", str), location=_location(_Object(o.data.get("location"), f"{o.where}.location"))
    )


def _fix(o: _Object) -> Fix:
    return Fix(
        title=o.value("title", str),
        safe=o.value("safe", bool),
        verified=o.value("verified", bool),
        edits=o.many("edits", _edit),
    )


def _edit(o: _Object) -> Edit:
    return Edit(
        file=o.value("file", str),
        start_line=o.value("start_line", int),
        end_line=o.value("end_line", int),
        replacement=o.value("replacement", str),
    )


def _memory(o: _Object) -> Memory:
    return Memory(
        device=o.value("device", str),
        capacity=o.value("capacity", int),
        peak=o.value("peak", int),
        parameters=o.value("parameters", int),
        buffers=o.value("buffers", int),
        gradients=o.value("gradients", int),
        optimizer=o.value("optimizer", int),
        activations=o.value("activations", int),
        temporaries=o.value("temporaries", int),
        location=o.nested("location", _location),
        rank=o.optional("rank", int),
    )


def _assumption(o: _Object) -> Assumption:
    location = o.nested("location", _location)
    return Assumption(
        what=o.value("what", str), value=o.value("value", str), location=location, count=o.value("count", int)
    )
