"""torch.hub: weights and repositories are read by whoever can, and kept in torch's cache."""

from __future__ import annotations

import functools
import shutil
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

from miscast.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """The one function that downloads a file; without one outside, its requests are let through (`reading.py`)."""
    original = module.download_url_to_file
    if gate.network.mode != "hub" or gate.network.fetch is None:
        return

    @functools.wraps(original)
    def download_url_to_file(
        url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
    ) -> None:
        if not gate.shut:
            original(url, dst, hash_prefix, progress)
            return
        got = gate.fetch("torch_hub", {"url": url})
        if "path" not in got:
            raise URLError(str(got.get("text") or "Connection refused"))
        if got["path"] != dst:
            shutil.copyfile(got["path"], dst)

    yield Patch(module, "download_url_to_file", download_url_to_file)


MODULES = {"torch.hub": patches}
