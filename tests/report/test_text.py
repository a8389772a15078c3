"""The text report as it is read. Golden files hold whole reports."""

from __future__ import annotations

import html
import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import traces
from miscast.core.event import Block, Location, Precision
from miscast.core.finding import Fix
from miscast.report import formats, renderer
from miscast.report.notes import folded
from miscast.report.reading import loads
from miscast.report.text import lines, render, show
from reports import everything, full, report
from sweep import sweep

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (80, 100, 120)
COLOURED = (full, everything)
LEFT = Block(file="train.py", first=3, last=4, line=2, condition="args.x", kind="flag")
BLOCKS = (LEFT, LEFT, replace(LEFT, forced=True), replace(LEFT, forced=True, ended="it raised"))
PRECISIONS = tuple(Precision(component=name, aspect="compute", dtype="float16") for name in "abcdef")


def marked(told, *, verbose=False) -> str:
    """Its lines at 100 columns, with their colours as Rich writes them."""
    return "".join(f"{line.markup}\n" for line in lines(told, 100, verbose=verbose))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_whole_report(width, golden):
    golden(GOLDEN / f"full-{width}.txt", render(full(), width=width))


@pytest.mark.parametrize("made", COLOURED, ids=lambda made: made.__name__)
def test_a_whole_report_in_its_colours(made, golden):
    golden(GOLDEN / f"{made.__name__}.markup", marked(made(), verbose=made is everything))


def test_what_only_takes_text_is_no_terminal():
    """A logger, say, that stands for `sys.stdout`."""
    told = []
    show(full(), SimpleNamespace(write=told.append))
    assert "".join(told) == render(full())


@sweep("width", range(40, 200, 7))
def test_no_line_is_wider_than_the_page(width):
    assert max(map(len, render(full(), width=width).splitlines())) <= max(width, 64)


def test_a_clean_run_says_how_much_it_cannot_vouch_for():
    told = report(unchecked={"aten.foo": 2}, assumed=full().assumed, notes=("a", "b"), reach=BLOCKS)
    first, *rest = render(told).splitlines()
    assert first == "nothing found · 1,234 ops on v100, torch 2.13.0"
    assert " ".join(" ".join(rest).split()) == (
        "more 2 branches not run, 1 explored in part, 1 explored, 2 calls not checked, 1 placeholder value, 2 notes: "
        "--verbose lists them"
    )
    assert "2 calls of 1 op without a dtype rule: aten.foo ×2" in render(told, verbose=True)


def test_a_guard_that_kept_out_is_no_branch_to_look_at():
    assert render(report(reach=(replace(BLOCKS[0], kind="guard"),))).count("\n") == 1


def test_a_clean_run_takes_six_lines_at_most_unless_verbose():
    told = replace(everything(), findings=(), ended=None, failed=None, reach=BLOCKS, precision=PRECISIONS)
    shown = render(told, width=80).splitlines()
    labels = ["memory", "precision", "precision", "effects", "more"]
    assert [line.split()[0] for line in shown if "  " in line.strip()] == labels
    assert "1 more device, 4 more modules, 2 branches not run" in render(told)
    assert len(render(told, width=80, verbose=True).splitlines()) > 20


RAISED = "the program raised KeyError: 'x' at t.py:8"
NOT_CLEAN = {
    "it raised": ({"ended": RAISED}, f"not finished: {RAISED} · no findings before that, 1,234 ops on v100"),
    "Miscast failed": ({"failed": "Miscast itself failed: y"}, "not finished: Miscast failed"),
    "no op": ({"ops": 0}, "nothing was checked: the program ran no op on a tensor, on v100"),
}


@pytest.mark.parametrize("form", [form for form in formats() if form not in ("json", "jsonl", "gitlab")])
@pytest.mark.parametrize("case", NOT_CLEAN)
def test_no_format_says_nothing_found_of_what_was_not_seen(case, form):
    more, says = NOT_CLEAN[case]
    told = replace(report(), **more)
    text = renderer(form)(told)
    assert "nothing found" not in text
    assert (more.get("ended") or more.get("failed") or says[:19]) in html.unescape(text).replace("\n ", "")
    if form == "text":
        assert " ".join(text.split()).startswith(says)
        assert "ended  " not in text


