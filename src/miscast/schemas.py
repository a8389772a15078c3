"""The JSON Schema of what each command writes as JSON: its report, and the sections that it adds.

    >>> schemas()["matrix"]["$defs"]["CellData"]["properties"]["status"]
    {'type': 'string'}

`docs/<command>.schema.json` are these; `docs/generate.py` writes them. A key is optional where a report has not always
what it tells of.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType, defstruct, json

_SITE = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schemas by the name of their document: "report" is that of `check`."""
    from .report import line_schema, log_schema

    reports = {name: _report(name, keys) for name, keys in _sections().items()}
    whole = {name: json.schema(kind) for name, kind in reports.items()}
    whole["lines"] = json.schema(line_schema.lines(reports["report"]))
    whole["explanations"] = json.schema(log_schema.Explanations)
    return {name: {"$schema": _SITE, **whole[name]} for name in sorted(whole)}


def _sections() -> dict[str, dict[str, Any]]:
    """Return the types behind the keys of every report, by document."""
    from .fixing.fixes.schema import Result
    from .guarding.flight_schema import FlightData
    from .lint.schema import FileCounts, Table
    from .numbers.values.schema import PartingData, RankingData
    from .planning.matrix.table import MatrixData
    from .report.module_tree import TreeModule

    return {
        "report": {"tree": tuple[TreeModule, ...] | UnsetType},
        "lint": {"tables": tuple[Table, ...], "files": FileCounts},
        "fix": {"mending": Result},
        "shadow": {
            "shadow": RankingData | UnsetType,
            "against": PartingData | UnsetType,
        },
        "matrix": {"matrix": MatrixData},
        "flight": {"flight": FlightData},
    }


def _report(name: str, keys: dict[str, Any]) -> type:
    from .report.schema import Report
    from .report.suppressions_schema import SuppressionsData

    optional = {
        "suppressions": SuppressionsData | UnsetType,
        "statistics": dict[str, int] | UnsetType,
    }
    fields: list[Any] = []
    for key, kind in (keys | optional).items():
        may_lack = UnsetType in getattr(kind, "__args__", ())
        fields.append((key, kind, UNSET) if may_lack else (key, kind))
    title = "Report" if name == "report" else f"{name.capitalize()}Report"
    return defstruct(title, fields, bases=(Report,), kw_only=True)
