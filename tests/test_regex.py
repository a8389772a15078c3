"""A regular expression that is compiled late is the one that `re.compile` makes."""

from __future__ import annotations

import re

import pytest

from miscast.core.regex import regex


@pytest.mark.parametrize(
    ("pattern", "flags", "text"), [(r"(?P<a>\d+)x", 0, "12x 3x"), (rb"[a-z]+", re.IGNORECASE, b"Ab cd"), ("y", 0, "")]
)
def test_it_finds_the_same(pattern, flags, text):
    late, compiled = regex(pattern, flags), re.compile(pattern, flags)
    for method in ("search", "match", "fullmatch"):
        ours, theirs = (getattr(one, method)(text) for one in (late, compiled))
        assert (ours and (ours.span(), ours.groupdict())) == (theirs and (theirs.span(), theirs.groupdict()))
    assert late.findall(text) == compiled.findall(text)
    assert late.split(text) == compiled.split(text)
    assert late.sub(text[:1], text) == compiled.sub(text[:1], text)
    assert [one.span() for one in late.finditer(text)] == [one.span() for one in compiled.finditer(text)]
    assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_one_that_is_none_is_refused_where_it_is_used():
    with pytest.raises(re.error):
        regex("(").search("text")
