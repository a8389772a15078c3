"""A process that believes in a machine for the time of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from miscast.core.machines import find
from miscast.running.process.patching import applied
from miscast.vm.torch_api.queries import State, patches

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def state() -> State:
    """The state of the machine of `believed`."""
    return State()


@pytest.fixture
def believed(request: pytest.FixtureRequest, state: State) -> Iterator[str]:
    """The machine named by the parameter."""
    with applied(patches(find(request.param), state)):
        yield request.param
