"""All modules and optimizers are found, when and wherever they were made; what has died is not kept."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
import torch

from miscast.running.process.live_objects import Alive


def nothing() -> None:
    """Objects stay as young as they are."""


def collected() -> None:
    """All objects are old."""
    gc.collect()


def twice() -> None:
    """All are old, and a collection of the young has been since."""
    gc.collect()
    gc.collect(1)


AGES = (nothing, collected, twice)


def looked(alive: Alive, *things: object) -> list[bool]:
    found = {id(thing) for thing in alive.look()}
    return [id(thing) in found for thing in things]


@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("between", AGES)
def test_found(age: Callable[[], None], between: Callable[[], None]) -> None:
    alive = Alive()
    layer = torch.nn.Linear(2, 2)
    age()
    assert looked(alive, layer) == [True]
    for _ in range(3):
        between()
        held = [torch.nn.Linear(2, 2), torch.nn.Sequential(torch.nn.ReLU())]
        held.append(torch.optim.SGD(held[0].parameters()))  # type: ignore[arg-type]
        age()
        assert looked(alive, layer, *held, held[1][0]) == [True] * 5  # type: ignore[index]


@pytest.mark.parametrize("age", AGES)
def test_one_goes_as_another_comes(age: Callable[[], None]) -> None:
    alive, layer = Alive(), torch.nn.Linear(2, 2)
    assert looked(alive, layer) == [True]
    for _ in range(3):
        layer = torch.nn.Linear(2, 2)
        age()
        assert looked(alive, layer) == [True]


@pytest.mark.parametrize("age", AGES)
def test_one_comes_as_another_reference_to_its_class_goes(age: Callable[[], None]) -> None:
    alive, others = Alive(), [torch.nn.Linear]
    alive.look()
    others.clear()
    layer = torch.nn.Linear(2, 2)
    age()
    assert looked(alive, layer) == [True]


@pytest.mark.parametrize("age", AGES)
def test_of_a_class_that_is_new(age: Callable[[], None]) -> None:
    alive = Alive()
    alive.look()
    for _ in range(2):

        class Net(torch.nn.Module):
            pass

        net = Net()
        age()
        assert looked(alive, net) == [True]


def test_what_has_died_is_not_kept() -> None:
    alive, layer = Alive(), torch.nn.Linear(2, 2)
    gone = weakref.ref(layer)
    alive.look()
    del layer
    gc.collect()
    assert gone() is None
    assert all(isinstance(thing, (torch.nn.Module, torch.optim.Optimizer)) for thing in alive.look())
