"""A class whose methods are made late is what the standard library's `dataclass` makes of it."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from miscast.core import frozen

SWITCHES = {"frozen": True, "slots": True, "kw_only": True}


def point(home):
    """A class, as a module that has `dataclass` and `field` makes it."""

    class Point:
        """Somewhere."""

        x: int
        y: int = 2
        names: tuple[str, ...] = home.field(default=(), repr=False)
        notes: dict[str, int] = home.field(default_factory=dict, compare=False)
        far: bool = home.field(init=False)
        near: bool = home.field(default=True, init=False)
        made: dict[str, int] = home.field(default_factory=dict, hash=False)
        seen: list[int] = home.field(default_factory=list, init=False, compare=False)

        def __post_init__(self) -> None:
            """Far is what is beyond ten."""
            object.__setattr__(self, "far", self.x > 10)

    return home.dataclass(**SWITCHES)(Point)


@frozen.dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Of the module, so that it can be pickled."""

    file: str
    line: int = 0


@frozen.dataclass(frozen=True, slots=True, kw_only=True)
class Named(Place):
    """What inherits from it."""

    name: str = ""
    line: int = 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Called(Named):
    """What the standard library makes of an heir."""

    name: str = "it"


LATE, STANDARD = point(frozen), point(dataclasses)


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
    assert frozen.replace(late, y=7) == dataclasses.replace(late, y=7)
    assert frozen.replace(standard, y=7) == dataclasses.replace(standard, y=7)
    assert late.notes is not LATE(x=1).notes
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


def test_it_is_pickled_and_copied():
    place = Place(file="a.py", line=3)
    assert pickle.loads(pickle.dumps(place)) == place == copy.deepcopy(place)


@pytest.mark.parametrize("heir", [Named, Called])
def test_what_inherits_has_all_fields(heir):
    named = heir(file="a.py", line=3, name="n")
    assert named == heir(file="a.py", line=3, name="n") != Place(file="a.py", line=3)
    assert pickle.loads(pickle.dumps(named)) == named == copy.copy(named)
    assert repr(heir(file="b", name="")) == f"{heir.__name__}(file='b', line=1, name='')"
    assert dataclasses.astuple(frozen.replace(named, line=4)) == ("a.py", 4, "n")
    assert not hasattr(named, "__dict__")


def test_one_without_slots_has_a_dictionary():
    @frozen.dataclass(frozen=True, kw_only=True)
    class Loose:
        x: int
        y: dict[str, int] = frozen.field(default_factory=dict)
        z: int = 3

    assert (vars(Loose(x=1)), Loose.z) == ({"x": 1, "y": {}, "z": 3}, 3)
    assert not hasattr(Loose, "y")


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


def test_what_the_standard_library_keeps_in_a_class_is_the_same():
    late, standard = map(dataclasses.fields, (LATE, STANDARD))
    assert [repr(one) for one in late] == [repr(one) for one in standard]
    assert repr(LATE.__dataclass_params__) == repr(STANDARD.__dataclass_params__)
    assert LATE.__match_args__ == STANDARD.__match_args__ == ()
    assert LATE.__doc__ == STANDARD.__doc__


def test_arguments_by_place_are_taken_and_matched():
    @frozen.dataclass(frozen=True, slots=True)
    class Pair:
        a: int
        b: int = 0

    match Pair(1, b=2):
        case Pair(a, b):
            assert (a, b) == (1, 2)
    assert repr(Pair(1)).endswith("Pair(a=1, b=0)")


def test_one_that_holds_itself_can_be_shown():
    held: list[object] = []

    @frozen.dataclass(frozen=True, slots=True, kw_only=True)
    class Holder:
        held: list[object]

    held.append(Holder(held=held))
    assert repr(held[0]).endswith("Holder(held=[...])")


def test_dataclasses_is_not_imported():
    program = "import sys, miscast.core.event as e; e.Location(file='a', line=1); print('dataclasses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_field_of_the_standard_library_is_refused():
    with pytest.raises(TypeError, match=r"miscast\.core\.frozen"):

        @frozen.dataclass(frozen=True, slots=True, kw_only=True)
        class Mixed:
            x: list[int] = dataclasses.field(default_factory=list)
