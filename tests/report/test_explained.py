"""An error of a log line by line: what is told of its place, operands, causes and lines, and where it is cut."""

from __future__ import annotations

import json
from dataclasses import replace

import traces
from miscast.core.event import Event, Location, Operand, TensorMeta
from miscast.core.finding import Finding, Fix, RankedCause
from miscast.report.explained import explained
from miscast.report.json import render as as_json
from reports import report
from sweep import sweep

TITLE = "[bold red]dtype-mismatch[bold][/bold red]  linear mixes float32 `mat1`[/bold]"
ERROR = "[dim]  error   [/dim]RuntimeError: mat1"


def finding(**more):
    said = {
        "rule": "dtype-mismatch", "severity": "error", "message": "linear mixes float32 `mat1`\x1b", "op": "linear",
        "phase": "forward", "location": Location(file="", line=0), "error": "RuntimeError: mat1", "pattern": "p",
    }  # fmt: skip
    return Finding(**(said | more))


def operand(name, dtype="", device="", shape=None, **more):
    return Operand(name=name, tensor=TensorMeta(dtype=dtype, device=device, shape=shape), **more)


def told(width=80, **more):
    """What stands between its title and torch's text, with its colours as Rich writes them."""
    first, *lines = (line.markup for line in explained(finding(**more), width))
    at = lines.index(ERROR)
    assert first == TITLE
    return lines[:at] + lines[at + 1 :]


def test_an_error_of_which_nothing_more_is_known():
    assert told() == []


PLACES = {
    "a line": ({"line": 3}, "", ["  train.py:3"]),
    "no line": ({"function": "main"}, "", ["  train.py  in main"]),
    "in a library": ({"file": "lib/diffusers/a.py"}, "diffusers", ["  lib/diffusers/a.py  (diffusers)"]),
    "raised in a library": ({"line": 3}, "diffusers", ["  train.py:3  (raised in diffusers)"]),
    "with its code": ({"code": "x = \x1by"}, "", ["  train.py", "      x =  y"]),
    "59 letters": ({"file": "a" * 59}, "", [f"  {'a' * 59}"]),
    "60 letters": ({"file": "b" + "a" * 59}, "", [f"  …{'a' * 59}"]),
    "what steers": ({"function": "\x1bf"}, "", ["  train.py  in  f"]),
    "what is too wide": (
        {"function": "f" * 90, "code": "c" * 90}, "", [f"  train.py  in {'f' * 65}", f"      {'c' * 74}"],
    ),
}  # fmt: skip


@sweep("case", PLACES)
def test_the_place(case):
    place, library, lines = PLACES[case]
    assert told(location=Location(**({"file": "train.py", "line": 0} | place)), library=library) == lines


MASK = traces.event("born", "torch.ones", "float32", 12, "mask = torch.ones(2)\x1b")
CAT = traces.event("promoted", "cat", "float32", 14, source=MASK)


def test_operands_and_the_lines_behind_them():
    far = replace(MASK, location=traces.at(1, "x" * 90, file="a" * 60))
    operands = (
        operand("mat1", "float32", shape=(2, 3), role="activation", path="x", dtype_origin=CAT),
        operand("a_long_name", "bfloat16", "cuda:0", dtype_origin=far),
        operand("other", role="bias"),
        operand("nothing", shape=(1,)),
    )
    assert told(operands=operands) == [
        "  mat1    float32             activation  [2, 3]  x",
        "          promoted by cat at train.py:14",
        "          created by torch.ones at train.py:12",
        "            mask = torch.ones(2) ",
        "  a_long_name bfloat16 on cuda:0",
        "          created by torch.ones at",
        f"          …{'a' * 59}:1",
        f"            {'x' * 68}",
        "  other   ?                   bias",
    ]


def test_of_a_device_that_is_at_odds_the_lines_that_moved_it():
    moved = traces.event("moved", "Tensor.to", "float16", 33, 'z = z.to("cuda:0")')
    operands = (operand("a", device="cuda:0", dtype_origin=MASK, device_origin=moved), operand("b", device="cpu"))
    assert told(about="device", operands=operands) == [
        "  a       on cuda:0",
        "          moved by Tensor.to at train.py:33",
        '            z = z.to("cuda:0")',
        "  b       on cpu",
    ]


def test_four_lines_behind_a_dtype_each_once():
    story = MASK
    for line in (13, 13, 14, 15, 16):
        story = Event(kind="given", op="", dtype="float32", device="cpu", location=traces.at(line), source=story)
    nowhere = replace(story, location=None, source=story)
    assert told(operands=(operand("a", "float32", dtype_origin=nowhere),))[1:] == [
        f"          assigned at train.py:{line}" for line in (16, 15, 14, 13)
    ]


