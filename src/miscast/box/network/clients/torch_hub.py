"""torch.hub: weights and repositories are read by whoever can, and kept in torch's cache."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

from miscast.running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the one function that downloads a file.

    Without one outside, its requests are let through (`reading.py`).
    """
    if gate.network.mode != "hub" or gate.network.fetch is None:
        return

    def download(url: str, dst: str, *_: Any, **__: Any) -> None:
        got = gate.fetch("torch_hub", {"url": url})
        if "path" not in got:
            raise URLError(str(got.get("text") or "Connection refused"))
        if got["path"] != dst:
            shutil.copyfile(got["path"], dst)

    original = module.download_url_to_file
    yield Patch(module, "download_url_to_file", gate.instead(original, download))


MODULES = {"torch.hub": patches}
