"""What `check` says of an injured program, and whether it names the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .injury import Injury

_PLACE = re.compile(r"([\w.-]+\.py):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """`message` of the first error, with the lines that its story names and those of its first fix; all "file:line".

    `errors` counts the errors that no other error caused, `warnings` all else that was found.
    """

    message: str = ""
    story: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    errors: int = 0
    warnings: int = 0
    ended: str = ""

    def names(self, injury: Injury) -> bool:
        """Whether the story or the fix names the injured line."""
        return bool(_lines(injury) & {*self.story, *self.help})

    def helps(self, injury: Injury) -> bool:
        """Whether the fix does: what to change there is said in words."""
        return bool(_lines(injury) & {*self.help})


def _lines(injury: Injury) -> set[str]:
    return {f"{injury.file}:{line}" for line in range(injury.first, injury.last + 1)}


def told(data: Mapping[str, Any]) -> Told:
    """From `check`'s answer, as JSON carries it."""
    known = {name: value for name, value in data.items() if name != "all"}
    return Told(**{**known, "story": tuple(data["story"]), "help": tuple(data["help"])})


def check(script: Path, machine: str) -> dict[str, Any]:
    """Check a script, in this process."""
    from miscast.api import check_program

    report = check_program(str(script), [], machine=machine)
    errors = [finding for finding in report.causes if finding.severity == "error"]
    found: dict[str, Any] = {
        "message": "",
        "story": [],
        "help": [],
        "errors": len(errors),
        "warnings": len(report.findings) - len(errors),
        "ended": report.ended or "",
        "all": [finding.message for finding in report.findings],
    }
    if errors:
        first = errors[0]
        found["message"] = f"[{first.rule}] {first.message}"
        found["story"] = sorted({place for place in _story(first) if place})
        found["help"] = sorted({":".join(m) for fix in first.fixes for m in _PLACE.findall(fix.title)})
    return found


def _story(finding: Any) -> Iterator[str]:
    """The places that the text report shows: the op, the origins of the operands at odds, what is related."""
    yield _place(finding.location)
    for related in finding.related:
        yield _place(related.location)
    for operand in finding.operands:
        event = finding.origin(operand)
        for one in event.chain() if event is not None else ():
            yield _place(one.location)


def _place(location: Any) -> str:
    return f"{Path(location.file).name}:{location.line}" if location is not None else ""
