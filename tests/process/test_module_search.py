"""A search of all modules finds what is there now, however it came there since the last one."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from miscast.running.process.module_search import Hit, Search

WANTED = object()
NAME = "a_module_that_is_searched"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType(NAME)
    made.other = 1  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, NAME, made)
    return made


@pytest.fixture
def search() -> Search:
    def hits(module: Any) -> Iterator[Hit]:
        space = getattr(module, "__dict__", {})
        return (Hit(module, space, name, value) for name, value in list(space.items()) if value is WANTED)

    return Search(hits)


def found(search: Search) -> set[tuple[str, str]]:
    return {(hit.owner.__name__, hit.name) for hit in search if hit.owner.__name__ in (NAME, "__main__")}


def replaced(_: ModuleType) -> None:
    sys.modules[NAME] = ModuleType(NAME)
    sys.modules[NAME].first = WANTED  # type: ignore[attr-defined]


def renamed(module: ModuleType) -> None:
    del module.first
    module.second = WANTED  # type: ignore[attr-defined]


CHANGES: dict[str, tuple[Callable[[ModuleType], None], set[str]]] = {
    "nothing": (lambda _: None, {"first"}),
    "one more": (lambda module: setattr(module, "second", WANTED), {"first", "second"}),
    "deleted": (lambda module: delattr(module, "first"), set()),
    "something else by that name": (lambda module: setattr(module, "first", 2), set()),
    "renamed, as many names": (renamed, {"second"}),
    "another module of as many names": (replaced, {"first"}),
    "no longer a module": (lambda _: sys.modules.pop(NAME) and None, set()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_after(change: str, module: ModuleType, search: Search) -> None:
    module.first = WANTED  # type: ignore[attr-defined]
    assert found(search) == {(NAME, "first")}
    act, names = CHANGES[change]
    act(module)
    for _ in range(2):
        assert found(search) == {(NAME, name) for name in names}


def test_a_name_of_the_notebook_that_comes_to_stand_for_it(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "some_name", 1, raising=False)
    assert found(search) == set()
    monkeypatch.setattr(main, "some_name", WANTED)
    assert found(search) == {("__main__", "some_name")}


def test_modules_are_let_go(search: Search) -> None:
    class Held:
        pass

    made, held = ModuleType(NAME), Held()
    made.held = held  # type: ignore[attr-defined]
    gone = weakref.ref(held)
    sys.modules[NAME] = made
    assert found(search) == set()
    del sys.modules[NAME], made, held
    gc.collect()
    assert gone() is None
    assert found(search) == set()


def test_what_is_no_module_and_knows_no_weak_reference(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, NAME, ())  # type: ignore[arg-type]
    for _ in range(2):
        assert found(search) == set()
