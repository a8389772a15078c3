"""Of attention the text is the one that torch raises first; a float32 mask is refused where a kernel would add it."""

from __future__ import annotations

import pytest

import miscast

torch = pytest.importorskip("torch")


def _messages(*shape):
    def program():
        query = torch.ones(*shape, device="cuda", dtype=torch.float16)
        key = torch.ones(*shape, device="cuda")
        mask = torch.zeros(*shape[:-1], shape[-2], device="cuda")
        torch.nn.functional.scaled_dot_product_attention(query, key, key, mask)

    return [(finding.message, finding.error) for finding in miscast.check(program, machine="a100").findings]


def test_what_torch_looks_at_first_is_told():
    (_, first), (mask, second) = _messages(2, 2, 4, 8)
    assert first.startswith("Expected query, key, and value to have the same dtype, but got query.dtype: c10::Half")
    assert "`attn_mask`" in mask
    assert second == first  # one call, one text


def test_a_mask_that_no_kernel_adds_is_no_mistake():
    ((message, _),) = _messages(2, 4, 8)
    assert "`attn_mask`" not in message
