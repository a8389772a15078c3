"""Schema 1: its keys, its round trip, and what bad input gets."""

from __future__ import annotations

import copy
import json

import pytest

import traces
from miscast.report.json import render
from miscast.report.reading import loads
from reports import full, report

FINDING = {"rule", "severity", "message", "op", "phase", "location", "operands", "related", "consequence_of", "fixes"}
LOCATION = {"file", "line", "function", "module", "code"}
OPERAND = {"name", "dtype", "device", "shape", "origin", "history"}
ORIGIN = {"file", "line", "function", "code", "how"}


def test_the_keys_of_schema_1():
    data = json.loads(render(full()))
    assert data["schema"] == 1
    assert {"schema", "miscast", "torch", "machine", "findings", "unchecked", "assumed"} <= set(data)
    for finding in data["findings"]:
        assert set(finding) >= FINDING
        assert set(finding["location"]) == LOCATION
        for operand in finding["operands"]:
            assert set(operand) == OPERAND
            assert operand["origin"] is None or set(operand["origin"]) >= ORIGIN
        for fix in finding["fixes"]:
            assert set(fix) == {"title", "safe", "verified", "edits"}


def test_the_story_of_an_operand():
    first = json.loads(render(report(traces.conv())))["findings"][0]
    given, weight = first["operands"]
    assert given["origin"]["how"] == "promoted by cat with float32 `mask`"
    assert [event["how"] for event in given["history"]] == [given["origin"]["how"], "born by torch.ones"]
    assert weight["origin"]["how"] == "cast by unet.half"


def test_a_finding_about_devices_tells_where_the_device_is_from():
    (finding,) = json.loads(render(report(traces.stray())))["findings"]
    assert finding["about"] == "device"
    origins = [operand["origin"] for operand in finding["operands"]]
    assert (origins[0]["how"], origins[1]) == ("moved by z.to", None)


@pytest.mark.parametrize("made", [full, report], ids=["full", "empty"])
def test_round_trip(made):
    text = render(made())
    again = loads(text)
    assert render(again) == text
    assert [f.message for f in again.findings] == [f.message for f in made().findings]
    assert loads(render(again)) == again


def _without(data, *path):
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    del inner[last]
    return data


def _with(data, value, *path):
    data = copy.deepcopy(data)
    *way, last = path
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = value
    return data


GOOD = json.loads(render(full()))
BAD = {
    "a later schema": (_with(GOOD, 2, "schema"), "schema 2 is not known here: this version reads schema 1"),
    "no schema": (_without(GOOD, "schema"), "report.schema: int is wanted, not NoneType"),
    "a list": ([], "report: an object is wanted, not list"),
    "a severity of its own": (
        _with(GOOD, "fatal", "findings", 0, "severity"),
        "report.findings[0].severity: 'fatal' is none of error, warning, hint",
    ),
    "a line that is text": (
        _with(GOOD, "7", "findings", 0, "location", "line"),
        "report.findings[0].location.line: int is wanted, not str",
    ),
    "a shape of text": (
        _with(GOOD, ["a"], "findings", 0, "operands", 0, "shape"),
        "report.findings[0].operands[0].shape: a list of integers is wanted",
    ),
    "a consequence of itself": (
        _with(GOOD, 1, "findings", 1, "consequence_of"),
        "findings[1].consequence_of: 1 is no earlier finding",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line(case):
    data, message = BAD[case]
    with pytest.raises(ValueError, match="^" + message.replace("[", r"\[") + "$"):
        loads(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nul"], ids=["empty", "open", "deep", "word"])
def test_what_is_no_json(text):
    with pytest.raises(ValueError, match=r"^(not JSON: |report: )"):
        loads(text)


def test_an_origin_of_a_thousand_events():
    data = copy.deepcopy(GOOD)
    operand = data["findings"][0]["operands"][0]
    operand["history"] = [operand["origin"]] * 100
    with pytest.raises(ValueError, match="more than 40 events"):
        loads(json.dumps(data))
