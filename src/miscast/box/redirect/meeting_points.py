"""Where processes of one program meet: a socket of `multiprocessing` is bound by the kernel, which knows no layer."""

from __future__ import annotations

import multiprocessing.connection
import os
import sys
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...trace.patching import Patch

if TYPE_CHECKING:
    from .layer import Layer


def patches(layer: Layer) -> Iterator[Patch]:
    """`multiprocessing.connection.arbitrary_address`: an address without a file on Linux, else one beside the layer.

    A data loader's workers hand over tensors through it: with a path in a folder that is only the layer's, they wait
    for ever.
    """
    original = vars(multiprocessing.connection)["arbitrary_address"]  # not in the stubs of the types

    def arbitrary_address(family: str) -> str:
        if not layer.on or family != "AF_UNIX":
            return str(original(family))
        name = f"miscast-{os.getpid()}-{uuid.uuid4().hex[:12]}"
        return f"\0{name}" if sys.platform == "linux" else os.path.join(layer.folder, name)

    yield Patch(multiprocessing.connection, "arbitrary_address", arbitrary_address)
