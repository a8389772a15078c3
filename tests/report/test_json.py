"""Schema 1: its keys, its round trip, and what bad input gets."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace

import pytest
from msgspec import convert
from msgspec.json import encode

import traces
from miscast.explanation import explained
from miscast.report import log_schema
from miscast.report.json import render
from miscast.report.reading import loads
from reports import everything, full, report

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


def test_a_name_that_is_no_unicode_can_be_written_and_read():
    told = replace(report(), notes=("out/\udcff.pt: read", "größer"))
    assert loads(render(told).encode().decode()).notes == told.notes


def test_what_explain_writes_is_of_its_schema():
    told = explained("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half")
    written = json.loads(render(told))
    assert json.loads(encode(convert(written, log_schema.Explanations))) == written
    assert written["explanations"][0]["operands"][1]["dtype"] == "float16"


def test_the_story_of_an_operand():
    first = json.loads(render(report(traces.conv())))["findings"][0]
    given, weight = first["operands"]
    assert given["origin"]["how"] == "promoted by cat with float32 `mask`"
    assert [event["how"] for event in given["history"]] == [given["origin"]["how"], "created by torch.ones"]
    assert weight["origin"]["how"] == "cast by unet.half"


def test_a_finding_about_devices_tells_where_the_device_is_from():
    (finding,) = json.loads(render(report(traces.stray())))["findings"]
    assert finding["about"] == "device"
    origins = [operand["origin"] for operand in finding["operands"]]
    assert (origins[0]["how"], origins[1]) == ("moved by z.to", None)


@pytest.mark.parametrize("made", [full, report, everything], ids=["full", "empty", "everything"])
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
    "no schema": (_without(GOOD, "schema"), "not a report of schema 1: Object missing required field `schema`"),
    "a list": ([], "not a report of schema 1: Expected `object`, got `array`"),
    "a severity of its own": (
        _with(GOOD, "fatal", "findings", 0, "severity"),
        "not a report of schema 1: Invalid enum value 'fatal' - at `$.findings[0].severity`",
    ),
    "a line that is text": (
        _with(GOOD, "7", "findings", 0, "location", "line"),
        "not a report of schema 1: Expected `int`, got `str` - at `$.findings[0].location.line`",
    ),
    "a shape of text": (
        _with(GOOD, ["a"], "findings", 0, "operands", 0, "shape"),
        "not a report of schema 1: Expected `int`, got `str` - at `$.findings[0].operands[0].shape[0]`",
    ),
    "a consequence of itself": (
        _with(GOOD, 1, "findings", 1, "consequence_of"),
        "findings[1].consequence_of: 1 is not an earlier finding",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line(case):
    data, message = BAD[case]
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        loads(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "nul"], ids=["empty", "open", "deep", "word"])
def test_what_is_no_json(text):
    with pytest.raises(ValueError, match=r"^not (JSON|a report of schema 1): "):
        loads(text)


def test_an_origin_of_a_thousand_events():
    data = copy.deepcopy(GOOD)
    operand = data["findings"][0]["operands"][0]
    operand["history"] = [operand["origin"]] * 40
    (first, *_) = loads(json.dumps(data)).findings
    assert len(first.origin(first.operands[0]).chain()) == 40
    operand["history"] = [operand["origin"]] * 41
    with pytest.raises(ValueError, match="more than 40 events"):
        loads(json.dumps(data))