def test_a_machine_that_nobody_named_is_told_with_the_reason():
    told = replace(report(), machine_reason="no --machine given")
    assert render(told) == "nothing found · 1,234 ops on v100 (no --machine given), torch 2.13.0\n"
    assert loads(told.to_json()).machine_reason == "no --machine given"


def test_findings_are_numbered_where_there_are_several_and_the_rules_of_causes_named_once():
    several = render(full()).splitlines()
    assert [line[:8] for line in several if "[operand-" in line] == ["1 error[", "2 error[", "3 error["]
    (rules,) = [line for line in several if "miscast rules" in line]
    assert rules.split()[3:] == ["operand-dtype-mismatch", "operand-device-mismatch"]
    assert render(report(traces.linear())).startswith("error[")


def _with_two_ways(found):
    """With a second fix for the first finding."""
    first, *others = found.findings
    fixes = (*first.fixes, Fix(title="pass dtype=torch.float16 to `torch.ones` at train.py:12"))
    return replace(found, findings=(replace(first, fixes=fixes), *others))


def test_many_consequences_are_told_by_number():
    many = _with_two_ways(report(traces.linear(), *(traces.conv(line) for line in range(100, 120))))
    text = render(many)
    assert text.count("└ also") == 1
    assert "and 19 more that follow" in " ".join(text.split())
    everything = render(many, verbose=True)
    assert everything.count("└ also") == 4
    assert "17 more that follow" in everything
    assert "1 error and 20 consequences" in text


def test_repeats_are_counted():
    assert "with float16 `weight` (×3)" in render(report(traces.linear(count=3)))


def test_a_file_below_the_working_directory_is_told_relative_to_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken = traces.call(
        "linear", traces.linear().operands, traces.mix(), traces.at(3, file=str(tmp_path / "sub" / "a.py"))
    )
    assert "  sub/a.py:3" in render(report(broken))


def test_a_file_of_a_package_is_told_from_the_package():
    library = Location(file="/venv/lib/python3.12/site-packages/diffusers/models/unet.py", line=7, code="h = f(x)")
    assert "in diffusers/models/unet.py:7" in render(report(traces.linear(library=library)))


def test_a_birth_inside_a_library_names_what_made_the_tensor():
    library = Location(file="/venv/site-packages/diffusers/embeddings.py", line=56)
    born = traces.event("born", "torch.arange", "float32", 20, "t_emb = embed(t, 320)", library=library)
    text = render(report(traces.linear(origin=born)))
    assert "t_emb = embed(t, 320) (arange creates float32)" in text
    moved = traces.event("born", "torch.ones", "float32", 20, "scale = mean()", library=library)
    stray = traces.stray()
    stray = replace(stray, operands=(replace(stray.operands[0], device_origin=moved), stray.operands[1]))
    assert "scale = mean() (ones creates it on cuda:0)" in render(report(stray))


def test_an_origin_at_the_failing_line_is_told_by_the_line_of_the_library():
    library = Location(file="/venv/site-packages/trainer/utils.py", line=56, code="model.to(torch.float32)")
    cast = traces.event("cast", "Module.to", "float32", 22, "main()", library=library)
    text = render(report(traces.linear(origin=cast)))
    assert "cast at trainer/utils.py:56" in text
    assert "model.to(torch.float32)" in text


def test_control_characters_do_not_reach_the_terminal():
    where = traces.at(3, "x = '\x1b]0;a\x07'", file="\x1b[1m", module="\x1b[3m")
    hostile = traces.call("linear", traces.linear().operands, traces.mix(error="\x1b[2J"), where)
    assert "\x1b" not in render(report(hostile))


