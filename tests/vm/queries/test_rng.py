"""Random state goes round; a generator of a virtual device is a generator."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch

from miscast.core.machines import find
from miscast.running.process.patching import applied
from miscast.vm.torch_api.queries import State, patches

four = pytest.mark.parametrize("believed", ["4xv100"], indirect=True)


@four
@pytest.mark.usefixtures("believed")
def test_seeds() -> None:
    torch.manual_seed(7)
    assert torch.cuda.initial_seed() == 7
    torch.cuda.manual_seed(8)
    with torch.cuda.device(1):
        assert torch.cuda.initial_seed() == 7
    torch.cuda.manual_seed_all(-1)
    assert torch.cuda.initial_seed() == 2**64 - 1
    torch.cuda.seed_all()
    assert torch.equal(torch.cuda.get_rng_state(0), torch.cuda.get_rng_state("cuda:3"))
    with pytest.raises(RuntimeError, match="Overflow"):
        torch.cuda.manual_seed(1 << 64)


@four
@pytest.mark.usefixtures("believed")
def test_states_go_round() -> None:
    torch.cuda.manual_seed_all(1)
    states = torch.cuda.get_rng_state_all()
    assert [(state.dtype, state.shape) for state in states] == [(torch.uint8, (16,))] * 4
    torch.cuda.manual_seed_all(2)
    torch.cuda.set_rng_state_all(states)
    assert torch.cuda.initial_seed() == 1
    with pytest.warns(UserWarning, match="4 available devices"), torch.random.fork_rng():
        torch.cuda.manual_seed_all(3)
    with torch.random.fork_rng(devices=[0]):
        torch.cuda.manual_seed_all(4)
    assert torch.cuda.initial_seed() == 1
    torch.cuda.set_rng_state(torch.empty(16, dtype=torch.uint8, device="cpu").zero_(), "cuda:2")
    with pytest.raises(TypeError, match="ByteTensor"):
        torch.cuda.set_rng_state(torch.zeros(16))


@four
@pytest.mark.usefixtures("believed")
def test_generators() -> None:
    mine = torch.Generator(device="cuda:1").manual_seed(5)
    assert (mine.device, mine.initial_seed()) == (torch.device("cuda:1"), 5)
    assert isinstance(mine, torch.Generator)
    assert isinstance(torch.default_generator, torch.Generator)
    assert isinstance(torch.Generator(), torch.Generator)
    assert torch.Generator().device.type == "cpu"
    assert torch.rand(2, generator=mine).shape == (2,)
    again = torch.Generator("cuda:1")
    again.set_state(mine.get_state())
    assert again.initial_seed() == 5
    for copied in (copy.deepcopy(mine), pickle.loads(pickle.dumps(mine)), mine.clone_state()):
        assert (copied.device, copied.initial_seed()) == (mine.device, 5)


@four
@pytest.mark.usefixtures("believed")
@pytest.mark.parametrize("seed", [None, 1.5, True, "1"])
def test_a_seed_is_a_number_as_torch_has_it(seed) -> None:
    said = []
    for device in ("cpu", "cuda"):
        with pytest.raises(RuntimeError) as raised:
            torch.Generator(device).manual_seed(seed)
        said.append(str(raised.value))
    assert said[0] == said[1]


@four
@pytest.mark.usefixtures("believed")
def test_a_state_without_data_changes_nothing() -> None:
    mine = torch.Generator("cuda").manual_seed(5)
    mine.set_state(torch.Generator().get_state())
    assert mine.initial_seed() == 5


def test_a_generator_outlives_the_machine() -> None:
    with applied(patches(find("v100"), State())):
        mine = torch.Generator("cuda")
    assert isinstance(mine, torch.Generator)


@pytest.mark.parametrize("believed", ["m3"], indirect=True)
@pytest.mark.usefixtures("believed")
def test_mps() -> None:
    torch.manual_seed(3)
    assert torch.Generator("mps").device == torch.device("mps:0")
    state = torch.mps.get_rng_state()
    torch.mps.manual_seed(4)
    torch.mps.set_rng_state(state)
    assert torch.equal(torch.mps.get_rng_state(), state)
    start, end = torch.mps.Event(enable_timing=True), torch.mps.Event(enable_timing=True)
    start.record()
    end.record()
    assert start.elapsed_time(end) > 0
    assert torch.mps.recommended_max_memory() > torch.mps.current_allocated_memory() == 0
    torch.mps.synchronize()
    torch.mps.empty_cache()
