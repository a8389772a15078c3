"""The page of a report: all that there is to tell, each part where it is known, and nothing of it markup."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from dataclasses import replace

import pytest

import traces
from miscast.core.event import Stage
from miscast.core.finding import Edit, Fix
from miscast.explanation import explained
from miscast.report import renderer
from miscast.report.html import fragment, render
from miscast.report.html.excerpt import Sources
from miscast.report.html.story import story
from miscast.report.invocation import Invocation
from miscast.report.json import render as as_json
from pages import AT, hostile, page, whole
from reports import full, report


def test_it_is_a_format():
    assert renderer("html") is render


def test_every_part_is_told_where_it_is_known():
    found = page(render(whole()))
    for part in ("findings", "tree", "memory", "precision", "lanes", "unvouched", "rules"):
        assert part in found.ids
    for words in (
        "linear mixes float32 `input` with float16 `weight`",
        "created", "cast", "fails here", "root cause", "verified",
        "layers.0-3", "7 submodules with the same dtypes", "→ bfloat16",
        "Peak 395 B at train.py:3", "of 1.00 MiB",
        "float16, norms float32", "loss scaling",
        "all_reduce", "×12", "mismatch", "args.ema", "aten.0", "torch.compile ran eagerly",
    ):  # fmt: skip
        assert words in found.words, words
    assert found.count["polygon"] == 2
    assert found.count["h1"] == 1


def test_the_command_line_its_date_and_its_duration_are_shown():
    words = ("check", "--machine", "v100", "my script.py")
    invocation = Invocation(words=words, began=0.0, seconds=75.2)
    found = page(render(replace(whole(), invocation=invocation)))
    assert "miscast check --machine v100 'my script.py'" in found.words
    assert re.search(r"date (1969|1970)-\d\d-\d\d \d\d:\d\d [+-]\d{4} duration 1 min 15 s", found.words)
    watching = Invocation.of(Namespace(invoked=(words, 0.0), watch=True))
    assert "duration" not in page(render(replace(whole(), invocation=watching))).words
    assert Invocation.of(Namespace()) is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.84, "0.8 s"), (42.0, "42 s"), (119.9, "2 min 0 s"), (7500.0, "2 h 5 min"), (None, "")]
)
def test_a_duration_in_words(seconds, words):
    assert Invocation(words=(), began=0.0, seconds=seconds).duration == words


def test_each_rule_is_on_the_page_and_each_finding_links_to_it():
    text = render(whole())
    found = page(text)
    assert "#rule-operand-dtype-mismatch" in found.links
    assert "An op that does not promote dtypes gets operands of different dtypes" in found.words
    assert "mask = torch.ones(latent.shape[0], 1, 64, 64) # float32" in found.words


def test_what_verified_means_is_said_beside_it_and_in_a_legend():
    text = render(whole())
    meaning = "Miscast ran the check again with this change"
    assert f'title="{meaning}' in text
    assert meaning in page(text).words


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (12, [("12", "root cause"), ("14", "silent promotion"), ("20", "")]),
        (14, [("12", ""), ("14", "root cause"), ("20", "")]),
        (0, [("12", ""), ("14", "root cause"), ("20", "")]),  # without a verified fix: the first promotion
    ],
)
def test_the_root_cause_is_the_line_that_the_verified_fix_changes(line, expected):
    edit = Edit(file="train.py", start_line=line, end_line=line, replacement="")
    fix = Fix(title="t", verified=bool(line), edits=(edit,))
    first = story(0, replace(full().findings[0], fixes=(fix,)), (), Sources(around=0, reads=False))
    strand, other = first.strands
    assert [(step.excerpt.at.rpartition(":")[2], step.note) for step in strand.steps] == expected
    assert [step.note for step in other.steps] == [""]


def test_a_copied_diff_keeps_its_tabs(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("if a:\n\tb = 2\n")
    edit = Edit(file=str(file), start_line=2, end_line=2, replacement="\tb = 3\n")
    fix = Fix(title="t", verified=True, edits=(edit,))
    text = render(replace(report(), findings=(replace(full().findings[0], fixes=(fix,)),)))
    assert '<span class="line add">+\tb = 3' in text


def test_what_is_not_known_has_no_part():
    found = page(render(report(traces.linear())))
    assert "findings" in found.ids
    assert not {"tree", "memory", "precision", "lanes"} & {*found.ids}
    assert page(render(report())).words.startswith("miscast check: nothing found Skip to the report")


def test_what_was_not_seen_to_its_end_is_no_success():
    for fault in ({"ended": "the program raised KeyError"}, {"failed": "Miscast itself failed"}):
        text = render(report(**fault))
        assert "nothing found" not in page(text).words
        assert '<h1 class="good">' not in text


@pytest.mark.parametrize("write", [render, fragment])
def test_hostile_names_are_only_names(write):
    text = write(hostile())
    found = page(text)
    assert "img" not in found.count
    assert found.count.get("script", 0) == (1 if write is render else 0)
    assert not {"\x00", "\u202e", "\u2066", "\ud800"} & {*text}
    assert "{{ 7*7 }}" in found.words
    text.encode()


def test_lines_around_come_from_the_file_only_if_it_is_as_it_was(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("a = 1\nb = 2\nx = torch.ones(3)\nc = 4\n")
    finding = replace(full().findings[0], location=replace(AT, file=str(file)), operands=())
    assert "b = 2" in page(render(replace(report(), findings=(finding,)))).words
    file.write_text("a = 1\nb = 2\ny = 3\nc = 4\n")
    words = page(render(replace(report(), findings=(finding,)))).words
    assert "b = 2" not in words
    assert "x = torch.ones(3)" in words


def test_a_log_makes_no_page_read_files(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_text("password = 'hush'\nx = a @ b\n")
    log = (
        f'Traceback (most recent call last):\n  File "{secret}", line 2, in <module>\n    x = a @ b\n'
        "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half\n"
    )
    words = page(render(explained(log))).words
    assert "x = a @ b" in words
    assert "hush" not in words


def test_a_fix_is_shown_as_a_diff(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("a = 1\nb = 2\n-- x\nd = 4\n")
    edit = Edit(file=str(file), start_line=3, end_line=3, replacement="++ y\n")
    fix = Fix(title="t", verified=True, safe=True, edits=(edit,))
    finding = replace(full().findings[0], fixes=(fix,))
    text = render(replace(report(), findings=(finding,)))
    assert '<span class="line del">--- x' in text
    assert '<span class="line add">+++ y' in text
    gone = replace(finding, fixes=(replace(fix, edits=(replace(edit, file="/no/such"),)),))
    assert 'class="diff"' not in render(replace(report(), findings=(gone,)))


def test_many_findings_are_told_in_short_and_none_is_lost_in_silence():
    one = full().findings[0]
    many = replace(report(), findings=tuple(replace(one, message=f"number {i}") for i in range(1300)))
    text = render(many)
    found = page(text)
    assert "1,300 errors" in found.words
    assert "1000 more findings" in found.words
    assert "and 180 more that are not shown here" in found.words
    assert len(text) < 2 << 20


def test_a_name_that_is_a_mile_long_and_a_tree_that_is_a_mile_deep():
    stages = tuple(Stage(path="x" * 5000, kind="K", depth=i) for i in range(400))
    page(render(whole(stages=stages)))


def test_the_fragment_is_for_a_page_of_others():
    text = fragment(whole())
    found = page(text)
    assert not {"html", "body", "main", "script"} & {*found.count}
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    rules = re.findall(r"(?m)^\s*([^@{}\s][^{}]*)\{", style)
    assert all(re.match(r"\.miscast|\.skip|\[data-jp|\.vscode", selector) for selector in rules), rules


def test_json_has_nothing_that_is_only_for_the_page():
    assert {"course", "met"}.isdisjoint(json.dumps(json.loads(as_json(whole()))).split('"'))


def test_a_peak_without_a_place_is_told_without_one():
    (one,) = whole().memory
    found = page(render(whole(memory=(replace(one, location=None),))))
    assert "Peak 395 B" in found.words
    assert "Peak 395 B at" not in found.words


def test_ranks_that_hold_the_same_are_one_chart():
    (one,) = whole().memory
    alike = tuple(replace(one, rank=rank, device=f"cuda:{rank}") for rank in range(3))
    other = replace(one, rank=3, device="cuda:3", peak=one.peak - 1)
    found = page(render(whole(memory=(*alike, other))))
    assert found.count["figure"] == 2
    assert "ranks 0-2 · cuda:0, cuda:1, cuda:2" in found.words
    assert "rank 3 · cuda:3" in found.words
