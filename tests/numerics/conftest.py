"""Each test begins as torch does: who compiled before it in the process switched off the checks of distributions."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _as_torch_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", __debug__)
