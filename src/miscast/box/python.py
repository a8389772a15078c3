"""The Python box: where the system forbids namespaces, and in a living process, Python's own calls lead to a layer."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from ..event import Effect, EffectKind, Location
from ..trace.everywhere import everywhere
from .network import Mode, Network, patches as closed
from .redirect import Layer, redirected

if TYPE_CHECKING:
    from ..trace.recorder import Recorder

_WRITABLE = ("/dev", "/proc")


@contextmanager
def python_box(*, files: bool = True, network: Mode = "hub") -> Iterator[PythonBox]:
    """A box for one run in this process; what it held is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="miscast-", ignore_cleanup_errors=True) as folder:
        yield PythonBox(folder, files=files, network=network)


class PythonBox:
    """Files change below `folder` only; processes are not started, and nothing is sent."""

    def __init__(self, folder: str, *, files: bool = True, network: Mode = "hub", confined: bool = False) -> None:
        """For one run. `folder` is removed by who made it.

        `confined`: this process ends with the check, so Landlock, which cannot be taken off, can stand behind.
        """
        self.files = files
        self._folder, self._network = folder, network
        self._layer: Layer | None = None
        if confined and files:
            from .landlock import confine

            confine([folder], [path for path in _WRITABLE if os.path.isdir(path)])

    @contextmanager
    def entered(self, recorder: Recorder) -> Iterator[Collection[int]]:
        """Every call of Python's that reaches files or processes, and the network, is answered here."""

        def tell(kind: EffectKind, what: str, action: str) -> Location | None:
            location = recorder.here()
            if recorder.heard is not None:
                recorder.heard("effect", Effect(kind=kind, what=what, action=action, location=location))
            return location

        with ExitStack() as stack:
            swaps = {}
            if self.files:
                self._layer = Layer(self._folder, tell)
                swaps.update(stack.enter_context(redirected(self._layer)))
            network = Network(tell=recorder.effect, mode=self._network)
            swaps.update(stack.enter_context(everywhere(list(closed(network)), recorder.failures)))
            yield {id(value) for _, value in swaps.values()}

    def effects(self) -> tuple[Effect, ...]:
        """What the layer holds, and what was not started."""
        return () if self._layer is None else self._layer.effects()
