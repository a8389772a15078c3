"""An expression is read in a frame: what is there, and what can be worked out, without running the program's code."""

from __future__ import annotations

import ast
import sys

from miscast.vm.provenance.safe_lookup import UNREAD, value_of
from sweep import sweep


class Loud:
    """Says so when its code runs."""

    rows = (4, 5)

    def __init__(self):
        self.kept = {"a": (1, 2)}

    @property
    def asked(self):
        raise AssertionError("it was run")

    def __getitem__(self, key):
        raise AssertionError("it was run")


CASES = {
    "order[1:i]": [2, 3],
    "order[-1]": 5,
    "[i, -1, 2 * i]": [3, -1, 6],
    "(0, *order)": UNREAD,
    "[True] + [False] * 2": [True, False, False],
    "list(range(0, i))": [0, 1, 2],
    "len(order)": 4,
    "loud.kept['a']": (1, 2),
    "loud.rows": (4, 5),
    "loud.asked": UNREAD,
    "loud[0]": UNREAD,
    "sorted(order)": UNREAD,
    "[0] * 10**9": UNREAD,
    "[0] * 1000000000": UNREAD,
    "order[9]": UNREAD,
    "i / 0": UNREAD,
    "nowhere": UNREAD,
    "None": None,
}


@sweep("text", CASES)
def test_what_is_read(text):
    order, i, loud = [1, 2, 3, 5], 3, Loud()
    found = value_of(ast.parse(text, mode="eval").body, sys._getframe())
    assert found is CASES[text] if CASES[text] is UNREAD else found == CASES[text]
    assert (order, i, loud.rows) == ([1, 2, 3, 5], 3, (4, 5))


def test_a_name_that_hides_a_builtin_is_not_called():
    list = len  # noqa: A001, F841 - the program's own
    assert value_of(ast.parse("list(range(3))", mode="eval").body, sys._getframe()) == 3