def test_brackets_of_a_program_are_not_markup():
    broken = traces.call("linear", traces.linear().operands, traces.mix(), traces.at(3, "x = y[bold](z)[/]"))
    assert "x = y[bold](z)[/]" in render(report(broken))


def test_no_colour_when_piped():
    out = io.StringIO()
    show(full(), out)
    assert "\x1b" not in out.getvalue()
    assert out.getvalue() == render(full())


def test_a_notebook_gets_html():
    shown = full()._repr_html_()
    assert shown.startswith('<div class="miscast inside">')
    assert "operand-dtype-mismatch" in shown


def test_ipython_in_a_terminal_shows_the_report():
    said = []
    full()._repr_pretty_(SimpleNamespace(text=said.append), False)
    assert said == [str(full())]


def test_print_shows_the_report():
    assert str(full()) == render(full())


def _long(**more):
    """A finding with all that a finding may have, in files far below."""
    far = "/very/" + "long/" * 12 + "training/scripts/train_text_to_image.py"
    related = [traces.at(line, f"return self.forward_{line}(hidden_states)", file=far) for line in (200, 300, 400)]
    held = [("input", related[2])] * 2
    base = traces.linear()
    place = replace(base.location, file=far)
    return replace(base, location=place, callers=tuple(related), held=tuple(held), **more)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_finding_takes_twelve_lines(width):
    told = report(_long(library=traces.at(7, "h = f(x)", file="/a/site-packages/lib/unet.py")), traces.conv(60))
    text = render(told, width=width)
    assert text.index("\n\n") >= 0
    assert len(text.split("\n\n")[0].splitlines()) <= 12, text
    everything = render(told, width=width, verbose=True)
    assert everything.count("return self.forward_") == 3
    assert len(everything) > len(text)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_long_path_keeps_its_end_and_its_line(width):
    text = render(report(_long()), width=width)
    assert "train_text_to_image.py:22  unet.time_embedding" in text
    assert "…/" in text


def test_a_place_is_told_once():
    told = render(report(_long()), width=200, verbose=True)
    assert told.count("train_text_to_image.py:400") == 1


def test_ways_out_that_were_tried_come_first():
    found = _with_two_ways(report(traces.linear()))
    first, second = found.findings[0].fixes
    fixes = (first, replace(second, verified=True, safe=True), Fix(title="pray"))
    text = render(replace(found, findings=(replace(found.findings[0], fixes=fixes),)), width=200, verbose=True)
    ways = [line.strip() for line in text.splitlines() if line.startswith(("  fix ", "  help", "  or "))]
    assert [line.split()[0] for line in ways] == ["fix", "or", "or"]
    assert ways[0].endswith("(verified, safe)")
    assert all(line.endswith("(not tried)") for line in ways[1:])
    assert render(found, width=200).count("(not tried)") == 2
    again = replace(first, verified=True, title="pass dtype=latent.dtype to `torch.ones` at train.py:12")
    text = render(replace(found, findings=(replace(found.findings[0], fixes=(again, second)),)))
    assert text.count("latent.dtype") == 1


def test_notes_that_say_the_same_are_one():
    unread = [f"out/{n}.safetensors: only dtypes and shapes were read, not the data" for n in range(14)]
    caught = [f"train.py:{n}: raised as in torch, because the program catches it: m" for n in range(5)]
    notes = (*unread, *caught, "torch.compile ran eagerly")
    assert [*folded(notes)] == [
        "only dtypes and shapes were read, not the data: 14 files in out",
        "raised as in torch, because the program catches it: m (5 times, first at train.py:0)",
        "torch.compile ran eagerly",
    ]
    assert [*folded(unread[1:2])] == unread[1:2]
    assert "3 notes: --verbose lists them" in render(report(notes=notes))
    assert render(report(notes=notes), verbose=True).count("not the data") == 14


def test_a_run_that_ended_before_torch_was_imported_names_no_torch():
    text = render(replace(report(), torch="", ended="the time limit of 3 s"))
    assert "ops on v100\n" in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
