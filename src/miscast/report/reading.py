"""Reads the JSON report back. The text may come from anywhere: each value is checked, nothing is evaluated."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert, to_builtins

from ..core.event import Effect, Event, Location, Operand, TensorMeta
from ..core.finding import Finding, Subject
from . import schema
from .json import PATHS
from .report import Report
from .suppressions import Remark, Suppressed, Suppressions
from .suppressions_schema import RemarkData, SuppressedData, SuppressionsData

T = TypeVar("T")
_DEPTH = 40


class _Sections(Struct):
    """Sections read back from a report."""

    suppressions: SuppressionsData | None = None


def loads(text: str) -> Report:
    """Read a report that `report.json` wrote. Raises ValueError, with one line on what is wrong, for anything else."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    return read(data)


def read(data: object) -> Report:
    """Return the report in parsed JSON of schema 1; of its sections, what was suppressed, each without its story.

    Raises ValueError with one line for what does not belong there.
    """
    version = _checked(data, schema.Version).schema
    if version != schema.SCHEMA:
        raise ValueError(
            f"schema {version} is not known here: this version reads schema {schema.SCHEMA}"
        )
    told: dict[str, Any] = to_builtins(_checked(data, schema.Report))
    findings = tuple(map(_finding, told.pop("findings")))
    for index, finding in enumerate(findings):
        if (
            finding.consequence_of is not None
            and not 0 <= finding.consequence_of < index
        ):
            raise ValueError(
                f"findings[{index}].consequence_of: {finding.consequence_of} is not an earlier finding"
            )
    effects = _effects(told.pop("effects"))
    return replace(
        convert(told, Report),
        findings=findings,
        effects=effects,
        sections=_suppressions(data),
    )


def _checked(data: object, kind: type[T]) -> T:
    try:
        return convert(data, kind)
    except ValidationError as error:
        raise ValueError(
            f"not a report of schema {schema.SCHEMA}: {error}"[:400]
        ) from error


def _finding(told: dict[str, Any]) -> Finding:
    operands = tuple(
        _operand(operand, told["about"]) for operand in told.pop("operands")
    )
    return replace(convert(told, Finding), operands=operands)


def _operand(told: dict[str, Any], about: Subject) -> Operand:
    origin = _chained(told["history"], told["name"])
    operand = Operand(name=told["name"], tensor=convert(told, TensorMeta))
    if about == "device":
        return replace(operand, device_origin=origin)
    return replace(operand, dtype_origin=origin)


def _chained(history: list[dict[str, Any]], name: str) -> Event | None:
    """Return the newest of a list of events, each with the next one as its source."""
    if len(history) > _DEPTH:
        raise ValueError(f"the history of `{name[:40]}`: more than {_DEPTH} events")
    newest: Event | None = None
    for told in reversed(history):
        place = told if told["file"] else None
        event = convert(told | {"location": place, "carried": told.get("moved")}, Event)
        newest = replace(event, source=newest)
    return newest


def _suppressions(data: object) -> tuple[Suppressions, ...]:
    told = _checked(data, _Sections).suppressions
    if told is None:
        return ()
    return (
        Suppressions(
            suppressed=tuple(map(_suppressed, told.suppressed)),
            unused=tuple(map(_remark, told.unused)),
            mistakes=tuple(map(_remark, told.mistakes)),
        ),
    )


def _suppressed(told: SuppressedData) -> Suppressed:
    finding = Finding(
        rule=told.rule,
        severity=told.severity,
        message=told.message,
        op="",
        phase="program",
        location=Location(file=told.file, line=told.line),
        fingerprint=told.fingerprint,
    )
    return Suppressed(finding=finding, by=told.by, reason=told.reason)


def _remark(told: RemarkData) -> Remark:
    return Remark(location=Location(file=told.file, line=told.line), says=told.says)


def _effects(told: dict[str, list[Any]]) -> tuple[Effect, ...]:
    """Return each kind's, in the order of the kinds."""
    entries = [
        {"kind": kind, **({"what": one} if kind in PATHS else one)}
        for kind, some in told.items()
        for one in some
    ]
    return convert(entries, tuple[Effect, ...])
