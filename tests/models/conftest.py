"""Which combinations run by default: a sample; all of them with `-m exhaustive`."""

from __future__ import annotations

import diffusers
import pytest
import transformers


def pytest_configure(config: pytest.Config) -> None:
    """The marker of what only a full run takes."""
    config.addinivalue_line("markers", "exhaustive: a combination of tiny models outside the default sample")
    diffusers.logging.set_verbosity_error()
    transformers.logging.set_verbosity_error()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the exhaustive combinations out, unless they are asked for by marker."""
    if "exhaustive" in config.getoption("-m"):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
