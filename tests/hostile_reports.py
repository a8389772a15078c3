"""Reports of programs that are named and speak as badly as can be."""

from __future__ import annotations

from dataclasses import replace

import traces
from miscast.core.event import Location
from miscast.core.finding import Finding, Related
from miscast.report import Report
from reports import report

SPOKEN = (
    "a|b", "</details></script><script>alert(1)</script>", "::error file=x::y", "@team #1 [x](http://e.example) `",
    "a\nb\r\nc", "\x1b[31mred\x00\x0b", "```\n# head", "100% %0A", "\ud800 \udcff", "…" * 5_000, "<!-- -->", "]]>",
    "{0} {}", "\\", "\u202eevil",
)  # fmt: skip


def finding(spoken: str, line: int = 3) -> Finding:
    at = Location(file=f"src/{spoken[:200]}.py", line=line, code=spoken, function=spoken, module=spoken)
    (one,) = report(traces.linear()).findings
    return replace(
        one, message=spoken, location=at, error=spoken, related=(Related(label=spoken, location=at),), callers=(at,)
    )


def hostile() -> Report:
    found = tuple(finding(spoken) for spoken in SPOKEN)
    nowhere = replace(found[0], location=Location(file="", line=0))
    return replace(report(), findings=(*found, nowhere), notes=SPOKEN, ended=SPOKEN[5], failed=SPOKEN[4])


def many(count: int) -> Report:
    found = (finding("mask = ones()", line) for line in range(1, count + 1))
    kinds = tuple(replace(one, severity="hint" if one.location.line % 2 else "error") for one in found)
    return replace(report(), findings=kinds)
