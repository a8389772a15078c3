"""A class whose methods are made late is what the standard library's `dataclass` makes of it."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest

from miscast import frozen

SWITCHES = {"frozen": True, "slots": True, "kw_only": True}


class _Point:
    """Somewhere."""

    x: int
    y: int = 2
    names: tuple[str, ...] = field(default=(), repr=False)
    notes: dict[str, int] = field(default_factory=dict, compare=False)
    far: bool = field(init=False)

    def __post_init__(self) -> None:
        """Far is what is beyond ten."""
        object.__setattr__(self, "far", self.x > 10)


@frozen.dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Of the module, so that it can be pickled."""

    file: str
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Named(Place):
    """What inherits from it."""

    name: str = ""


def made(dataclass):
    return dataclass(**SWITCHES)(type("_Point", (), dict(vars(_Point))))


LATE, STANDARD = made(frozen.dataclass), made(dataclasses.dataclass)


@pytest.mark.parametrize(
    "given", [{"x": 1}, {"x": 20, "y": 3, "names": ("a",), "notes": {"b": 1}}]
)
def test_instances_are_those_of_the_standard_library(given):
    late, standard = LATE(**given), STANDARD(**given)
    assert dataclasses.asdict(late) == dataclasses.asdict(standard)
    assert repr(late) == repr(standard)
    assert hash(late) == hash(standard)
    assert late == LATE(**given)
    assert late != LATE(x=5)
    assert late != standard
    assert {late: 1}[dataclasses.replace(late, notes={})] == 1
    assert not hasattr(late, "__dict__")


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}, {"x": 1, "far": True}])
def test_arguments_are_refused_in_the_same_words(given):
    with pytest.raises(TypeError) as late:
        LATE(**given)
    with pytest.raises(TypeError) as standard:
        STANDARD(**given)
    assert str(late.value) == str(standard.value)


def test_nothing_can_be_set_or_deleted():
    place = Place(file="a.py")
    with pytest.raises(
        dataclasses.FrozenInstanceError, match="cannot assign to field 'line'"
    ):
        place.line = 3
    with pytest.raises(
        dataclasses.FrozenInstanceError, match="cannot delete field 'line'"
    ):
        del place.line
    assert place == Place(file="a.py")


def test_it_is_pickled_copied_and_inherited_from():
    place = Place(file="a.py", line=3)
    assert pickle.loads(pickle.dumps(place)) == place == copy.deepcopy(place)
    assert Named(file="a.py", line=3, name="n") == Named(file="a.py", line=3, name="n")
    assert repr(Named(file="b")) == "Named(file='b', line=0, name='')"


def test_methods_of_its_own_are_kept():
    @frozen.dataclass(frozen=True, slots=True)
    class Kind:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert (repr(Kind("a")), Kind("a") == Kind("b"), hash(Kind("a"))) == (
        "<a>",
        True,
        7,
    )
