"""Words, lines and places that all of the text shares: where they break, what is cut, in which colour."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass, replace

import pytest
from rich.text import Text

import traces
from miscast.core.event import Assumption, Event, Location, Operand, TensorMeta
from miscast.core.finding import Fix, Related
from miscast.core.meeting import MultiRankTrace
from miscast.report import formats, renderer
from miscast.report.detail import ALL, LESS, Detail
from miscast.report.judged import judged
from miscast.report.lines import cut, labelled, one_line, titled
from miscast.report.outlet import outlet
from miscast.report.paragraph import paragraph
from miscast.report.places import lines as placed
from miscast.report.text import page_on, render, show
from miscast.report.verdict import tally
from miscast.report.wording import (
    briefly,
    how,
    path,
    place,
    plural,
    printable,
    relative,
    times,
    verb,
)
from reports import report
from sweep import sweep


def marked(lines):
    """The lines, with their colours as Rich writes them."""
    return [line.markup for line in lines]


def test_a_title_goes_on_below_its_head():
    assert marked(titled(Text("head", "red"), "word " * 14, 40, 4)) == [
        "[red]head[bold][/red]  word word word word word word word[/bold]",
        "[bold]    word word word word word word word[/bold]",
    ]
    assert marked(titled(Text("head"), "", 40, 4)) == ["head[bold]  [/bold]"]


def test_a_text_goes_on_beside_its_label():
    assert marked(labelled("abc", "word " * 9, 40, "red", "dim")) == [
        "[red]  abc     [dim][/red]word word word word word word[/dim]",
        "[red]          [dim][/red]word word word[/dim]",
    ]
    assert [line.plain for line in labelled("abc", "a-b " * 12, 20, column=3)] == [
        "  abc a-b a-b a-b a-b a-b a-b a-b a-b",
        "      a-b a-b a-b a-b",
    ]


def test_a_text_on_one_line():
    assert one_line(" a\n\n b\tc\x1b ") == "a b c?"
    assert cut("a\n\x1bb" + "c" * 9, 6) == "a ?bc…"


def test_words_of_numbers():
    assert [plural(count, "op") for count in (0, 1, 2, 1200)] == ["0 ops", "1 op", "2 ops", "1,200 ops"]
    assert [times(count) for count in (1, 2, 1200)] == ["", " ×2", " ×1,200"]


def test_what_a_terminal_would_take_for_a_command():
    assert printable("a\x1b\x07é") == "a??é"
    assert printable("a\x1b", instead="") == "a"


def test_paths_as_they_are_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = str(tmp_path)
    assert path(f"{here}/a/b.py") == "a/b.py"
    assert path("/v/site-packages/x/site-packages/lib/m.py") == "lib/m.py"
    assert path(f"{here}\x1b") == f"{here}?"
    assert relative(f"read  {here}/a.py at {here}/b.py") == "read  a.py at b.py"
    assert relative("of (/v/site-packages/x/y.py) at ['/v/site-packages/z/a.py']") == "of (x/y.py) at ['z/a.py']"


@pytest.mark.parametrize(
    ("room", "told"),
    [
        (0, "/home/me/train.py:12:3"),
        (22, "/home/me/train.py:12:3"),
        (21, "…/me/train.py:12:3"),
        (18, "…/me/train.py:12:3"),
        (17, "…/train.py:12:3"),
        (14, "…train.py:12:3"),
        (4, "…2:3"),
    ],
)
def test_a_place_that_has_no_room_is_cut_on_its_left(room, told):
    assert place(Location(file="/home/me/train.py", line=12, column=3), room) == told


def test_a_place_of_which_no_line_is_known():
    assert place(Location(file="a.py", line=0, column=3)) == "a.py"
    assert place(Location(file="a.py", line=1)) == "a.py:1"


def event(kind="born", op="ones", code="", source=None, **more):
    at = {"location": traces.at(4, code) if code else None}
    return Event(kind=kind, op=op, dtype="float32", device="cpu", source=source, **(at | more))


MADE = {
    "two calls": ("f(torch.ones(2))", "torch.ones", "torch.ones"),
    "nobody calls it": ("torch.stack(g.h(x))", "empty", "torch.stack"),
    "a method of a call": ("f(x).ones(2)", "ones", "ones"),
    "a call of an item": ("fs[0](2)", "ones", "ones"),
    "no line": ("", "torch.ones", "torch.ones"),
    "the last name counts": ("x.double.ones(2), a(1)", "Tensor.ones", "x.double.ones"),
}


@pytest.mark.parametrize("case", MADE)
def test_who_made_a_tensor(case):
    code, op, told = MADE[case]
    assert how(event(op=op, code=code)) == f"created by {told}"


HALF = {"kind": "cast", "op": "half", "code": "half = x.half()"}
FORCED = {
    "no source": (None, "y = cat(x)", ""),
    "by a name on the line": (HALF, "y = cat(half)", " with float32 `half`"),
    "by a name elsewhere": (HALF, "y = cat(x)", " with float32"),
    "by an item": (HALF | {"code": "half[0] = x.half()"}, "cat(half)", " with float32"),
    "by what has no line": (HALF | {"code": ""}, "cat(half)", " with float32"),
    "where no line is known": (HALF, "", " with float32"),
    "by a call": (HALF | {"code": "half(x)"}, "cat(half)", " with float32"),
    "by an empty line": (HALF | {"code": "#"}, "cat(half)", " with float32"),
}


@sweep("case", FORCED)
def test_what_forced_a_promotion(case):
    source, code, told = FORCED[case]
    one = event("promoted", "cat", code, source=source and event(**source))
    assert how(one) == f"promoted by cat{told}"


def test_an_event_without_an_op():
    assert [how(event("given", "")), briefly(event("given", "x")), briefly(event("cast", "")), verb(event("cast"))] == [
        "passed in", "assigned", "cast", "cast",
    ]  # fmt: skip
    assert briefly(event("cast", "half")) == "cast by half"


def rows(finding, width=120, detail=ALL):
    return [line.plain for line in placed(finding, width, detail)]


def found(call):
    return report(call).findings[0]


def operand(name, dtype="float32", origin=None):
    return Operand(name=name, tensor=TensorMeta(dtype=dtype, device="cpu", shape=None), dtype_origin=origin)


def test_a_related_place_is_told_once_and_so_is_its_code():
    one = found(traces.linear())
    related = (
        Related(label="again", location=one.location),
        Related(label="in", location=traces.at(50, one.location.code)),
        Related(label="of", location=traces.at(51, "f(y)", module="unet")),
        Related(label="of", location=traces.at(51, "g(y)")),
    )
    told = rows(replace(one, related=related, operands=()))
    assert told == [
        "  train.py:22  unet.time_embedding.linear_1   unet(x, t_emb)",
        "  in train.py:50",
        "  of train.py:51  unet                        f(y)",
    ]
    few = rows(replace(one, related=related, operands=()), detail=replace(ALL, related=2))
    assert few == told[:2]


def test_operands_in_columns_and_no_more_than_are_asked_for():
    long = "a_long_name"
    names = ("x", long, "z")
    one = replace(found(traces.linear()), operands=tuple(operand(name) for name in names))
    assert rows(one)[1:] == [f"  {name:11}  float32  of unknown origin" for name in names]
    assert rows(one, detail=replace(ALL, operands=2))[3:] == ["  and 1 more"]
    short = replace(one, operands=(operand("x", "bool"), operand("y", "float32", traces.HALF)))
    assert rows(short)[1:] == [
        "  x       bool     of unknown origin",
        "  y       float32  cast at train.py:5         unet = unet.half()",
    ]


def test_the_code_of_a_line_that_two_operands_come_from_is_told_once():
    story = event("cast", "to", "x, y = x.half(), y.half()")
    one = replace(found(traces.linear()), operands=(operand("x", origin=story), operand("y", origin=story)))
    assert [line.count("x.half()") for line in rows(one)[1:]] == [1, 0]


def test_a_birth_within_a_library_says_what_was_made():
    library = Location(file="/v/site-packages/lib/m.py", line=9)
    story = {
        "torch.arange": "embed(t) (arange creates float32)",
        "torch.embed": "embed(t)",
    }
    for op, code in story.items():
        born = event(op=op, code="embed(t)", library=library)
        assert rows(replace(found(traces.linear()), operands=(operand("x", origin=born),)))[1].endswith(f"   {code}")
    cast = event("cast", "torch.arange", "embed(t)", library=library)
    assert rows(replace(found(traces.linear()), operands=(operand("x", origin=cast),)))[1].endswith("   embed(t)")


def test_of_a_long_story_the_start_and_its_nearest_and_last_steps():
    story = None
    for line in range(1, 7):
        story = event("cast", "to", f"x{line}", source=story, location=traces.at(line, f"x{line}"))
    one = replace(found(traces.linear()), operands=(operand("x", origin=story),))
    told = {most: [line.split()[0] + line.split()[-1] for line in rows(one, detail=replace(ALL, around=most))[1:]]
            for most in (1, 3, 5)}  # fmt: skip
    assert told == {1: ["xx1", "→x2"], 3: ["xx1", "→x2", "→x3", "→x6"],
                    5: ["xx1", "→x2", "→x3", "→x4", "→x5", "→x6"]}  # fmt: skip


def test_a_line_of_a_story_is_told_once():
    story = None
    for line in (1, 2, 2, 3, 1):
        story = event("cast", "to", source=story, location=traces.at(line))
    one = replace(found(traces.linear()), operands=(operand("x", origin=story),))
    assert [line.split()[-1] for line in rows(one, detail=replace(ALL, around=9))[1:]] == [
        "train.py:1", "train.py:2", "train.py:3",
    ]  # fmt: skip


def test_code_stands_in_a_column_or_on_lines_of_its_own():
    one = replace(found(traces.linear()), operands=(operand("x", origin=traces.MASK),))
    code = traces.MASK.location.code
    left = len("  train.py:22  unet.time_embedding.linear_1")
    assert rows(one, left + 3 + len(code))[1].endswith(f"   {code}")
    assert rows(one, left + 3 + 40)[1].endswith(f"   {code[:39]}…")
    assert rows(one, left + 3 + 39) == [
        "  train.py:22  unet.time_embedding.linear_1",
        "      unet(x, t_emb)",
        "  x       float32  created at train.py:12",
        f"      {code}",
    ]
    assert marked(placed(one, left, ALL))[1::2] == [
        "[dim]      unet(x, t_emb)[/dim]",
        "[dim]      mask = torch.ones(latent.shape[0], 1…[/dim]",
    ]
    assert rows(one, left, replace(ALL, own=False)) == [
        "  train.py:22  unet.time_embedding.linear_1",
        "      unet(x, t_emb)",
        "  x       float32  created at train.py:12",
    ]
    assert rows(one, 40)[0] == "  train.py:22  unet.time_embedding.line…"


def test_a_long_path_takes_half_of_the_page():
    far = replace(traces.MASK, location=traces.at(12, "", file="/home/" + "long/" * 12 + "a.py"))
    one = replace(found(traces.linear()), operands=(operand("x", origin=far),))
    (told,) = (line for line in rows(one, 80) if "created at" in line)
    assert told == f"  x       float32  created at …{'/long' * 6}/a.py:12"


def test_how_much_is_told_shrinks_step_by_step():
    assert Detail() == ALL == LESS[0]
    assert [(d.also, d.error, d.related, d.around, d.fixes, d.code, d.own, d.operands) for d in LESS] == [
        (3, 9, 9, 3, 9, 40, True, 9),
        (1, 9, 9, 3, 9, 40, True, 9),
        (1, 9, 9, 3, 9, 24, True, 9),
        (1, 9, 2, 1, 9, 24, True, 9),
        (1, 1, 2, 1, 9, 24, True, 9),
        (1, 1, 2, 1, 9, 16, False, 9),
        (1, 1, 1, 1, 9, 16, False, 3),
        (0, 1, 1, 1, 1, 16, False, 2),
    ]


def test_a_name_of_a_format_is_quoted_in_part():
    assert {"html", "json", "sarif", "text"} <= {*formats()}
    with pytest.raises(ValueError, match=f"^unknown format '{'x' * 40}': known formats are {', '.join(formats())}$"):
        renderer("x" * 41)


@dataclass(frozen=True)
class Asked:
    name = "asked"

    def lines(self, width):
        yield Text(f"{width} columns")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("command", "usual", "most"),
    [("check", 100, 1 << 16), ("lint", 100, 1 << 16), ("fix", 80, 120), ("explain", 80, 120)],
)
def test_how_wide_a_page_of_a_command_is(command, usual, most, monkeypatch):
    told = replace(report(), command=command, sections=(Asked(),))
    assert render(told).splitlines()[0] == f"{usual} columns"
    assert render(told, width=7).splitlines()[0] == "7 columns"
    assert page_on(io.StringIO(), command).width == usual
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(1 << 17))
    assert page_on(Terminal(), command).width == most
    out = io.StringIO()
    show(told, out)
    assert out.getvalue() == render(told)


def test_only_a_check_tells_what_was_run_and_fix_its_findings_in_its_own_words():
    whole = report(traces.linear())
    first = {command: render(replace(whole, command=command), width=100).splitlines()
             for command in ("check", "lint", "fix", "explain")}  # fmt: skip
    assert first["fix"] == []
    assert "1 error · 1,234 ops on v100, torch 2.13.0" in first["check"]
    assert first["lint"] == first["check"][:-3]
    assert first["explain"][0] == first["lint"][0]


def _broken(*_, **__):
    raise KeyError("<x>")


def test_a_report_that_cannot_be_written_is_told_without_its_format(monkeypatch):
    monkeypatch.setattr("miscast.report.text.paragraphs", _broken)
    told = report(traces.linear())
    first, second = str(told).splitlines()
    assert first == "error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`  train.py:22"
    assert second.startswith("failed  Miscast itself failed: KeyError: '<x>' at ")
    escaped = str(told).replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;")
    monkeypatch.setattr("miscast.report.html.contents.of", _broken)
    shown = told._repr_html_()
    assert shown.startswith(f"<pre>{escaped.splitlines()[0]}\n")
    assert "failed  Miscast itself failed: KeyError: &#x27;&lt;x&gt;&#x27; at " in shown


def test_a_world_that_cannot_be_judged_says_so(monkeypatch):
    world = MultiRankTrace(traces=(traces.trace(failed="it failed", traceback="first\n"), traces.trace()))
    assert (judged(world).failed, judged(world).traceback) == ("it failed (on rank 0)", "first\n")
    monkeypatch.setattr("miscast.report.judged.judge_world", _broken)
    told = judged(world)
    assert (told.failed, told.findings) == ("it failed (on rank 0)", ())
    assert told.traceback.startswith("first\nTraceback")
    sound = judged(MultiRankTrace(traces=(traces.trace(), traces.trace())))
    assert sound.failed.startswith("Miscast itself failed: KeyError: '<x>'")
    assert "while it applied the rules" in sound.failed


def test_a_run_that_cannot_be_judged_says_so(monkeypatch):
    monkeypatch.setattr("miscast.report.judged.judge", _broken)
    told = judged(traces.trace(traces.linear()), 7)
    assert (told.result, told.findings) == (7, ())
    assert "KeyError: '<x>'" in told.failed
    assert "while it applied the rules" in told.failed
    assert told.traceback.startswith("Traceback")


def test_what_only_autocast_keeps_from_failing_is_told_where_it_is_strict():
    hidden = traces.trace(traces.linear(hidden=True))
    assert (len(judged(hidden)), len(judged(hidden, strict=True))) == (0, 1)
    world = MultiRankTrace(traces=(hidden,))
    assert (len(judged(world)), len(judged(world, strict=True))) == (0, 1)


@pytest.mark.parametrize("alone", [True, False])
def test_where_python_made_stdout_up_the_program_is_sent_elsewhere(monkeypatch, alone):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with outlet(alone=alone) as stream:
        print("the program")
        stream.write("the report")
    assert (out.getvalue(), err.getvalue()) == (
        ("the report", "the program\n") if alone else ("the program\nthe report", "")
    )


@pytest.mark.parametrize("alone", [True, False])
def test_what_the_program_wrote_comes_before_the_report(monkeypatch, tmp_path, alone):
    registered = []
    monkeypatch.setattr("atexit.register", lambda *call: registered.append(call))
    errors = os.dup(2)
    with open(tmp_path / "out", "w", encoding="utf-8") as out, open(tmp_path / "err", "w", encoding="utf-8") as err:
        os.dup2(err.fileno(), 2)
        try:
            monkeypatch.setattr(sys, "stdout", out)
            out.write("before; ")
            with outlet(alone=alone) as stream:
                out.write("the program")
                if not alone:
                    out.flush()
                stream.write("the report é\udcff")
            out.write("; after")
        finally:
            out.flush()
            os.dup2(errors, 2)
            os.close(errors)
    told = (tmp_path / "out").read_text(encoding="utf-8"), (tmp_path / "err").read_text(encoding="utf-8")
    if alone:
        assert told == ("before; the report é?; after", "the program")
        assert registered == [(os.dup2, 2, out_number(registered))]
    else:
        assert (told, registered) == (("before; the programthe report é?; after", ""), [])


def out_number(registered):
    """The number that stdout had."""
    return registered[0][2]


def test_twelve_lines_and_no_more():
    one = found(traces.linear())
    follow = [replace(one, message=f"m{number}", consequence_of=0) for number in range(2)]
    told = {}
    for number in range(1, 9):
        with_fixes = replace(one, fixes=tuple(Fix(title=f"way {i}") for i in range(number)))
        whole = [line.plain for line in paragraph(with_fixes, follow, 100, verbose=True)]
        told[len(whole)] = whole, [line.plain for line in paragraph(with_fixes, follow, 100)]
    assert told[12][0] == told[12][1]
    assert told[13][1] == [*told[13][0][:-2], "  └ also  m0 at train.py:22, and 1 more that follow"]


TALLIES = {
    "nothing": ((), 0, "[bold green]nothing found[/bold green]"),
    "an error": (("error",), 0, "[bold red]1 error[/bold red]"),
    "a warning": (("warning",), 1, "[bold yellow]1 warning and 1 consequence[/bold yellow]"),
    "hints": (("hint", "hint"), 2, "[bold yellow]2 hints and 2 consequences[/bold yellow]"),
    "all": (("hint", "warning", "error"), 0, "[bold red]1 error, 1 warning, 1 hint[/bold red]"),
}


@pytest.mark.parametrize("case", TALLIES)
def test_how_many_were_found(case):
    severities, follow, told = TALLIES[case]
    one = found(traces.linear())
    assert tally([replace(one, severity=severity) for severity in severities], follow).markup == told


def test_consequences_that_say_the_same_are_counted():
    one = found(traces.linear())
    follow = [replace(one, message=message, consequence_of=0) for message in ("a", "b", "a", "c", "d", "d")]

    def also(some):
        lines = [line.plain for line in paragraph(replace(one, operands=(), fixes=()), some, 100)]
        return [line.removeprefix("  └ also  ") for line in lines if "also" in line]

    at = "at train.py:22"
    assert also(follow) == [f"a {at} (×2)", f"b {at}", f"c {at}", "2 more that follow"]
    assert also(follow[:4]) == [f"a {at} (×2)", f"b {at}", f"c {at}"]


def test_ranks_effects_and_severities_of_a_finding():
    one = replace(found(traces.linear()), operands=(), fixes=(), severity="warning", count=1200)
    first, _, ranks, error = marked(paragraph(replace(one, ranks=(1,)), (), 100))
    assert first.startswith("[bold yellow]warning[bold][/bold yellow]\\[operand-dtype-mismatch]")
    assert first.endswith("with float16 `weight` (×1,200)[/bold]")
    assert ranks == "[cyan]  rank    [/cyan]1 only"
    assert error.startswith("[dim]  torch   [dim][/dim]RuntimeError: mat1 and")
    told = marked(paragraph(replace(one, ranks=(1, 2), raises="", error="it is\n slow"), (), 100))
    assert told[2:] == ["[cyan]  ranks   [/cyan]1, 2", "[dim]  effect  [dim][/dim]it is slow[/dim]"]


def test_what_is_shown_is_as_it_was_made(capsys):
    assumed = tuple(Assumption(what="item", value=str(i), location=None, count=1) for i in range(9))
    told = report(assumed=assumed)
    out = io.StringIO()
    show(told, out, verbose=True)
    assert out.getvalue() == render(told, verbose=True) != render(told)
    assert capsys.readouterr().out == ""
