"""The peak of a step, held against torch's own count over fake tensors (torch.distributed._tools.mem_tracker).

Both count storages as ops return them. Fake tensors are the CPU's here, so is the machine; what differs on CUDA is held
to kernels' known facts in test_by_hand.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

from .footprints import held
from .networks import Diffusion, Language, Mixed, Pictures, Recurrent

Run = Callable[[Callable[[], None]], None]


def trained(
    make: Callable[[], nn.Module],
    optimizer: Callable[[Iterator[nn.Parameter]], torch.optim.Optimizer] | None = None,
    *,
    passes: int = 1,
    keeps: bool = False,
) -> Run:
    """Two steps; `keeps` leaves the gradients' memory in place between them."""

    def run(between: Callable[[], None]) -> None:
        model = make()
        chosen = (optimizer or adamw)(model.parameters())
        for _ in range(2):
            for _ in range(passes):
                (model.loss() / passes).backward()
                between()
            chosen.step()
            chosen.zero_grad(set_to_none=not keeps)

    return run


def answered(make: Callable[[], nn.Module]) -> Run:
    """Inference."""

    def run(between: Callable[[], None]) -> None:
        del between
        model = make().eval()
        with torch.no_grad():
            model.loss()

    return run


def narrow() -> nn.Module:
    """One in half precision; the tracker cannot follow a conversion."""
    torch.set_default_dtype(torch.bfloat16)
    try:
        return Language()
    finally:
        torch.set_default_dtype(torch.float32)


def adamw(parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, foreach=False)


def momentum(parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, foreach=False)


def together(parameters: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, foreach=True)


RUNS: dict[str, Run] = {
    "language": trained(Language),
    "language, attention spelled out": trained(lambda: Language(spelled=True)),
    "language, SGD with momentum": trained(Language, momentum),
    "language, all parameters at once": trained(Language, together),
    "language, accumulated": trained(Language, passes=3),
    "language, gradients kept": trained(Language, keeps=True),
    "language, checkpointed": trained(lambda: Language(saves=True)),
    "language, with dropout": trained(lambda: Language(dropout=0.1)),
    "language, inference": answered(Language),
    "language in bfloat16": trained(narrow),
    "pictures": trained(Pictures),
    "pictures, inference": answered(Pictures),
    "diffusion": trained(Diffusion),
    "diffusion, inference": answered(Diffusion),
    "autocast": trained(Mixed),
    "recurrent": trained(Recurrent),
}


def tracked(run: Run) -> dict[str, int]:
    """The peak by torch's count, by kind and in all."""
    with FakeTensorMode():
        tracker = MemTracker()
        with tracker:
            run(tracker.reset_mod_stats)
    (snapshot,) = tracker.get_tracker_snapshot("peak").values()
    return {getattr(kind, "value", kind): size for kind, size in snapshot.items()}


@pytest.mark.parametrize("name", RUNS)
def test_the_peak_is_that_of_torch(name: str) -> None:
    theirs = tracked(RUNS[name])
    ours = held(lambda: RUNS[name](lambda: None), device="cpu", machine="cpu")
    assert ours.peak == pytest.approx(theirs["Total"], rel=0.01)
    assert ours.parameters == pytest.approx(theirs["Parameter"], rel=0.01)
    # of what an optimizer makes on the way, it takes some for its state
    assert ours.optimizer <= theirs["Optstate"]
