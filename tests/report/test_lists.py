"""How much of a list the text tells, in which words, and where colour goes."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

import traces
from miscast.core.event import Assumption, Effect, Memory
from miscast.core.meeting import MultiRankTrace
from miscast.report.judged import judged
from miscast.report.lines import cut
from miscast.report.page import Page
from miscast.report.text import render, show
from miscast.report.wording import held, how, verb
from reports import full, report
from sweep import sweep


def _said(whole) -> str:
    return " ".join(render(whole, width=200, verbose=True).split())


def test_ops_without_a_contract_are_named_those_met_most_first():
    ops = {f"aten.op{i}": i for i in range(1, 4)}
    told = "6 calls of 3 ops without a dtype rule: aten.op3 ×3, aten.op2 ×2, aten.op1 ×1"
    assert _said(report(unchecked=ops)).endswith(told)


def test_assumptions_are_counted_and_told_with_verbose():
    assumed = tuple(Assumption(what="Tensor.item", value=str(i), location=traces.at(i + 1), count=1) for i in range(8))
    assert "8 placeholder values: --verbose" in render(report(assumed=assumed))
    assert _said(report(assumed=assumed)).count("Tensor.item") == 8


@pytest.mark.parametrize(
    ("peak", "capacity", "told"),
    [
        (3 << 20, 1 << 34, "3.00 of 16,384 MiB: parameters 2.00"),
        (1 << 30, 16 << 30, "1.00 of 16.0 GiB: "),
        ((1 << 30) - 1, 16 << 30, "1,024 of 16,384 MiB: "),
        (10 << 30, 1000 << 30, "10.0 of 1,000 GiB: "),
    ],
)
def test_a_peak_is_told_in_its_own_unit(peak, capacity, told):
    (line,) = held([Memory(device="cuda:0", capacity=capacity, peak=peak, parameters=2 << 20)])
    assert line.startswith(f"cuda:0 {told}")


def test_a_part_of_less_than_a_thousandth_of_the_peak_is_not_told():
    memory = Memory(device="cuda:0", capacity=1 << 34, peak=2000 << 20, parameters=2 << 20, buffers=(2 << 20) - 1)
    assert list(held([memory])) == ["cuda:0 1.95 of 16.0 GiB: parameters 0.00"]


@pytest.mark.parametrize(
    ("kind", "short", "whole"),
    [
        ("born", "created", "created by torch.ones"),
        ("cast", "cast", "cast by torch.ones"),
        ("moved", "moved", "moved by torch.ones"),
        ("loaded", "loaded", "loaded by torch.ones"),
        ("given", "passed in", "passed in"),
        ("promoted", "promoted by ones", "promoted by ones with float16 `half`"),
        ("autocast", "computed under autocast by ones", "computed in float32 by ones under autocast"),
    ],
)
def test_what_gave_a_tensor_its_dtype_in_words(kind, short, whole):
    half = traces.event("cast", "Tensor.half", "float16", 3, "half = x.half()")
    event = traces.event(kind, "ones", "float32", 4, "y = torch.ones(half, n)", source=half)
    assert (verb(event), how(event)) == (short, whole)


def test_a_move_that_followed_a_birth_is_told_at_its_own_line():
    moved = replace(traces.MASK, carried=traces.at(13, 'mask = mask.to("cuda")'))
    text = render(report(traces.linear(origin=moved)), width=160)
    assert "float32  created at train.py:12" in text
    assert "→  float32  moved at train.py:13" in text
    assert 'mask = mask.to("cuda")' in text


def test_an_operand_of_which_nothing_is_known_says_so():
    meets = [traces.operand("input", "float32"), traces.operand("weight", "float16", device="cpu")]
    mixed = traces.call("linear", meets, traces.mix(), traces.at(3))
    text = render(report(mixed), width=160)
    assert "input   float32  of unknown origin" in text
    assert "weight  float16  of unknown origin" in text
    apart = replace(mixed, violation=traces.stray().violation)
    text = render(report(apart), width=160)
    assert "input   cuda:0  of unknown origin" in text
    assert "weight  cpu     never moved" in text


def test_what_steers_a_terminal_is_one_question_mark_each():
    hostile = traces.call("linear", traces.linear().operands, traces.mix(), traces.at(3, "x = '\x1b]0;a\x07'"))
    assert "x = '?]0;a?'" in render(report(hostile), width=160)


def test_what_just_fits_is_not_cut():
    assert [cut("a  bcd", room) for room in (6, 5, 4, 1)] == ["a bcd", "a bcd", "a b…", "a…"]


def changed(kind, *paths, **more):
    return [Effect(kind=kind, what=path, **more) for path in paths]


IN_BOX = "sandboxed: "
EFFECTS = {
    "few files": (changed("written", "a.pt", "out/b.pt", "/x/c.pt"), [f"{IN_BOX}wrote a.pt, out/b.pt, /x/c.pt"]),
    "files of both kinds": (
        changed("deleted", "old.pt") + changed("written", "a.pt"), [f"{IN_BOX}wrote a.pt and deleted old.pt"],
    ),
    "many files": (
        changed("written", "a.pt", "out/b/c.pt", "out/d.pt", "/x/y/z.pt"),
        [f"{IN_BOX}wrote 4 files in ., out, /x/y"],
    ),
    "many folders": (
        changed("written", "a/1", "b/1", "c/1", "d/1"), [f"{IN_BOX}wrote 4 files in a, b, c and 1 other folder"],
    ),
    "folders in each other": (
        changed("written", "/c/d/e/1", "/c/d-e/2", "/c/d/3", "/c/d/f/g/4"), [f"{IN_BOX}wrote 4 files in /c/d-e, /c/d"],
    ),
    "more folders": (
        changed("deleted", "a/1", "b/1", "c/1", "d/1", "e/1"),
        [f"{IN_BOX}deleted 5 files in a, b, c and 2 other folders"],
    ),
    "the network": (
        changed("network", "api.wandb.ai:443", action="POST", location=traces.at(7), count=2),
        ["not sent: POST api.wandb.ai:443 at train.py:7 ×2"],
    ),
    "processes": (
        changed("started", "a", "b", "c", "d", "e") + changed("signal", "12", action="SIGKILL"),
        ["not started: a, b, c, 2 more", "not sent: SIGKILL 12"],
    ),
    "as many processes as are told": (changed("started", "a", "b", "c"), ["not started: a, b, c"]),
}  # fmt: skip


@sweep("name", EFFECTS)
def test_what_would_have_been_done_to_the_world_outside(name):
    effects, told = EFFECTS[name]
    whole = report(effects=tuple(effects))
    lines = render(whole, width=200, verbose=True).splitlines()
    assert f"effects     {'; '.join(told)}\n" in render(whole, width=900)
    assert [line.partition("effects")[2].strip() for line in lines if "  effects" in line] == told


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("x = torch.ones(2)", "torch.ones"),
        ("with torch.ones(2) as x:", "torch.ones"),
        ("torch.ones(2) for _ in range(3),", "torch.ones"),
        ("layer = nn.Conv2d(1, 1, 3)", "nn.Conv2d"),
        ("x = factory()(2)", "factory"),
        ("else", "ones"),
    ],
)
def test_a_call_is_told_as_its_line_spells_it(code, told):
    assert how(traces.event("born", "ones", "float32", 4, code)) == f"created by {told}"


def test_what_devices_held_is_told_for_each_rank():
    held_there = [Memory(device=f"cuda:{rank}", capacity=1 << 34, peak=(rank + 1) << 20) for rank in range(2)]
    world = MultiRankTrace(traces=tuple(traces.trace(memory=(one,)) for one in held_there))
    found = judged(world)
    assert [(one.device, one.rank) for one in found.memory] == [("cuda:0", 0), ("cuda:1", 1)]
    assert "rank 0 cuda:0 1.00 of 16,384 MiB" in _said(found)
    assert "rank 1 cuda:1 2.00 of 16,384 MiB" in _said(found)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("file", "environment", "coloured"),
    [
        (Terminal, {}, True),
        (Terminal, {"NO_COLOR": "1"}, False),
        (io.StringIO, {}, False),
        (io.StringIO, {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_a_terminal_or_where_it_is_asked_for(monkeypatch, file, environment, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    out = file()
    show(full(), out)
    assert ("\x1b[1;31merror" in out.getvalue()) is coloured
    assert ("\x1b[1mtrain.py:22" in out.getvalue()) is Page(out, width=90).is_terminal  # bold is no colour
    assert Page(out, width=90).is_terminal is (file is Terminal or coloured)


def test_a_terminal_says_how_wide_it_is(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "133")
    assert Page(Terminal(), width=90).width == 133
    assert Page(Terminal(), width=90, most=100).width == 100
    assert Page(io.StringIO(), width=90).width == 90


def test_questions_of_one_line_are_told_once():
    at = traces.at(7)
    same = [Assumption(what="Tensor.item", value="1", location=place, count=2) for place in (at, at, traces.at(8))]
    told = _said(report(assumed=tuple(same)))
    assert told.count("Tensor.item returned 1 at train.py:7 ×4") == told.count("train.py:7") == 1