def test_causes_by_weight_with_three_reasons_each():
    causes = tuple(
        RankedCause(name=name, text=f"the {name}\x1b", weight=weight, evidence=("1", "2", "3", "4"))
        for name, weight in (("first", 0.574), ("second", 0.3), ("third", 0.1))
    )
    reasons = ["          · 1", "          · 2", "          · 3"]
    assert told(causes=causes) == [
        "[bold cyan]  cause   [/bold cyan]the first   (57%)", *reasons,
        "[cyan]  or      [/cyan]the second   (30%)", *reasons,
        "[cyan]  or      [/cyan]the third   (10%)", *reasons,
    ]  # fmt: skip


def test_what_to_change_stands_under_one_word():
    fixes = (Fix(title="cast it"), Fix(title="word " * 15), Fix(title="move it"))
    assert told(fixes=fixes) == [
        "[bold green]  help    [/bold green]cast it",
        f"[bold green]          [/bold green]{' '.join(['word'] * 14)}",
        "[bold green]          [/bold green]word",
        "[bold green]          [/bold green]move it",
    ]


LINES = {
    "one": ({"lines": (12, 12)}, "12"),
    "the first": ({"lines": (0, 1)}, "0-1"),
    "some": ({"lines": (1200, 4711), "count": 1200}, "1,200-4,711, 1,200 times"),
    "twice": ({"lines": (1, 2), "count": 2}, "1-2, 2 times"),
    "a rank": ({"lines": (1, 2), "said_by": ("0",)}, "1-2, on rank 0"),
    "two": ({"lines": (1, 2), "said_by": ("0", "7")}, "1-2, on 2 ranks: 0, 7"),
    "six": ({"lines": (1, 2), "said_by": tuple("123456")}, "1-2, on 6 ranks: 1, 2, 3, 4, 5, 6"),
    "seven": ({"lines": (1, 2), "said_by": tuple("1234567")}, "1-2, on 7 ranks: 1, 2, 3, 4, 5, 6, …"),
}


@sweep("case", LINES)
def test_the_lines_of_the_log(case):
    more, text = LINES[case]
    assert told(**more) == [f"[dim]  lines   [/dim]{text}"]


def test_no_page_is_narrower_than_40_columns():
    place = {"location": Location(file="f" * 59, line=0, code="c" * 90)}
    narrow, least, wider = ([line.plain for line in explained(finding(**place), width)] for width in (20, 40, 41))
    assert narrow == least == [
        "dtype-mismatch  linear mixes float32",
        "  `mat1`",
        f"  {'f' * 38}",
        f"      {'c' * 34}",
        "  error   RuntimeError: mat1",
    ]
    assert wider[2:4] == [f"  {'f' * 39}", f"      {'c' * 35}"]


def test_the_keys_of_an_explanation():
    first = operand("mat1", "float32", shape=(2, 3), role="activation", path="x", dtype_origin=CAT)
    one = finding(
        operands=(first, operand("mat2", "float16")), guessed=True, library="diffusers", count=3, lines=(7, 9),
        location=traces.at(3, "f(x)", module="unet"), said_by=("0", "1"), fixes=(Fix(title="cast it"),),
        causes=(RankedCause(name="n", text="t", evidence=("e",), weight=0.5),),
    )  # fmt: skip
    whole = replace(report(), command="explain", findings=(one, finding(op="")))
    written = json.loads(as_json(whole))
    told, bare = written.pop("explanations")
    since = [
        {"how": "promoted by cat", "dtype": "float32", "device": "cuda:0",
         "file": "train.py", "line": 14, "code": ""},
        {"how": "created by torch.ones", "dtype": "float32", "device": "cuda:0",
         "file": "train.py", "line": 12, "code": "mask = torch.ones(2)\x1b"},
    ]  # fmt: skip
    assert written == {"schema": 1}
    assert [one["since"] for one in told["operands"]] == [since, []]
    assert {key: told[key] for key in ("op_guessed", "module", "ranks", "lines", "count", "help", "pattern")} == {
        "op_guessed": True, "module": "unet", "ranks": ["0", "1"], "lines": [7, 9], "count": 3, "help": ["cast it"],
        "pattern": "p",
    }  # fmt: skip
    assert told["location"] == {"file": "train.py", "line": 3, "function": "main", "code": "f(x)",
                                "library": "diffusers"}  # fmt: skip
    assert (bare["location"], bare["module"], bare["op"], bare["ranks"]) == (None, None, None, [])
