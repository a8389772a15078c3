"""The collectives of a program that runs as one rank take their arguments by torch's names."""

from __future__ import annotations

import inspect

from torch.distributed import distributed_c10d

from miscast.vm.collectives import single_rank
from sweep import sweep


@sweep("name", sorted(single_rank.COLLECTIVES.keys() & vars(distributed_c10d).keys()))
def test_names_are_torchs(name: str) -> None:
    theirs = list(inspect.signature(inspect.unwrap(getattr(distributed_c10d, name))).parameters)
    parameters = inspect.signature(single_rank.COLLECTIVES[name]).parameters.values()
    own = list(single_rank.COPIED.get(name, ())) or [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert theirs[: len(own)] == own
