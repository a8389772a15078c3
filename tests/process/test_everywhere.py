"""A function is another wherever a module knows it by name, also where two stand in for it, one over the other."""

from __future__ import annotations

import sys
import types

import pytest

from miscast.running.process.everywhere import everywhere
from miscast.running.process.patching import Patch


def _library() -> str:
    return "library"


@pytest.fixture
def modules(monkeypatch):
    """`library.read`, and a module that imported it by name."""
    library, user = types.ModuleType("a_library"), types.ModuleType("a_user")
    library.read = user.read_it = _library
    for module in (library, user):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return library, user


def _over(module, what):
    original = module.read
    return [Patch(module, "read", lambda: f"{what} over {original()}")]


@pytest.mark.parametrize("told", [True, False])
def test_the_second_stands_over_the_first_under_every_name(modules, told, monkeypatch):
    library, user = modules
    with everywhere(_over(library, "box")) as standing:
        names = standing.names if told else None
        with everywhere(_over(library, "machine"), known=names):
            assert library.read() == user.read_it() == "machine over box over library"
            late = types.ModuleType("imported_within")
            late.read = library.read
            monkeypatch.setitem(sys.modules, late.__name__, late)
        assert library.read() == user.read_it() == late.read() == "box over library"
    assert library.read is user.read_it is late.read is _library
