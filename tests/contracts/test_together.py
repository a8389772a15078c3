"""Arguments of one call that share one wrong dtype are told together: torch makes one like the other."""

from __future__ import annotations

import pytest

import miscast

torch = pytest.importorskip("torch")


def test_offsets_that_torch_makes_like_the_indices_are_no_mistake_of_their_own():
    def program():
        bag = torch.nn.EmbeddingBag(10, 4)
        bag(torch.zeros(2, 3))

    (finding,) = miscast.check(program, machine="cpu").findings
    assert finding.message == "embedding_bag does not accept float32 `indices`: expected int64"
    (on_a_gpu,) = miscast.check(lambda: torch.nn.EmbeddingBag(10, 4)(torch.zeros(2, 3)), machine="a100").findings
    assert on_a_gpu.message == finding.message
