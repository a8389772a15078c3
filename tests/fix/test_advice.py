"""What a report shows of the edits that were tried: one that failed is not called "not tried"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from miscast.core.finding import Edit, Fix
from miscast.fixing.fixes import advice
from miscast.fixing.fixes.mend import Fixed, Mending, Unfixed
from miscast.fixing.remedy.advice import beside
from miscast.report.wording import states
from reports import full

CAST, WORDS = Fix(title="cast `x` at train.py:22: .float()"), Fix(title="compute it in float32")


def shown(*fixes, tried):
    """The fixes of a finding after a search that has tried these in vain."""
    first, *others = full().findings
    finding = replace(first, fixes=fixes)
    report = replace(full(), findings=(finding, *others))
    unfixed = Unfixed(finding=finding, tried=tuple((one.title, "it is still found") for one in tried))
    done = Mending(before=report, after=report, unfixed=(unfixed,))
    return advice._with_proven(report, done).findings[0].fixes


def test_an_edit_that_was_tried_in_vain_is_left_out():
    assert shown(CAST, WORDS, tried=[CAST]) == (WORDS,)
    assert shown(CAST, WORDS, tried=[]) == (CAST, WORDS)


def test_the_last_advice_is_told_with_what_it_leads_to():
    (words,) = shown(CAST, tried=[CAST])
    assert words.title == f"{CAST.title} was tried, but is not enough: it is still found"
    assert words.insufficient
    assert words.edits == ()
    assert states(words, untried=True) == ()


def test_of_several_edits_tried_in_vain_the_nearest_is_told():
    near = Fix(title="cast `y` at train.py:20: .float()")
    why = {CAST.title: "the finding stays", near.title: "then mm mixes float32 `self` with float16 `mat2`"}
    (words,) = advice._insufficient((CAST, near), why)
    assert words.title.startswith(near.title)


def test_an_edit_that_was_tried_in_vain_is_left_out_beside_a_fix():
    first, *others = full().findings
    finding = replace(first, fixes=(CAST,))
    report = replace(full(), findings=(finding, *others))
    fixed = Fixed(finding=finding, fix=WORDS, reason="", tried=2, refused=((CAST.title, "it is still found"),))
    done = Mending(before=report, after=replace(report, findings=()), fixed=(fixed,))
    told = advice._with_proven(report, done).findings[0].fixes
    assert [one.title for one in told] == [WORDS.title]


@pytest.mark.parametrize(
    ("off", "about"),
    [(0, "dtype"), (1, "dtype"), (1, "device")],
    ids=["at the failing call", "at an earlier line", "a move at an earlier line"],
)
def test_what_ends_with_a_change_follows_from_its_finding(off, about, monkeypatch):
    """A cast at an earlier line may be the fix of two mistakes; a tensor that is moved was the only one elsewhere."""
    first, other, *_ = full().findings
    first = replace(first, about=about)
    report = replace(full(), findings=(first, replace(other, consequence_of=None)))
    fix = Fix(title="cast it", verified=True)
    done = Mending(
        before=report,
        after=replace(report, findings=()),
        fixed=(Fixed(finding=first, fix=fix, reason="", tried=1, also=report.findings[1:]),),
    )
    line = first.location.line - off
    edit = Edit(file=first.location.file, start_line=line, end_line=line, replacement="")
    monkeypatch.setattr(Mending, "own", lambda *_: (edit,))
    findings = advice._with_proven(report, done).findings
    assert [one.consequence_of for one in findings] == [None, None if off and about == "dtype" else 0]


REPEATED = {
    "keep the total in float32, where it is created: `torch.zeros((), dtype=torch.float32)`": None,
    "accumulate in float32, at train.py:22: `x.float().sum(dim)`": None,
    "keep float32, at train.py:22, or clamp first: `x.clamp(0, 255)`": "clamp first: `x.clamp(0, 255)`",
    "use an eps that float16 holds, at train.py:22: `1e-4`": "use an eps that float16 holds, at train.py:22: `1e-4`",
    "cast the result in float32, after train.py:40": "cast the result in float32, after train.py:40",
}  # fmt: skip
"""Advice beside a change to float32 at line 22, and what of it is left."""


@pytest.mark.parametrize("words", REPEATED)
def test_words_that_repeat_an_edit_are_left_out(words):
    _, *left = beside(CAST, [Fix(title=words)], "float32")
    assert [one.title for one in left] == ([REPEATED[words]] if REPEATED[words] else [])


@pytest.mark.parametrize(("place", "left"), [("train.py:22", 0), ("train.py:40", 1), ("backward", 1)])
def test_words_about_the_place_of_an_edit_are_left_out_where_no_dtype_is_wanted(place, left):
    words = Fix(title=f"call scaler.unscale_(optimizer) once, after {place}")
    assert len(beside(CAST, [words], "")) == 1 + left


def test_another_spelling_of_an_edit_is_left_out():
    def edit(line):
        return Edit(file="a.py", start_line=line, end_line=line, replacement="b")

    fix, same, other = (Fix(title=f"change {n}", edits=(edit(n),)) for n in (3, 3, 5))
    assert beside(fix, [same, other], "float32") == (fix, other)
