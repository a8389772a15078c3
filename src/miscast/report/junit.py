"""The report as JUnit's XML, which every CI server shows beside the tests.

    <testsuites name="miscast check" tests="1" failures="1" errors="0">
      <testsuite name="miscast check" tests="1" failures="1" errors="0">
        <testcase classname="train.py" name="operand-dtype-mismatch [8c1f64b7a09d2e53]" time="0">
          <failure type="error" message="train.py:112: linear mixes float32 `input` with float16 `weight`">…

Each finding is a failed test, with its whole text; a run that did not come to its end is an error. Where nothing was
found there is one test, which passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from .folds import Fold, folds, unvouched
from .repository import Repository
from .suppressions import suppressions
from .verdict import checked_nothing, in_words

if TYPE_CHECKING:
    from .report import Report


def render(report: Report) -> str:
    """Return one suite, of one test for each finding."""
    repository = Repository.here()
    cases = [_failed(fold, repository) for fold in folds(report, repository)]
    errors = [_error(report.command, line) for line in unvouched(report)]
    tests = [*cases, *errors] or [_clean(report)]
    counts = {
        "name": f"miscast {report.command}",
        "tests": str(len(tests)),
        "failures": str(len(cases)),
        "errors": str(len(errors)),
    }
    suites = ET.Element("testsuites", counts)
    skipped = {"skipped": "1"} if checked_nothing(report) else {}
    suite = ET.SubElement(suites, "testsuite", {**counts, **skipped})
    suite.append(_ran(report))
    suite.extend(tests)
    about = [f"{label}: {text}" for label, text in suppressions(report).told()]
    if report.notes or about:
        out = ET.SubElement(suite, "system-out")
        out.text = _xml("\n".join((*report.notes, *about)))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, "unicode")}\n'


def _ran(report: Report) -> ET.Element:
    found = ET.Element("properties")
    for name, value in (("machine", report.machine), ("torch", report.torch)):
        if value:
            ET.SubElement(found, "property", name=name, value=_xml(value))
    return found


def _case(name: str, says: str) -> ET.Element:
    return ET.Element("testcase", classname=_xml(name), name=_xml(says), time="0")


def _failed(fold: Fold, repository: Repository) -> ET.Element:
    finding = fold.finding
    file, line = finding.location.file, finding.location.line
    name = repository.shown(file) if file else ""
    at = f"{name}:{line}: " if line else f"{name}: " if name else ""
    # named by what stays where lines move, so that a server tells what is new
    case = _case(name or "miscast", f"{finding.rule} [{fold.fingerprint}]")
    says = _xml(f"{at}{finding.message}")
    failure = ET.SubElement(case, "failure", type=finding.severity, message=says)
    failure.text = _xml(fold.text)
    return case


def _clean(report: Report) -> ET.Element:
    """Return a test that passed; one that was skipped, where no op was checked."""
    case = _case(report.command, in_words(report))
    if checked_nothing(report):
        ET.SubElement(case, "skipped")
    return case


def _error(command: str, line: str) -> ET.Element:
    case = _case(command, "run completed")
    error = ET.SubElement(case, "error", type="ended", message=_xml(line))
    error.text = _xml(line)
    return case


def _xml(text: str) -> str:
    """Replace what XML 1.0 cannot hold, even escaped."""
    return "".join(char if _allowed(char) else "?" for char in text)


def _allowed(char: str) -> bool:
    return (
        char in "\t\n"
        or " " <= char <= "\ud7ff"
        or "\ue000" <= char <= "\ufffd"
        or char >= "\U00010000"
    )
